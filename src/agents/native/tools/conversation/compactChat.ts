// The tool that replaces a long conversation by a summary. It only accepts the summary; the
// turn loop applies it.
import type { Json } from '../../../../model/event.ts';
import { defineTool } from '../define.ts';
import { doneResult } from '../tool.ts';

export const compactChat = defineTool({
  name: 'compact_chat',
  description:
    'Replaces the conversation so far by a summary, to free room. Call it when you are asked to, or ' +
    'when a long piece of work is done and its details will not be needed again.',
  kind: 'think',
  preparing: 'Compacting...',
  parameters: {
    summary: {
      type: 'string',
      description: 'Everything that has to be known to go on, with names, paths and numbers.',
    },
  },
  prepare: ({ summary }) =>
    Promise.resolve(
      summary.trim() === ''
        ? { refused: 'INVALID_ARGS: the summary is empty.' }
        : {
            title: 'Compacted the conversation',
            paths: [],
            run: () =>
              Promise.resolve(doneResult('The conversation was summarised; it goes on from the summary.')),
          },
    ),
});

/** The summary in the arguments of a call; empty if there is none. */
export function summaryIn(input: Json | undefined): string {
  const summary =
    typeof input === 'object' && input !== null && 'summary' in input ? input['summary'] : undefined;
  return typeof summary === 'string' ? summary.trim() : '';
}
