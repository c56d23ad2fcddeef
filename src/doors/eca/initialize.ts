// The response to `initialize`. It needs constants only, so an editor gets it before the rest
// of the door is loaded.
import { isRecord } from '../../base/isRecord.ts';
import type { Results } from '../../protocols/eca/messages.ts';

export const welcome = `# Welcome to ECA!

Parley is the server. Your chats live in its host: they keep running when you close this editor, and other editors or the console can join them.

- Type a message to start
- A message that you send while the agent works is queued, or steers the agent
- The first answer to an approval counts, and every client sees who gave it
`;

/**
 * A welcome message of the client replaces ours; one of the configuration is sent once its files are read.
 */
export function initializeResult(version: string, options: unknown): Results['initialize'] {
  const message = memberOf(options, 'welcomeMessage') ?? memberOf(options, 'welcome-message');
  return {
    chatWelcomeMessage: typeof message === 'string' && message !== '' ? message : welcome,
    serverInfo: { name: 'parley', version },
  };
}

/**
 * The response to a plain `initialize` as first request; undefined for anything else, which the door answers.
 */
export function ecaGreeting(
  method: string,
  params: unknown,
  version: string,
): Results['initialize'] | undefined {
  return method === 'initialize' && Array.isArray(memberOf(params, 'workspaceFolders'))
    ? initializeResult(version, memberOf(params, 'initializationOptions'))
    : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}
