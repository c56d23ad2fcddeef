// The searchable text of an entry: messages, answers and the titles of tool calls.
import type { Entry } from '../../model/event.ts';

/** Pieces of one item belong to one text. */
export interface SearchableText {
  readonly text: string;
  readonly item?: string;
}

export function searchableText({ event }: Entry): SearchableText | undefined {
  if (event.kind === 'text.added' && event.channel === 'answer')
    return { text: event.text, item: event.item };
  if (event.kind === 'turn.started' || event.kind === 'message.steered') return { text: event.message.text };
  if (event.kind === 'tool.ready') return { text: event.title };
  if (event.kind === 'notice.added') return { text: event.text };
  return undefined;
}
