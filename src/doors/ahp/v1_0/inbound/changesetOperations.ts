// Operations of a client on a changeset: mark files as reviewed, undo and redo them or some of their lines.
import type { Session } from '../../../../host/session/session.ts';
import { redoLines, undoLines } from '../../../../host/workspace/partialUndo.ts';
import type { PartialChange } from '../../../../host/workspace/partialUndo.ts';
import {
  changedPath,
  changedSince,
  openChanges,
  problemsOf,
  unattributedReason,
  undoneChanges,
  withUnattributed,
} from '../../../../host/workspace/revertEdits.ts';
import type { FileChange, RevertResult } from '../../../../host/workspace/revertEdits.ts';
import { recordRedone, recordReverted } from '../../../../host/workspace/revertedEdits.ts';
import type { ActionOf } from '../../../../protocols/ahp/v1_0/actions.ts';
import type { Requests } from '../../../../protocols/ahp/v1_0/commands.ts';
import { ahpError } from '../../errors.ts';
import { filePath, fileUri } from '../../../../base/fileUri.ts';
import { takeNote } from '../../notes.ts';
import { whenStored } from '../../inbound/newSession.ts';
import { realPathInside } from '../../resources/resources.ts';
import type { V1_0Connection } from '../connection.ts';
import {
  changesetState,
  editedIn,
  filesVersion,
  operationIds,
  readChangeset,
} from '../outbound/changesets.ts';

type Invocation = Requests['invokeChangesetOperation'];
type Target = NonNullable<Invocation['params']['target']>;

export async function invokeChangesetOperation(
  client: V1_0Connection,
  { channel, operationId, target }: Invocation['params'],
): Promise<Invocation['result']> {
  const found = await client.find(channel);
  const place = readChangeset(channel);
  if (!found || !place) throw ahpError('notFound', 'There is no such changeset.');
  const { session } = found;
  if (Object.values(session.head.chats).some(({ active }) => active))
    throw ahpError('turnInProgress', 'A turn is running; stop it first.');
  if (isAboutLines(operationId))
    return applyPart(client, session, planOf(session, { turn: place.turn, operationId, target }));
  if (target?.kind === 'range') throw ahpError('invalidParams', 'target: only whole files can be reverted');
  const isUndo = undoIds.has(operationId);
  const wanted = wholeChanges(session, { turn: place.turn, operationId, target });
  if (wanted.length === 0)
    throw ahpError('notFound', isUndo ? 'No such file was changed.' : 'No such change was undone.');
  const paths = [...new Set(wanted.map(changedPath))];
  for (const each of paths) await realPathInside(client.scope, { uri: fileUri(each), write: true });
  const by = client.origin();
  const result = isUndo ? await revert(client, session, wanted) : await client.host.redo(session, wanted, by);
  await whenStored(session);
  return messageAbout(result, paths.length);
}

/** The operations that take back whole files. */
const undoIds: ReadonlySet<string> = new Set([operationIds.undo, operationIds.undoAll]);

/** What to undo or redo: the changes of all files, or of the one that the target or the operation names. */
function wholeChanges(
  { state }: Session,
  { turn, operationId, target }: FileOperation,
): readonly FileChange[] {
  const named = pathIn(operationId);
  const isUndo = undoIds.has(operationId);
  if (!isUndo && operationId !== operationIds.redo && named === undefined)
    throw ahpError('invalidParams', 'operationId: there is no such operation');
  const open = isUndo ? openChanges(state, turn) : undoneChanges(state, turn);
  const all = operationId === operationIds.undoAll ? withUnattributed(open) : open;
  if (named === undefined && target === undefined) return all;
  const path = named ?? (target && filePath(target.resource));
  return all.filter((change) => changedPath(change) === path);
}

/** The file that the operation itself names. */
function pathIn(operationId: string): string | undefined {
  const { redoFile } = operationIds;
  return operationId.startsWith(redoFile) ? operationId.slice(redoFile.length) : undefined;
}

interface FileOperation {
  readonly turn: string | undefined;
  readonly operationId: string;
  readonly target: Target | undefined;
}

function isAboutLines(operationId: string): boolean {
  return operationId.startsWith(operationIds.undoLines) || operationId.startsWith(operationIds.redoLines);
}

function planOf(session: Session, { turn, operationId, target }: FileOperation): PartialChange {
  if (target?.kind !== 'range') throw ahpError('invalidParams', 'target: a range of lines is needed');
  const isUndo = operationId.startsWith(operationIds.undoLines);
  const { files = [] } = changesetState(session.state, turn) ?? {};
  const seen = operationId.slice((isUndo ? operationIds.undoLines : operationIds.redoLines).length);
  if (seen !== filesVersion(files))
    throw ahpError('conflict', 'The changes are not those that you saw; look at them again.');
  const { start, end } = target.range;
  // A range that ends within a line includes it.
  const lines = { from: start.line, to: end.line + (end.character > 0 ? 1 : 0) };
  const path = filePath(target.resource);
  const span = (editedIn(session.state, turn) ?? []).findLast(({ first }) => first.path === path);
  const plan = span && (isUndo ? undoLines(span, lines) : redoLines(span, lines));
  if (!plan) throw ahpError('notFound', `Nothing was ${isUndo ? 'changed' : 'undone'} in these lines.`);
  if (plan === 'unattributed') throw ahpError('conflict', `${path} was left as it is: ${unattributedReason}`);
  return plan;
}

async function applyPart(
  client: V1_0Connection,
  session: Session,
  { change, fact, redone }: PartialChange,
): Promise<Invocation['result']> {
  await realPathInside(client.scope, { uri: fileUri(changedPath(change)), write: true });
  const result = await client.host.revertChanges([change], session);
  const message = messageAbout(result, 1);
  if (result.restored.length === 0) return message;
  session.dispatch({ kind: 'record', fact }, client.origin());
  const record = redone ? recordRedone : recordReverted;
  record(session, result, client.origin());
  await whenStored(session);
  return message;
}

async function revert(
  client: V1_0Connection,
  session: Session,
  changes: readonly FileChange[],
): Promise<RevertResult> {
  const result = await client.host.revertChanges(changes, session);
  recordReverted(session, { ...result, left: [] }, client.origin());
  return result;
}

/** What was not put back, and why; refuses if that is everything. */
function messageAbout({ restored, left, ...rest }: RevertResult, count: number): Invocation['result'] {
  const edited = left.filter(({ path, why }) => why === changedSince(path)).length;
  const named = left.filter(({ path, why }) => why !== changedSince(path));
  const reasons = [...problemsOf({ ...rest, left: named })];
  if (restored.length === 0 && left.length > 0) {
    if (edited === 1) reasons.unshift('The file was edited since and was skipped.');
    if (edited > 1) reasons.unshift('The files were edited since and were skipped.');
    throw ahpError('conflict', reasons.join('\n'));
  }
  if (edited > 0) reasons.unshift(`${edited} of ${count} files were edited since and were skipped.`);
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
