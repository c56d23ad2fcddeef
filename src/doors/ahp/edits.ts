// What the tool calls of turns have done to files, taken together: one edit per file, from its first state to its last.
import type { ToolItem, EndedTurn, State, Chat } from '../../model/state.ts';
import type { FileEdit, FileEditSide } from '../../protocols/ahp/newest/content.ts';
import { present } from '../../protocols/ahp/immutable.ts';
import { fileUri } from './fileUri.ts';
import { lineCounts } from './lineCounts.ts';
import { contentUri } from './content.ts';
import type { ContentPlace } from './content.ts';

export function recordedEdits(state: State, chat: Chat, turns: readonly EndedTurn[] = chat.turns): readonly FileEdit[] {
  const files = new Map<string, Edited>();
  for (const turn of turns) {
    for (const item of turn.items) {
      if (item.type === 'tool') for (const edit of editsOf(item, { session: state.id, chat: chat.id, turn: turn.id, tool: item.id })) put(files, edit);
    }
  }
  return [...files.values()].filter(({ first, last }) => first.before !== last.after).map(fileEdit);
}

interface OneEdit {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly place: Omit<ContentPlace, 'side'>;
}

interface Edited {
  readonly first: OneEdit;
  readonly last: OneEdit;
}

function put(files: Map<string, Edited>, edit: OneEdit): void {
  files.set(edit.path, { first: files.get(edit.path)?.first ?? edit, last: edit });
}

/** Only what a call returned has happened; what it announced may have been refused. */
function editsOf({ result }: ToolItem, place: Omit<ContentPlace, 'from' | 'index' | 'side'>): readonly OneEdit[] {
  if (result?.status !== 'done') return [];
  return result.content.flatMap((content, index) =>
    content.type === 'edit' ? [{ path: content.path, before: content.before, after: content.after, place: { ...place, from: 'result' as const, index } }] : []);
}

function fileEdit({ first, last }: Edited): FileEdit {
  const uri = fileUri(first.path);
  const side = (name: 'before' | 'after', place: OneEdit['place']): FileEditSide => ({ uri, content: { uri: contentUri({ ...place, side: name }), contentType: 'text/plain' } });
  return present({
    before: first.before === null ? undefined : side('before', first.place), after: last.after === null ? undefined : side('after', last.place),
    diff: lineCounts(first.before ?? '', last.after ?? ''),
  });
}
