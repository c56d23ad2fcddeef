// What the tool calls of turns have done to files, taken together: one edit per file, from its first state to its last.
import type { ChatId, SessionId, ToolId, TurnId } from './event.ts';
import type { Chat, EndedTurn, State, ToolItem } from './state.ts';

/** The files that turns have changed, with the places of all their edits. What was taken back does not count. */
export function editedFiles(state: State, chat: Chat, turns: readonly EndedTurn[]): readonly Edited[] {
  const files = new Map<string, Edited>();
  const undone = undoneEdits(state);
  for (const turn of turns) {
    for (const item of turn.items) {
      if (item.type !== 'tool') continue;
      for (const edit of editsOf(item, { session: state.id, chat: chat.id, turn: turn.id, tool: item.id }))
        if (!undone.has(placeKey(edit))) put(files, edit);
    }
  }
  return [...files.values()].filter(({ first, last }) => first.before !== last.after);
}

/** The files of a whole session. A chat that was forked has the turns of another, which count once. */
export function editedInSession(state: State): readonly Edited[] {
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
  readonly place: EditPlace;
}

/** Where the result of a tool call tells of it. */
export interface EditPlace {
  readonly session: SessionId;
  readonly chat: ChatId;
  readonly turn: TurnId;
  readonly tool: ToolId;
  readonly index: number;
}

export interface Edited {
  readonly first: OneEdit;
  readonly last: OneEdit;
  /** Where all its edits are recorded. */
  readonly places: readonly string[];
}

/** Doors that take edits back note it as `undone:` with the places of the edits. */
export function undoneNotes({ notes }: Pick<State, 'notes'>): readonly unknown[] {
  return Object.entries(notes).flatMap(([key, value]) => (/^[^:]+:undone:/.test(key) ? [value] : []));
}

function undoneEdits(state: State): ReadonlySet<string> {
  return new Set(
    undoneNotes(state).flatMap((note) => {
      const edits: unknown =
        typeof note === 'object' && note !== null && 'edits' in note ? note.edits : undefined;
      return Array.isArray(edits) ? edits.filter((place) => typeof place === 'string') : [];
    }),
  );
}

/** A chat that was forked has the turns of another, so the chat is no part of the place. */
function placeKey({ place: { turn, tool, index } }: OneEdit): string {
  return JSON.stringify([turn, tool, index]);
}

function put(files: Map<string, Edited>, edit: OneEdit): void {
  const known = files.get(edit.path);
  files.set(edit.path, {
    first: known?.first ?? edit,
    last: edit,
    places: [...(known?.places ?? []), placeKey(edit)],
  });
}

/** Only what a call returned has happened; what it announced may have been refused. */
function editsOf({ result }: ToolItem, place: Omit<EditPlace, 'index'>): readonly OneEdit[] {
  if (result?.status !== 'done') return [];
  return result.content.flatMap((content, index) =>
    content.type === 'edit'
      ? [{ path: content.path, before: content.before, after: content.after, place: { ...place, index } }]
      : [],
  );
}
