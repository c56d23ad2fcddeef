// Our answer to initialize, from constants alone: an editor gets it before anything else of this door is even loaded.
import type { InitializeResult } from '../../protocols/acp/v1/agentMessages.ts';
import { protocolVersion } from '../../protocols/acp/v1/methods.ts';

export function whoWeAre(version: string): InitializeResult {
  return {
    protocolVersion,
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: true, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {}, ...unstable },
    },
    agentInfo: { name: 'parley', title: 'Parley', version },
    authMethods: [],
  };
}

/** What the specification may still change; each has its file in the folder of that name. */
const unstable = { fork: {}, title: {}, archive: {}, status: {} };

/** The answer to a first request that is a plain initialize; anything else is left to the door. */
export function greet(method: string, params: unknown, version: string): InitializeResult | undefined {
  const asked = typeof params === 'object' && params !== null && 'protocolVersion' in params ? params.protocolVersion : undefined;
  const sound = typeof asked === 'number' && Number.isInteger(asked) && asked >= 0 && asked <= 65_535;
  return method === 'initialize' && sound ? whoWeAre(version) : undefined;
}
