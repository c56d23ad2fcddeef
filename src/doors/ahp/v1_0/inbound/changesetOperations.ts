// Operations of a client on a changeset: mark files as reviewed, and revert them.
import { isResourceProblem } from '../../../../host/workspace/resourceFiles.ts';
import type { ResourceFiles, ResourceProblem } from '../../../../host/workspace/resourceFiles.ts';
import type { Session } from '../../../../host/session/session.ts';
import { unseen } from '../../../../host/workspace/revertEdits.ts';
import { recordReverted } from '../../../../host/workspace/revertedEdits.ts';
import type { ActionOf } from '../../../../protocols/ahp/v1_0/actions.ts';
import type { Requests } from '../../../../protocols/ahp/v1_0/commands.ts';
import type { EditSpan } from '../../../../model/edits.ts';
import { ahpError } from '../../errors.ts';
import { filePath, fileUri } from '../../../../base/fileUri.ts';
import { takeNote } from '../../notes.ts';
import { whenStored } from '../../inbound/newSession.ts';
import { filesOf, placeOf, resourceError } from '../../resources/resources.ts';
import type { V1_0Connection } from '../connection.ts';
import { changesetState, editedIn, readChangeset, undoOperation } from '../outbound/changesets.ts';

type Invocation = Requests['invokeChangesetOperation'];

export async function invokeChangesetOperation(
  client: V1_0Connection,
  { channel, operationId, target }: Invocation['params'],
): Promise<Invocation['result']> {
  const found = await client.find(channel);
  const place = readChangeset(channel);
  if (!found || !place) throw ahpError('notFound', 'There is no such changeset.');
  if (operationId !== undoOperation)
    throw ahpError('invalidParams', 'operationId: there is no such operation');
  if (target?.kind === 'range') throw ahpError('invalidParams', 'target: only whole files can be reverted');
  const { session } = found;
  if (Object.values(session.head.chats).some(({ active }) => active))
    throw ahpError('turnInProgress', 'A turn is running; stop it first.');
  const path = target && filePath(target.resource);
  const wanted = (editedIn(session.state, place.turn) ?? []).filter(
    ({ first }) => !target || first.path === path,
  );
  if (wanted.length === 0) throw ahpError('notFound', 'No such file was changed.');
  const { done: undone, claimed } = await undo(client, wanted);
  const edits = undone.flatMap(({ places }) =>
    places.map(({ turn, tool, index }) => ({ turn, tool, index })),
  );
  if (undone.length > 0)
    session.dispatch({ kind: 'record', fact: { kind: 'edits.reverted', edits } }, client.origin());
  recordReverted(session, { restored: undone.map(({ first }) => first.path) }, client.origin());
  await whenStored(session);
  return messageAbout(wanted, undone, claimed);
}

/** What was not put back, and why; refuses if that is everything. */
function messageAbout(
  wanted: readonly EditSpan[],
  undone: readonly EditSpan[],
  claimed: readonly EditSpan[],
): Invocation['result'] {
  const edited = wanted.length - undone.length - claimed.length;
  const reasons = claimed.map(({ first }) => `${first.path} was left as it is: ${unseen}`);
  if (undone.length === 0) {
    if (edited === 1) reasons.unshift('The file was edited since and was skipped.');
    if (edited > 1) reasons.unshift('The files were edited since and were skipped.');
    throw ahpError('conflict', reasons.join('\n'));
  }
  if (edited > 0) reasons.unshift(`${edited} of ${wanted.length} files were edited since and were skipped.`);
  return reasons.length > 0 ? { message: reasons.join('\n') } : {};
}

/** The reason why files cannot be marked, or undefined. */
export function reviewFiles(
  client: V1_0Connection,
  session: Session,
  {
    channel,
    clientSeq,
    action,
  }: {
    readonly channel: string;
    readonly clientSeq: number;
    readonly action: ActionOf<'changeset/filesReviewChanged'>;
  },
): string | undefined {
  const turn = readChangeset(channel)?.turn;
  const known = new Set(changesetState(session.head, turn)?.files.map(({ id }) => id));
  if (action.files.length === 0 || !action.files.every((id) => known.has(id)))
    return 'There are no such files in this changeset.';
  const notes = action.files.map((file) =>
    takeNote({ note: 'reviewed', of: turn ?? '', file, reviewed: action.reviewed }),
  );
  for (const [at, note] of notes.entries()) {
    const refusedBy = session.dispatch(note, client.origin(at === notes.length - 1 ? clientSeq : undefined));
    if (refusedBy) return refusedBy.message;
  }
  return undefined;
}

/**
 * Puts back the files that still are as the last edit left them. A file whose earlier text only an agent
 * reports is left alone.
 */
async function undo(
  client: V1_0Connection,
  wanted: readonly EditSpan[],
): Promise<{ readonly done: readonly EditSpan[]; readonly claimed: readonly EditSpan[] }> {
  const files = filesOf(client.scope);
  const done: EditSpan[] = [];
  for (const edited of wanted.filter((each) => !each.claimed)) {
    const path = await placeOf(client.scope, { uri: fileUri(edited.first.path), write: true });
    const problem = await putBack(files, path, edited);
    if (!problem) done.push(edited);
    else if (problem.problem !== 'stale') throw resourceError(problem);
  }
  return { done, claimed: wanted.filter((each) => each.claimed) };
}

const limit = 16 * 1024 * 1024;

async function putBack(
  files: ResourceFiles,
  path: string,
  { first, last }: EditSpan,
): Promise<ResourceProblem | undefined> {
  const stale: ResourceProblem = { problem: 'stale', message: 'The file has changed.' };
  const info = await files.info(path);
  const now = await files.read(path, limit);
  if (isResourceProblem(now) && now.problem !== 'not-found') return now;
  // Bytes are compared, because different bytes that are no UTF-8 decode to the same text.
  const isLast = isResourceProblem(now)
    ? last.after === null
    : last.after !== null && Buffer.from(last.after, 'utf8').equals(Buffer.from(now));
  if (!isLast) return stale;
  if (first.before === null) return files.remove(path, 'empty');
  return files.write(path, {
    bytes: Buffer.from(first.before, 'utf8'),
    how: 'replace',
    createOnly: false,
    mark: isResourceProblem(info) ? undefined : info.mark,
  });
}
