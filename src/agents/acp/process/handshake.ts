// The handshake with an agent: our capabilities, its answer, and why it may have failed.
import { errorText } from '../../../base/errorText.ts';
import type { Problem } from '../../../model/event.ts';
import { initializeAnswer } from '../../../protocols/acp/v1/answerSchema.ts';
import type { InitializeAnswer } from '../../../protocols/acp/v1/answerSchema.ts';
import { protocolVersion } from '../../../protocols/acp/v1/methods.ts';
import { unsupportedVersion } from '../../../protocols/acp/v2/answerSchema.ts';
import { RpcError } from '../../../rpc/rpcError.ts';
import { version2Greeting, version2Hello } from '../v2/hello.ts';
import type { ExitReport } from './processExit.ts';
import type { AgentProgram } from './program.ts';

function greeting({ quirks }: AgentProgram, version: string): object {
  const files = quirks?.files !== 'off';
  return {
    protocolVersion,
    clientCapabilities: {
      fs: { readTextFile: files, writeTextFile: files },
      terminal: quirks?.terminals !== 'off',
      auth: { terminal: true },
      elicitation: { form: {}, url: {} },
      session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
      // Agents check this flag that predate the protocol's own terminal login.
      _meta: { 'terminal-auth': true },
    },
    clientInfo: { name: 'parley', title: 'Parley', version },
  };
}

/**
 * Version 1 is the default; the settings of an agent may ask for version 2, which it need not have. An agent
 * that has nothing but version 2 is asked again for that.
 */
export async function initializeAgent(
  { program, version }: { readonly program: AgentProgram; readonly version: string },
  ask: (greeting: object) => Promise<unknown>,
): Promise<InitializeAnswer | Problem> {
  const older = greeting(program, version);
  const newer = { ...older, ...version2Greeting(version) };
  const { acpVersion = 1 } = program.quirks ?? {};
  try {
    const answer = await ask(acpVersion === 2 ? newer : older);
    const isNewer = acpVersion === 1 && version2Hello(answer) !== undefined;
    return readHello(program, isNewer ? await ask(newer) : answer);
  } catch (error) {
    if (acpVersion === 2 || !(error instanceof RpcError) || error.code !== unsupportedVersion) throw error;
    return readHello(program, await ask(newer));
  }
}

function readHello({ name, quirks }: AgentProgram, answer: unknown): InitializeAnswer | Problem {
  const newer = version2Hello(answer);
  if (newer === 'no sessions')
    return { code: 'agent-protocol', message: `${name} offers no sessions, so Parley cannot use it.` };
  if (newer) return newer;
  const read = initializeAnswer.safeParse(answer);
  if (!read.success) return { code: 'agent-protocol', message: `${name} started but does not speak ACP.` };
  // Some agents repeat the number that they are asked for, whatever they speak.
  const isRepeated = quirks?.acpVersion === 2 && read.data.protocolVersion === 2;
  const spoken = isRepeated ? protocolVersion : read.data.protocolVersion;
  return spoken === protocolVersion
    ? { ...read.data, protocolVersion: spoken }
    : {
        code: 'agent-protocol',
        message:
          spoken === 2
            ? `${name} names ACP version 2, but does not answer in its form.`
            : `${name} uses ACP version ${spoken}; Parley supports versions 1 and 2.`,
      };
}

/** The exit of the program explains more than the connection error. */
export function startFailure(
  { name, command, install }: AgentProgram,
  gone: ExitReport | undefined,
  error: unknown,
): string {
  if (gone?.missing)
    return (
      `${name} could not be started: there is no program named ` +
      `${command}.${install === undefined ? '' : ` ${install}`}`
    );
  return gone?.message ?? `${name} could not be started: ${errorText(error)}`;
}
