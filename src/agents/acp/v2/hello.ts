// What an agent of version 2 says about itself, in the words of version 1. Pure.
import { present } from '../../../base/present.ts';
import { initializeAnswer as version1Answer } from '../../../protocols/acp/v1/answerSchema.ts';
import type { InitializeAnswer } from '../../../protocols/acp/v1/answerSchema.ts';
import { initializeAnswer } from '../../../protocols/acp/v2/answerSchema.ts';

/** What version 2 adds to the greeting. An agent that has only version 1 ignores it. */
export function version2Greeting(version: string): object {
  return {
    protocolVersion: 2,
    info: { name: 'parley', title: 'Parley', version },
    capabilities: { auth: { terminal: {} }, elicitation: { form: {}, url: {} } },
  };
}

/** Undefined for an agent that does not speak version 2; a text for one that has no sessions. */
export function version2Hello(answer: unknown): InitializeAnswer | 'no sessions' | undefined {
  const read = initializeAnswer.safeParse(answer);
  if (!read.success) return undefined;
  const { info, capabilities, authMethods, _meta: meta } = read.data;
  const { session } = capabilities;
  if (!session) return 'no sessions';
  const { prompt, mcp, delete: remove, additionalDirectories } = session;
  return version1Answer.parse({
    protocolVersion: 2,
    agentInfo: info,
    agentCapabilities: {
      loadSession: false,
      promptCapabilities: {
        image: prompt?.image !== undefined,
        audio: prompt?.audio !== undefined,
        embeddedContext: prompt?.embeddedContext !== undefined,
      },
      mcpCapabilities: { stdio: mcp?.stdio !== undefined, http: mcp?.http !== undefined },
      // Every agent with sessions has these three.
      sessionCapabilities: {
        list: {},
        resume: {},
        close: {},
        ...present({ delete: remove, additionalDirectories }),
      },
    },
    authMethods: authMethods.map(({ methodId, env, ...method }) => ({
      ...method,
      id: methodId,
      ...(env ? { env: Object.fromEntries(env.map(({ name, value }) => [name, value])) } : {}),
    })),
    // A prompt during a turn steers it.
    _meta: { ...meta, steering: { supported: true } },
  });
}
