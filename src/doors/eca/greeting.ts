// Our answer to initialize, from constants alone: an editor gets it before anything else of this door is even loaded.
import type { Results } from '../../protocols/eca/messages.ts';

export const welcome = `# Welcome to Parley!

Your chats live in the Parley host: they go on when this editor closes, and any other editor or the console can join them.

- Type a message to begin
- A message sent while the agent works waits for its turn, or steers it
- Whoever answers an approval first decides; everybody sees who it was
`;

export function whoWeAre(version: string): Results['initialize'] {
  return { chatWelcomeMessage: welcome, serverInfo: { name: 'parley', version } };
}

/** The answer to a first request that is a plain initialize; anything else is left to the door. */
export function greet(method: string, params: unknown, version: string): Results['initialize'] | undefined {
  const folders = typeof params === 'object' && params !== null && 'workspaceFolders' in params ? params.workspaceFolders : undefined;
  return method === 'initialize' && Array.isArray(folders) ? whoWeAre(version) : undefined;
}
