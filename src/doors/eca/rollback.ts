// What tools have changed in files since a message, and how it is taken back: newest first, and only where nobody else has changed the file since.
import type { Content, TurnId } from '../../model/event.ts';
import type { Chat } from '../../model/state.ts';
import type { Connection } from './connection.ts';

type Edit = Extract<Content, { readonly type: 'edit' }>;

/** The edits that were made after a turn, the newest first. */
export function editsSince({ turns, active }: Chat, after: TurnId | undefined): readonly Edit[] {
  const all = active ? [...turns, active] : turns;
  const gone = all.slice(after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1);
  const results = gone.flatMap(({ items }) => items.flatMap((item) => (item.type === 'tool' && item.result?.status === 'done' ? [item.result] : [])));
  return results.flatMap(({ content }) => content.filter((part) => part.type === 'edit')).toReversed();
}

/** What could not be taken back is told; the rest is seen in the editor. */
export async function takeBack(connection: Connection, edits: readonly Edit[]): Promise<void> {
  const problems: string[] = [];
  for (const { path, before, after } of edits) {
    const refused = await (connection.options.files?.restore(path, { now: after, earlier: before }) ?? { refused: `${path} was left as it is: this host cannot write files.` });
    if (refused) problems.push(refused.refused);
  }
  if (problems.length > 0) connection.tell('$/showMessage', { type: 'warning', message: problems.join('\n') });
}
