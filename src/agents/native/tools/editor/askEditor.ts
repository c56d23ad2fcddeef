// How a tool asks the user's editor: whoever does not answer in time is not waited for.
import type { EditorAnswer, Editors } from '../../../../host/workspace/attachedEditors.ts';
import type { ToolContext } from '../tool.ts';

export const usualTimeout = 30_000;

export async function askEditor<T>(
  { editors, named, signal, editorTimeout = usualTimeout }: ToolContext,
  ask: (editors: Editors, signal: AbortSignal) => Promise<EditorAnswer<T>>,
): Promise<EditorAnswer<T>> {
  if (!editors)
    return {
      problem: 'unable',
      message: `No editor is attached that could be asked; use ${named('grep')} or a compiler instead.`,
    };
  const late = AbortSignal.timeout(editorTimeout);
  const answer = await ask(editors, AbortSignal.any([signal, late]));
  const overdue = 'problem' in answer && late.aborted && !signal.aborted;
  return overdue
    ? { problem: 'unable', message: `The editor did not answer within ${editorTimeout / 1_000} seconds.` }
    : answer;
}
