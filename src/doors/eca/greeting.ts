// Our answer to initialize, from constants alone: an editor gets it before anything else of this door is even loaded.
import type { Results } from '../../protocols/eca/messages.ts';

export const welcome = `# Welcome to Parley!

Your chats live in the Parley host: they go on when this editor closes, and any other editor or the console can join them.

- Type a message to begin
- A message sent while the agent works waits for its turn, or steers it
- Whoever answers an approval first decides; everybody sees who it was
`;

/** A client that brings a welcome of its own along gets that one; what files say about it is told once they are read. */
export function whoWeAre(version: string, options: unknown): Results['initialize'] {
  const own = memberOf(options, 'welcomeMessage') ?? memberOf(options, 'welcome-message');
  return {
    chatWelcomeMessage: typeof own === 'string' && own !== '' ? own : welcome,
    serverInfo: { name: 'parley', version },
  };
}

/** The answer to a first request that is a plain initialize; anything else is left to the door. */
export function greet(method: string, params: unknown, version: string): Results['initialize'] | undefined {
  return method === 'initialize' && Array.isArray(memberOf(params, 'workspaceFolders'))
    ? whoWeAre(version, memberOf(params, 'initializationOptions'))
    : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}
