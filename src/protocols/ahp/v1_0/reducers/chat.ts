// The chat channel: its handlers, collected from the files beside this one, and the plain fields of a chat.
import { put, removeAt, upsert } from '../../immutable.ts';
import { reducerOf } from '../../reducer.ts';
import { statusBits, withFlag } from '../../status.ts';
import type { ActionsOf } from '../../actionTypes.ts';
import type { ActionOf } from '../actions.ts';
import type { ChatActions } from '../chatActions.ts';
import type { ChatState } from '../state.ts';
import { addDirectory, removeDirectory } from './directories.ts';
import { inputRequestHandlers } from './inputRequests.ts';
import { pendingMessageHandlers } from './pendingMessages.ts';
import { toolCallHandlers } from './toolCalls.ts';
import { turnHandlers } from './turns.ts';

export const reduceChat = reducerOf<ChatState, ActionsOf<ChatActions>>({
  ...turnHandlers,
  ...toolCallHandlers,
  ...inputRequestHandlers,
  ...pendingMessageHandlers,
  'chat/activityChanged': (state, action) => put(state, 'activity', action.activity),
  'chat/workingDirectorySet': (state, action) => addDirectory(state, action.directory),
  'chat/workingDirectoryRemoved': (state, action) => removeDirectory(state, action.directory),
  'chat/isReadChanged': (state, action) =>
    put(state, 'status', withFlag(state.status, statusBits.isRead, action.isRead)),
  'chat/isArchivedChanged': (state, action) =>
    put(state, 'status', withFlag(state.status, statusBits.isArchived, action.isArchived)),
  'chat/backgroundWorkSet': (state, { work }) => ({
    ...state,
    backgroundWork: upsert(state.backgroundWork ?? [], work, (entry) => entry.id === work.id),
  }),
  'chat/backgroundWorkRemoved': removeBackgroundWork,
  'chat/movableChanged': (state, action) => put(state, 'movable', action.movable),
  'chat/changesetsChanged': (state, action) => put(state, 'changesets', action.changesets),
  'chat/canvasesChanged': (state, action) => put(state, 'canvases', action.canvases),
});

/**
 * An empty list stays: it says that no work is running, while an absent one says that the host does not tell.
 */
function removeBackgroundWork(state: ChatState, action: ActionOf<'chat/backgroundWorkRemoved'>): ChatState {
  const work = state.backgroundWork ?? [];
  const index = work.findIndex((entry) => entry.id === action.id);
  return index < 0 ? state : { ...state, backgroundWork: removeAt(work, index) };
}
