// Combines the file edits of tool calls: one edit per file, from its first content to its last.
import { present } from '../base/present.ts';
import type { AmendedEdit, ChatId, Content, EditRef, SessionId } from './event.ts';
import { factsOf } from './lazyTurn.ts';
import type { Chat, EndedTurn, State, ToolItem } from './state.ts';

/** The files that turns have changed, with the locations of all their edits. Reverted edits do not count. */
export function editedFiles(state: State, chat: Chat, turns: readonly EndedTurn[]): readonly EditSpan[] {
  const files = new Map<string, EditSpan>();
  const reverted = new Set(state.revertedEdits.map(editKey));
  for (const edit of recordedEdits(state, chat, turns))
    if (!reverted.has(editKey(edit.place))) put(files, edit);
  return [...files.values()].filter(({ first, last }) => first.before !== last.after);
}

function recordedEdits(state: State, chat: Chat, turns: readonly EndedTurn[]): readonly OneEdit[] {
  const amended = amendments(state.amendedEdits);
  return turns
    .filter((turn) => factsOf(turn).edits)
    .flatMap((turn) =>
      turn.items.flatMap((item) =>
        item.type === 'tool'
          ? editsOf(item, { session: state.id, chat: chat.id, turn: turn.id, tool: item.id }).map((edit) =>
              amend(edit, amended.get(editKey(edit.place))),
            )
          : [],
      ),
    );
}

/** The last amendment of each edit, by the key of the edit, and where it is in the list. */
export function amendments(list: readonly AmendedEdit[]): ReadonlyMap<string, Amendment> {
  return new Map(list.map(({ edit, text }, at) => [editKey(edit), { text, at }]));
}

export interface Amendment {
  readonly text: string;
  readonly at: number;
}

function amend(edit: OneEdit, amended: Amendment | undefined): OneEdit {
  return amended ? { ...edit, after: amended.text, amended: amended.at, original: edit.after } : edit;
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
  /** The permission bits before, if the edit changed them. */
  readonly mode?: number;
  /** Set if only an external agent reports the edit: the host did not see the file before it. */
  readonly claimed?: true;
  /** Set if the call was not one of our own tools. */
  readonly external?: true;
  /** Set if the user or another program may have made it. */
  readonly unattributed?: true;
  /** Set if a user took back some of its lines: where that is recorded, and what the edit had left. */
  readonly amended?: number;
  readonly original?: string | null;
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
  /** Set if one of its edits is only the claim of an agent. */
  readonly claimed?: true;
  /** Set if one of its edits was not made by one of our own tools. */
  readonly external?: true;
  /** Set if the user or another program may have made one of its edits. */
  readonly unattributed?: true;
  /** Its last edits between which nobody else changed the file; absent if somebody else made the last one. */
  readonly run?: EditRun;
}

export interface EditRun {
  readonly first: OneEdit;
  /** Where the edits are recorded. */
  readonly places: readonly EditRef[];
}

/** A forked chat contains the turns of another chat, so the chat is not part of the key. */
export function editKey({ turn, tool, index }: EditRef): string {
  return JSON.stringify([turn, tool, index]);
}

function put(files: Map<string, EditSpan>, edit: OneEdit): void {
  const known = files.get(edit.path);
  files.set(edit.path, {
    first: known?.first ?? edit,
    last: edit,
    ...(known?.claimed || edit.claimed ? { claimed: true } : {}),
    ...(known?.external || edit.external ? { external: true } : {}),
    ...(known?.unattributed || edit.unattributed ? { unattributed: true } : {}),
    ...present({ run: runWith(edit, known) }),
  });
}

function runWith(edit: OneEdit, known: EditSpan | undefined): EditRun | undefined {
  if (edit.unattributed) return undefined;
  const earlier = known?.last.after === edit.before ? known.run : undefined;
  return { first: earlier?.first ?? edit, places: [...(earlier?.places ?? []), edit.place] };
}

/**
 * Only the result of a call counts; announced edits may have been refused. Of a failed call only what the
 * host saw counts.
 */
function editsOf(tool: ToolItem, place: Omit<EditRecord, 'index'>): readonly OneEdit[] {
  const { result } = tool;
  if (result?.status !== 'done' && result?.status !== 'failed') return [];
  return result.content.flatMap((content, index) => {
    if (content.type !== 'edit') return [];
    const { path, before, after, observed, unattributed, mode } = content;
    if (result.status === 'failed' && !observed) return [];
    const claimed = isClaim(tool, content) ? (true as const) : undefined;
    const external = tool.source === 'native' ? undefined : (true as const);
    const marks = present({ mode, claimed, external, unattributed });
    return [{ path, before, after, ...marks, place: { ...place, index } }];
  });
}

/** What people read about a file that has changed and cannot be restored. */
export function untrackedText({ path, why }: Extract<Content, { readonly type: 'untracked' }>): string {
  return `${path} has changed. An undo leaves it as it is: ${why}`;
}

/** Whether nobody but an external agent knows the edit; its earlier text must not be written to a file. */
export function isClaim(
  { source }: Pick<ToolItem, 'source'>,
  { observed }: Extract<Content, { readonly type: 'edit' }>,
): boolean {
  return source !== 'native' && observed !== true;
}
