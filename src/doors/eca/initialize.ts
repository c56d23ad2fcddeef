// The response to `initialize`. It needs constants only, unless a welcome is configured, so an editor gets it
// before the rest of the door is loaded.
import { isRecord } from '../../base/isRecord.ts';
import type { Results } from '../../protocols/eca/messages.ts';
import { pathOf } from './inbound/paths.ts';

export const welcome = `# Welcome to ECA!

Parley is the server. Your chats live in its host: they keep running when you close this editor, and other editors or the console can join them.

- Type a message to start
- A message that you send while the agent works is queued, or steers the agent
- The first answer to an approval counts, and every client sees who gave it
`;

/** A welcome of the configuration replaces one of the client, which replaces ours. */
export function initializeResult(
  version: string,
  options: unknown,
  configured?: string,
): Results['initialize'] {
  const message = memberOf(options, 'welcomeMessage') ?? memberOf(options, 'welcome-message');
  const own = typeof message === 'string' && message !== '' ? message : welcome;
  return { chatWelcomeMessage: configured ?? own, serverInfo: { name: 'parley', version } };
}

export interface GreetingFacts {
  readonly version: string;
  /** Whether a configuration for these folders could have a welcome of its own; the door reads it. */
  readonly mayConfigureWelcome: (roots: readonly string[]) => boolean;
}

/**
 * The response to a plain `initialize` as first request; undefined for anything else, which the door answers.
 */
export function ecaGreeting(
  method: string,
  params: unknown,
  { version, mayConfigureWelcome }: GreetingFacts,
): Results['initialize'] | undefined {
  const folders = memberOf(params, 'workspaceFolders');
  if (method !== 'initialize' || !Array.isArray(folders)) return undefined;
  const roots = folders.flatMap((folder: unknown) => {
    const uri = memberOf(folder, 'uri');
    return typeof uri === 'string' ? (pathOf(uri) ?? []) : [];
  });
  return mayConfigureWelcome(roots)
    ? undefined
    : initializeResult(version, memberOf(params, 'initializationOptions'));
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}
