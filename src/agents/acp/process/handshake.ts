// The handshake with an agent: our capabilities, its answer, and why it may have failed.
import { errorText } from '../../../base/errorText.ts';
import type { Problem } from '../../../model/event.ts';
import { initializeAnswer } from '../../../protocols/acp/v1/answerSchema.ts';
import type { InitializeAnswer } from '../../../protocols/acp/v1/answerSchema.ts';
import { protocolVersion } from '../../../protocols/acp/v1/methods.ts';
import type { ExitReport } from './processExit.ts';
import type { AgentProgram } from './program.ts';

export function greeting({ quirks }: AgentProgram, version: string): object {
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

export function readHello({ name }: AgentProgram, answer: unknown): InitializeAnswer | Problem {
  const read = initializeAnswer.safeParse(answer);
  if (!read.success) return { code: 'agent-protocol', message: `${name} started but does not speak ACP.` };
  const { protocolVersion: spoken } = read.data;
  return spoken === protocolVersion
    ? read.data
    : {
        code: 'agent-protocol',
        message: `${name} uses ACP version ${spoken}; Parley supports version ${protocolVersion}.`,
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
