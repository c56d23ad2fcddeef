// The file changes of a session as channels: one for all changes, one for each turn. Derived from the
// recorded edits.
import type { Step } from '../../../../host/session/session.ts';
import { editedFiles, editedInSession } from '../../../../model/edits.ts';
import type { EditSpan } from '../../../../model/edits.ts';
import type { State } from '../../../../model/state.ts';
import { changedPath, undoneChanges } from '../../../../host/workspace/revertEdits.ts';
import { diff } from '../../../../protocols/ahp/difference.ts';
import { present } from '../../../../base/present.ts';
import type { StateAction } from '../../../../protocols/ahp/v1_0/actions.ts';
import type {
  Changeset,
  ChangesetFile,
  ChangesetOperation,
  ChangesetState,
} from '../../../../protocols/ahp/v1_0/state.ts';
import { namelessUri } from '../../outbound/content.ts';
import { originalContent, toFileEdit } from '../../outbound/edits.ts';
import { readChannel } from '../../channels/channels.ts';
import { isReviewed } from '../../notes.ts';

const scheme = 'ahp-changeset';

export function changesets({ id }: State): readonly Changeset[] {
  const base = `${scheme}:/${encodeURIComponent(id)}`;
  const capabilities = { review: {} };
  return [
    { label: 'Changes', uriTemplate: base, changeKind: 'session', capabilities },
    { label: 'Changes in one turn', uriTemplate: `${base}/{turnId}`, changeKind: 'turn', capabilities },
  ];
}

interface ChangesetPlace {
  readonly session: string;
  readonly turn?: string;
}

/** The session of a changeset, and the turn where it is about one. */
export function readChangeset(uri: string): ChangesetPlace | undefined {
  const [, session, turn] = /^ahp-changeset:\/([^/]+)(?:\/([^/]+))?$/.exec(uri) ?? [];
  if (session === undefined) return readVsCodeChangeset(uri);
  try {
    return {
      session: decodeURIComponent(session),
      ...(turn === undefined ? {} : { turn: decodeURIComponent(turn) }),
    };
  } catch {
    return undefined;
  }
}

/** VS Code derives these names from the session instead of using the announced ones. */
function readVsCodeChangeset(uri: string): ChangesetPlace | undefined {
  const [, base, turn] = /^(.+)\/changeset\/(?:branch|session|turn\/([^/]+))$/.exec(uri) ?? [];
  const channel = base === undefined ? undefined : readChannel(base);
  if (channel?.kind !== 'session') return undefined;
  return present({ session: channel.session, turn });
}

/** Undefined if the session has no such completed turn. */
export function changesetState(state: State, turn?: string): ChangesetState | undefined {
  const edited = editedIn(state, turn);
  return edited && { status: 'ready', ...contentOf(state, edited, turn) };
}

/** What an entry changes in the files of its session. */
export function changesetChange({ before, after }: Step): readonly StateAction[] {
  const [old, now] = [contentOf(before, editedIn(before) ?? []), contentOf(after, editedIn(after) ?? [])];
  return diff(old, now).length > 0 ? [{ type: 'changeset/contentChanged', ...now }] : [];
}

/** The files of a session, or of one of its turns, with their texts. */
export function editedIn(state: State, turn?: string): readonly EditSpan[] | undefined {
  if (turn === undefined) return editedInSession(state);
  const chat = Object.values(state.chats).find(({ turns }) => turns.some(({ id }) => id === turn));
  return (
    chat &&
    editedFiles(
      state,
      chat,
      chat.turns.filter(({ id }) => id === turn),
    )
  );
}

/**
 * Behind the operations on lines stands the version of the files: the numbers of lines mean nothing in
 * another one. Behind the last one stands the path of a file.
 */
export const operationIds = {
  undo: 'undo',
  undoAll: 'undoAll',
  redo: 'redo',
  undoLines: 'undoLines:',
  redoLines: 'redoLines:',
  redoFile: 'redo:',
} as const;

/** The version of the files of a changeset. */
export function filesVersion(files: readonly Pick<ChangesetFile, 'id'>[]): string {
  let hash = 0x81_1c_9d_c5;
  for (const { id } of files)
    for (const unit of `${id}\n`) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01_00_01_93);
  return (hash >>> 0).toString(36);
}

function contentOf(
  state: State,
  edited: readonly EditSpan[],
  turn = '',
): Pick<ChangesetState, 'files' | 'operations'> {
  const files = edited.map((one): ChangesetFile => {
    const edit = toFileEdit(one);
    const id = [edit.before, edit.after].map((side) => namelessUri(side?.content.uri ?? '')).join(' ');
    const undone = isAmended(one) ? { undone: originalContent(one.last) } : undefined;
    return present({ id, edit, reviewed: isReviewed(state, turn, id), _meta: undone });
  });
  const version = filesVersion(files);
  const redoable = new Set(undoneChanges(state, turn === '' ? undefined : turn).map(changedPath));
  return {
    files,
    operations: [
      undo,
      ...(edited.some(({ unattributed }) => unattributed) ? [undoAll] : []),
      ...(redoable.size > 0 ? [redo] : []),
      { ...undoLines, id: `${undoLines.id}${version}` },
      ...(edited.some(isAmended) ? [{ ...redoLines, id: `${redoLines.id}${version}` }] : []),
      ...[...redoable].slice(-mostNamed).map(redoFile),
    ],
  };
}

function isAmended({ last }: EditSpan): boolean {
  return last.original !== undefined && last.original !== last.after;
}

/** More buttons than these help nobody. */
const mostNamed = 20;

function redoFile(path: string): ChangesetOperation {
  return {
    id: `${operationIds.redoFile}${path}`,
    label: `Redo ${path.slice(path.lastIndexOf('/') + 1)}`,
    description: `Brings back the changes that were undone in ${path}.`,
    scopes: ['changeset'],
    status: 'idle',
  };
}

const undoLines: ChangesetOperation = {
  id: operationIds.undoLines,
  label: 'Undo',
  description: 'Restores the earlier content of these lines.',
  scopes: ['range'],
  status: 'idle',
};

const redoLines: ChangesetOperation = {
  id: operationIds.redoLines,
  label: 'Redo',
  description: 'Brings back what was undone in these lines.',
  scopes: ['range'],
  status: 'idle',
};

const undo: ChangesetOperation = {
  id: operationIds.undo,
  label: 'Undo',
  description: 'Restores the earlier content of the files.',
  scopes: ['changeset', 'resource'],
  status: 'idle',
  confirmation: 'Undo these changes? Files edited since are skipped.',
};

/** Offered while there are changes that may be the user's own, which `undo` leaves as they are. */
const undoAll: ChangesetOperation = {
  id: operationIds.undoAll,
  label: 'Undo all',
  description:
    'Restores the earlier content of the files, also where no report of the agent explains the change.',
  scopes: ['changeset', 'resource'],
  status: 'idle',
  confirmation: 'Undo also changes that no report of the agent explains? They may be your own.',
};

/** Offered while something can be redone. It also takes a file as target, which need not be in the list. */
const redo: ChangesetOperation = {
  id: operationIds.redo,
  label: 'Redo',
  description: 'Brings back the changes that were undone.',
  scopes: ['changeset'],
  status: 'idle',
  confirmation: 'Redo these changes? Files edited since are skipped.',
};
