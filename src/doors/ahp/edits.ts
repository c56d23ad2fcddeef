// What the tool calls of turns have done to files, taken together: one edit per file, from its first state to its last.
import type { ToolItem, EndedTurn, State, Chat } from '../../model/state.ts';
import type { FileEdit, FileEditSide } from '../../protocols/ahp/newest/content.ts';
import { present } from '../../protocols/ahp/immutable.ts';
import { fileUri } from './fileUri.ts';
import { lineCounts } from './lineCounts.ts';
import { undoneEdits } from './notes.ts';
import { contentUri } from './content.ts';
import type { ContentPlace } from './content.ts';

export function recordedEdits(state: State, chat: Chat, turns: readonly EndedTurn[] = chat.turns): readonly FileEdit[] {
  return editedFiles(state, chat, turns).map(fileEdit);
}

/** The same with the texts, and the places of all edits of a file. What was taken back does not count. */
export function editedFiles(state: State, chat: Chat, turns: readonly EndedTurn[]): readonly Edited[] {
  const files = new Map<string, Edited>();
  const undone = undoneEdits(state);
  for (const turn of turns) {
    for (const item of turn.items) {
      if (item.type !== 'tool') continue;
      for (const edit of editsOf(item, { session: state.id, chat: chat.id, turn: turn.id, tool: item.id })) if (!undone.has(placeKey(edit))) put(files, edit);
    }
  }
  return [...files.values()].filter(({ first, last }) => first.before !== last.after);
}

export interface OneEdit {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly place: Omit<ContentPlace, 'side'>;
}

export interface Edited {
  readonly first: OneEdit;
  readonly last: OneEdit;
  /** Where all its edits are recorded. */
  readonly places: readonly string[];
}

/** A chat that was forked has the turns of another, so the chat is no part of the place. */
function placeKey({ place: { turn, tool, index } }: OneEdit): string {
  return JSON.stringify([turn, tool, index]);
}

function put(files: Map<string, Edited>, edit: OneEdit): void {
  const known = files.get(edit.path);
  files.set(edit.path, { first: known?.first ?? edit, last: edit, places: [...(known?.places ?? []), placeKey(edit)] });
}

/** Only what a call returned has happened; what it announced may have been refused. */
function editsOf({ result }: ToolItem, place: Omit<ContentPlace, 'from' | 'index' | 'side'>): readonly OneEdit[] {
  if (result?.status !== 'done') return [];
  return result.content.flatMap((content, index) =>
    content.type === 'edit' ? [{ path: content.path, before: content.before, after: content.after, place: { ...place, from: 'result' as const, index } }] : []);
}

export function fileEdit({ first, last }: Pick<Edited, 'first' | 'last'>): FileEdit {
  const uri = fileUri(first.path);
  const side = (name: 'before' | 'after', place: OneEdit['place']): FileEditSide => ({ uri, content: { uri: contentUri({ ...place, side: name }), contentType: 'text/plain' } });
  return present({
    before: first.before === null ? undefined : side('before', first.place), after: last.after === null ? undefined : side('after', last.place),
    diff: lineCounts(first.before ?? '', last.after ?? ''),
  });
}
