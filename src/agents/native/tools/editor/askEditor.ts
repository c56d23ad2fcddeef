// Asks the user's editor on behalf of a tool, with a time limit.
import type { EditorAnswer, Editors } from '../../../../host/workspace/attachedEditors.ts';
import type { ToolContext } from '../tool.ts';

export const defaultEditorTimeout = 30_000;

export async function askEditor<T>(
  { services, requestName, signal, settings: { editorTimeout = defaultEditorTimeout } }: ToolContext,
  ask: (editors: Editors, signal: AbortSignal) => Promise<EditorAnswer<T>>,
): Promise<EditorAnswer<T>> {
  const editors = services?.editors;
  if (!editors)
    return {
      problem: 'unable',
      message: `No editor is attached that could be asked; use ${requestName('grep')} or a compiler instead.`,
    };
  const late = AbortSignal.timeout(editorTimeout);
  const answer = await ask(editors, AbortSignal.any([signal, late]));
  const overdue = 'problem' in answer && late.aborted && !signal.aborted;
  return overdue
    ? { problem: 'unable', message: `The editor did not answer within ${editorTimeout / 1_000} seconds.` }
    : answer;
}
