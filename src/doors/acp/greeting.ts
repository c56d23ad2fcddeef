// Our answer to initialize, from constants alone: an editor gets it before anything else of this door is even loaded.
import type { InitializeResponse } from '../../protocols/acp/v1/messages.ts';
import { protocolVersion } from '../../protocols/acp/v1/methods.ts';

/** What of a client's capabilities has a say in the answer. */
export interface Asking {
  readonly auth?: { readonly terminal: boolean } | undefined;
}

/** Any number is answered with the one version that we speak: the next one is a draft, and not offered before it is whole. */
export function whoWeAre(version: string, { auth }: Asking): InitializeResponse {
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
  name: 'Keys of this machine',
  description:
    'Takes the keys of model providers from the environment and from what "parley login" has stored.',
};

export const loginMethod = {
  type: 'terminal',
  id: 'login',
  name: 'Sign in with a model provider',
  description: 'Asks for a provider and for the key to it, in a terminal.',
  args: ['--login'],
} as const;

/** What the specification may still change; each has its file in the folder of that name. */
const unstable = {
  session: { fork: {}, title: {}, archive: {}, status: {}, systemPrompt: { mode: { override: {} } } },
  auth: { status: {} },
  mcp: { acp: true },
  own: { providers: {} },
};

/** The answer to a first request that is a plain initialize; anything else is left to the door. */
export function greet(method: string, params: unknown, version: string): InitializeResponse | undefined {
  const asked = member(params, 'protocolVersion');
  const sound = typeof asked === 'number' && Number.isInteger(asked) && asked >= 0 && asked <= 65_535;
  const capabilities = member(params, 'clientCapabilities');
  const terminal = member(member(capabilities, 'auth'), 'terminal') === true;
  // What few clients have is answered by the door.
  const plain = sound && member(capabilities, 'nes') === undefined;
  return method === 'initialize' && plain ? whoWeAre(version, { auth: { terminal } }) : undefined;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(name) : undefined;
}
