// The response to `initialize`. It needs constants only, so an editor gets it before the rest
// of the door is loaded.
import type { InitializeResponse } from '../../protocols/acp/v1/messages.ts';
import { protocolVersion } from '../../protocols/acp/v1/methods.ts';

/** The client capabilities that change the response. */
export interface GreetingCapabilities {
  readonly auth?: { readonly terminal: boolean } | undefined;
}

/** The response in version 1; clients that ask for version 2 in its form get that of the folder `v2`. */
export function initializeResult(version: string, { auth }: GreetingCapabilities): InitializeResponse {
  return {
    protocolVersion,
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: true, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true, ...unstable.mcp },
      sessionCapabilities: {
        list: {},
        resume: {},
        close: {},
        delete: {},
        additionalDirectories: {},
        ...unstable.session,
      },
      auth: { logout: {}, ...unstable.auth },
      ...unstable.own,
    },
    agentInfo: { name: 'parley', title: 'Parley', version },
    authMethods: auth?.terminal ? [keysMethod, loginMethod] : [keysMethod],
  };
}

export const keysMethod = {
  id: 'keys',
  name: 'Keys on this machine',
  description: 'Uses the API keys in the environment and those stored by "parley login".',
};

export const loginMethod = {
  type: 'terminal',
  id: 'login',
  name: 'Sign in with a model provider',
  description: 'Asks for a provider and its API key in a terminal.',
  args: ['--login'],
} as const;

/** Unstable capabilities; each has its file in the folder `unstable`. */
const unstable = {
  session: { fork: {}, title: {}, archive: {}, status: {}, systemPrompt: { mode: { override: {} } } },
  auth: { status: {} },
  mcp: { acp: true },
  own: { providers: {} },
};

/**
 * The response to a plain `initialize` as first request; undefined for anything else, which the door answers.
 */
export function acpGreeting(
  method: string,
  params: unknown,
  version: string,
): InitializeResponse | undefined {
  const asked = member(params, 'protocolVersion');
  const sound = typeof asked === 'number' && Number.isInteger(asked) && asked >= 0 && asked <= 65_535;
  const capabilities = member(params, 'clientCapabilities');
  const terminal = member(member(capabilities, 'auth'), 'terminal') === true;
  // Rare client capabilities and version 2 are left to the door.
  const isFirst = sound && (asked < 2 || member(params, 'info') === undefined);
  const plain = isFirst && member(capabilities, 'nes') === undefined;
  return method === 'initialize' && plain ? initializeResult(version, { auth: { terminal } }) : undefined;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(name) : undefined;
}
