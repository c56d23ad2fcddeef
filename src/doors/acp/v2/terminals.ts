// The commands of the built-in agent as terminals of version 2: the call refers to its terminal, and the
// output is sent apart, without the marks that show it as text. Pure.
import { isRecord } from '../../../base/isRecord.ts';
import { exitCodeOf } from '../../../model/howItRan.ts';
import type { ToolItem } from '../../../model/state.ts';
import type { SessionUpdate } from '../../../protocols/acp/v2/messages.ts';
import { tail } from '../outbound/toolCall.ts';

/** A call has a terminal once its command has printed something or has ended. */
export function hasTerminal({ toolKind, source, output, result }: ToolItem): boolean {
  if (toolKind !== 'execute' || source !== 'native') return false;
  return output !== '' || result?.status === 'done' || result?.status === 'failed';
}

/** The whole state of the terminal, so that an update may take the place of earlier ones. */
export function terminalUpdate(tool: ToolItem, terminalId: string): SessionUpdate {
  const { input, result } = tool;
  const command = commandIn(input);
  const exitCode = result && exitCodeOf(result);
  return {
    sessionUpdate: 'terminal_update',
    terminalId,
    ...(command === undefined ? {} : { command }),
    output: { data: Buffer.from(tail(outputOf(tool))).toString('base64') },
    ...(result === undefined ? {} : { exitStatus: exitCode === undefined ? {} : { exitCode } }),
  };
}

/** What was printed; a tool that did not stream has only its result. */
function outputOf({ output, result }: ToolItem): string {
  if (output !== '' || !result || !('content' in result)) return output;
  const texts = result.content.flatMap((content) => (content.type === 'text' ? [content.text] : []));
  return texts.filter((text, at) => at > 0 || !/^Exit code: \d{1,3}$/.test(text)).join('\n');
}

function commandIn(input: ToolItem['input']): string | undefined {
  const command = isRecord(input) ? input['command'] : undefined;
  return typeof command === 'string' ? command : undefined;
}
