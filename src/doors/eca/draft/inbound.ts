// Translates a prompt of the first draft into the newest protocol, and the result back. Pure.
import type { Results } from '../../../protocols/eca/messages.ts';
import type { DraftContext, DraftPromptResult } from '../../../protocols/eca/draft.ts';
import type { Context } from '../../../protocols/eca/schema.ts';

/** The newest protocol has a context of its own for the cursor, and a labelled text for a piece of code. */
export function contextsFrom(contexts: readonly DraftContext[]): readonly Context[] {
  return contexts.flatMap((context): readonly Context[] => {
    switch (context?.type) {
      case undefined:
        return [];
      case 'web':
        return [{ type: 'web', url: context.url }];
      case 'code':
        return [
          {
            type: 'text',
            label: context.description ?? context.language ?? 'Code',
            content: context.content,
          },
        ];
      case 'file': {
        const linesRange = context.selection && {
          start: context.selection.startLine,
          end: context.selection.endLine,
        };
        const cursor =
          context.cursor &&
          ({
            type: 'cursor',
            path: context.path,
            position: { start: context.cursor, end: context.cursor },
          } as const);
        return [{ type: 'file', path: context.path, linesRange }, ...(cursor ? [cursor] : [])];
      }
      default:
        return context satisfies never;
    }
  });
}

export function resultFrom(result: Results['chat/prompt'], problem: string | undefined): DraftPromptResult {
  const failed = result.status === 'error';
  return {
    chatId: result.chatId,
    status: failed ? 'connection-error' : 'success',
    resultMessage: failed
      ? (problem ?? 'The message could not be sent.')
      : 'The message was sent to the model.',
  };
}
