// Combines the file edits of tool calls: one edit per file, from its first content to its last.
import type { ChatId, EditRef, SessionId } from './event.ts';
import type { Chat, EndedTurn, State, ToolItem } from './state.ts';

/** The files that turns have changed, with the locations of all their edits. Reverted edits do not count. */
export function editedFiles(state: State, chat: Chat, turns: readonly EndedTurn[]): readonly EditSpan[] {
  const files = new Map<string, EditSpan>();
  const reverted = new Set(state.revertedEdits.map(editKey));
  for (const turn of turns) {
    for (const item of turn.items) {
      if (item.type !== 'tool') continue;
      for (const edit of editsOf(item, { session: state.id, chat: chat.id, turn: turn.id, tool: item.id }))
        if (!reverted.has(editKey(edit.place))) put(files, edit);
    }
  }
  return [...files.values()].filter(({ first, last }) => first.before !== last.after);
}

/** The files of a whole session. A forked chat contains the turns of another chat; they count once. */
export function editedInSession(state: State): readonly EditSpan[] {
  const seen = new Set<string>();
  return state.order.flatMap((id) => {
    const chat = state.chats[id];
    const own = chat?.turns.filter((one) => !seen.has(one.id)) ?? [];
    for (const one of own) seen.add(one.id);
    return chat ? editedFiles(state, chat, own) : [];
  });
}

export interface OneEdit {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly place: EditRecord;
}

/** Which tool result records the edit. */
export interface EditRecord extends EditRef {
  readonly session: SessionId;
  readonly chat: ChatId;
}

export interface EditSpan {
  readonly first: OneEdit;
  readonly last: OneEdit;
  /** Where all its edits are recorded. */
  readonly places: readonly EditRef[];
}

/** A forked chat contains the turns of another chat, so the chat is not part of the key. */
function editKey({ turn, tool, index }: EditRef): string {
  return JSON.stringify([turn, tool, index]);
}

function put(files: Map<string, EditSpan>, edit: OneEdit): void {
  const known = files.get(edit.path);
  files.set(edit.path, {
    first: known?.first ?? edit,
    last: edit,
    places: [...(known?.places ?? []), edit.place],
  });
}

/** Only the result of a call counts; announced edits may have been refused. */
function editsOf({ result }: ToolItem, place: Omit<EditRecord, 'index'>): readonly OneEdit[] {
  if (result?.status !== 'done') return [];
  return result.content.flatMap((content, index) =>
    content.type === 'edit'
      ? [{ path: content.path, before: content.before, after: content.after, place: { ...place, index } }]
      : [],
  );
}
