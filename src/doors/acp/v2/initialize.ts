// The response to `initialize` in version 2, and the capabilities of such a client in the words of version 1.
import type { ClientCapabilities } from '../../../protocols/acp/v1/agentSchema.ts';
import type { ClientCapabilities as Capabilities } from '../../../protocols/acp/v2/agentSchema.ts';
import type { InitializeResponse } from '../../../protocols/acp/v2/messages.ts';
import { keysMethod, loginMethod } from '../initialize.ts';

export function initializeResult(version: string, { auth }: Capabilities): InitializeResponse {
  const { id: methodId, ...keys } = keysMethod;
  const { id: loginId, ...login } = loginMethod;
  return {
    protocolVersion: 2,
    info: { name: 'parley', title: 'Parley', version },
    capabilities: {
      session: {
        prompt: { image: {}, audio: {}, embeddedContext: {} },
        mcp: { stdio: {}, http: {} },
        delete: {},
        additionalDirectories: {},
      },
    },
    authMethods: [
      { type: 'agent', methodId, ...keys },
      ...(auth?.terminal ? [{ methodId: loginId, ...login }] : []),
    ],
  };
}

/** Files and terminals of the client do not exist in version 2; notices and the like belong to it. */
export function knownCapabilities({ auth, elicitation }: Capabilities): ClientCapabilities {
  return {
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    auth: { terminal: auth?.terminal !== undefined },
    ...(elicitation && { elicitation }),
    session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
  };
}
