// What the turns of a session have changed in files, as channels: all of it, and each turn by itself. Derived from the recorded edits.
import type { Step } from '../../../host/session.ts';
import type { State } from '../../../model/state.ts';
import { diff } from '../../../protocols/ahp/difference.ts';
import type { StateAction } from '../../../protocols/ahp/newest/actions.ts';
import type { Changeset, ChangesetFile, ChangesetState } from '../../../protocols/ahp/newest/state.ts';
import { recordedEdits } from '../edits.ts';

const scheme = 'ahp-changeset';

export function changesets({ id }: State): readonly Changeset[] {
  const base = `${scheme}:/${encodeURIComponent(id)}`;
  return [
    { label: 'Changes of this session', uriTemplate: base, changeKind: 'session' },
    { label: 'Changes of one turn', uriTemplate: `${base}/{turnId}`, changeKind: 'turn' },
  ];
}

/** The session of a changeset, and the turn where it is about one. */
export function readChangeset(uri: string): { readonly session: string; readonly turn?: string } | undefined {
  const [, session, turn] = /^ahp-changeset:\/([^/]+)(?:\/([^/]+))?$/.exec(uri) ?? [];
  try {
    if (session === undefined) return undefined;
    return { session: decodeURIComponent(session), ...(turn === undefined ? {} : { turn: decodeURIComponent(turn) }) };
  } catch {
    return undefined;
  }
}

/** Nothing where the session has no such turn that has ended. */
export function changesetState(state: State, turn?: string): ChangesetState | undefined {
  if (turn === undefined) return { status: 'ready', files: filesOf(state) };
  const chat = Object.values(state.chats).find(({ turns }) => turns.some(({ id }) => id === turn));
  const ended = chat?.turns.filter(({ id }) => id === turn);
  return chat && ended && { status: 'ready', files: recordedEdits(state, chat, ended).map(fileOf) };
}

/** What an entry that ends or takes back turns changes in the files of its session. */
export function changesetChange({ before, after }: Step): readonly StateAction[] {
  const files = filesOf(after);
  return diff(filesOf(before), files).length > 0 ? [{ type: 'changeset/contentChanged', files }] : [];
}

/** A chat that was forked has the turns of another, which count once. */
function filesOf(state: State): readonly ChangesetFile[] {
  const seen = new Set<string>();
  return state.order.flatMap((id) => {
    const chat = state.chats[id];
    if (!chat) return [];
    const own = chat.turns.filter((turn) => !seen.has(turn.id));
    for (const turn of own) seen.add(turn.id);
    return recordedEdits(state, chat, own).map(fileOf);
  });
}

function fileOf(edit: ChangesetFile['edit']): ChangesetFile {
  return { id: `${edit.before?.content.uri ?? ''} ${edit.after?.content.uri ?? ''}`, edit };
}
