// The changeset channel: files and what can be done with them.
import { put, removeAt, replaceAt, upsert } from '../../immutable.ts';
import { reducerOf } from '../../reducer.ts';
import type { ActionsOf } from '../../actionTypes.ts';
import type { ActionOf } from '../actions.ts';
import type { ChangesetActions } from '../channelActions.ts';
import type { ErrorInfo } from '../content.ts';
import type { ChangesetState } from '../state.ts';

export const reduceChangeset = reducerOf<ChangesetState, ActionsOf<ChangesetActions>>({
  'changeset/statusChanged': (state, action) => withStatus(state, action),
  'changeset/fileSet': (state, { file }) => ({
    ...state,
    files: upsert(state.files, file, (entry) => entry.id === file.id),
  }),
  'changeset/fileRemoved': (state, action) => {
    const index = state.files.findIndex((file) => file.id === action.fileId);
    return index < 0 ? state : { ...state, files: removeAt(state.files, index) };
  },
  'changeset/filesReviewChanged': review,
  'changeset/contentChanged': (state, { files, operations }) =>
    operations === undefined ? { ...state, files } : { ...state, files, operations },
  'changeset/operationsChanged': (state, action) => put(state, 'operations', action.operations),
  'changeset/operationStatusChanged': (state, action) => {
    const operations = state.operations ?? [];
    const index = operations.findIndex((operation) => operation.id === action.operationId);
    const operation = operations[index];
    if (operation === undefined) return state;
    return { ...state, operations: replaceAt(operations, index, withStatus(operation, action)) };
  },
  'changeset/cleared': (state) => (state.files.length === 0 ? state : { ...state, files: [] }),
});

interface MayFail {
  readonly status: string;
  readonly error?: ErrorInfo;
}

/** An error belongs to the status error and goes with it. */
function withStatus<Owner extends MayFail>(owner: Owner, change: Pick<Owner, 'status'> & MayFail): Owner {
  return put(
    { ...owner, status: change.status },
    'error',
    change.status === 'error' ? change.error : undefined,
  );
}

function review(state: ChangesetState, action: ActionOf<'changeset/filesReviewChanged'>): ChangesetState {
  const ids = new Set(action.files);
  const files = state.files.map((file) => (ids.has(file.id) ? put(file, 'reviewed', action.reviewed) : file));
  return files.every((file, index) => file === state.files[index]) ? state : { ...state, files };
}
