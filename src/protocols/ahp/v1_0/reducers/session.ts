// The session channel: its life, its catalogue of chats, its clients and what it waits for.
import { put, removeAt, unlessEmpty, upsert } from '../../immutable.ts';
import { reducerOf } from '../../reducer.ts';
import { statusBits, withActivity, withFlag, withoutInputNeeded } from '../../status.ts';
import type { ActionsOf } from '../../actionTypes.ts';
import type { ActionOf } from '../actions.ts';
import type { URI } from '../content.ts';
import type { SessionActions } from '../sessionActions.ts';
import type { SessionInputRequest, SessionState } from '../state.ts';
import { changeConfig } from './config.ts';
import { customizationHandlers } from './customizations.ts';
import { addDirectory, removeDirectory, replaceDirectory } from './directories.ts';

export const reduceSession = reducerOf<SessionState, ActionsOf<SessionActions>>({
  'session/ready': (state) => put(state, 'lifecycle', 'ready'),
  'session/creationFailed': (state, action) => ({
    ...state,
    lifecycle: 'failed',
    creationError: action.error,
  }),
  'session/chatAdded': (state, { summary }) => ({
    ...state,
    chats: upsert(state.chats, summary, (chat) => chat.resource === summary.resource),
  }),
  'session/chatRemoved': removeChat,
  'session/chatUpdated': updateChat,
  'session/chatsReordered': (state, action) => reorderChats(state, action.chats),
  'session/defaultChatChanged': (state, action) => put(state, 'defaultChat', action.defaultChat),
  'session/titleChanged': (state, action) => put(state, 'title', action.title),
  'session/isReadChanged': (state, action) =>
    put(state, 'status', withFlag(state.status, statusBits.isRead, action.isRead)),
  'session/isArchivedChanged': (state, action) =>
    put(state, 'status', withFlag(state.status, statusBits.isArchived, action.isArchived)),
  'session/activityChanged': (state, action) => put(state, 'activity', action.activity),
  'session/changesetsChanged': (state, action) => put(state, 'changesets', action.changesets),
  'session/configChanged': changeConfig,
  'session/metaChanged': (state, { _meta }) => put(state, '_meta', _meta),
  'session/serverToolsChanged': (state, action) => put(state, 'serverTools', action.tools),
  'session/activeClientSet': (state, { activeClient }) => ({
    ...state,
    activeClients: upsert(
      state.activeClients,
      activeClient,
      (client) => client.clientId === activeClient.clientId,
    ),
  }),
  'session/activeClientRemoved': removeClient,
  'session/workingDirectorySet': (state, action) => addDirectory(state, action.directory),
  'session/workingDirectoryRemoved': (state, action) => removeDirectory(state, action.directory),
  'session/workingDirectoryReplaced': (state, action) =>
    replaceDirectory(state, action.directory, action.replacement),
  'session/inputNeededSet': (state, { request }) =>
    withInputNeeded(
      state,
      upsert(state.inputNeeded ?? [], request, (entry) => entry.id === request.id),
    ),
  'session/inputNeededRemoved': removeInputNeeded,
  ...customizationHandlers,
});

function removeChat(state: SessionState, action: ActionOf<'session/chatRemoved'>): SessionState {
  const index = state.chats.findIndex((chat) => chat.resource === action.chat);
  if (index < 0) return state;
  const next: SessionState = { ...state, chats: removeAt(state.chats, index) };
  return state.defaultChat === action.chat ? put(next, 'defaultChat', undefined) : next;
}

/** The resource is the chat's identity: a change that carries another one does not rename it. */
function updateChat(state: SessionState, action: ActionOf<'session/chatUpdated'>): SessionState {
  const { resource: _resource, ...changes } = action.changes;
  if (!state.chats.some((chat) => chat.resource === action.chat)) return state;
  const chats = state.chats.map((chat) => (chat.resource === action.chat ? { ...chat, ...changes } : chat));
  return { ...state, chats };
}

/** Only a list that names every chat exactly once is an order. */
function reorderChats(state: SessionState, order: readonly URI[]): SessionState {
  const byResource = new Map(state.chats.map((chat) => [chat.resource, chat]));
  const chats = [...new Set(order)].flatMap((resource) => byResource.get(resource) ?? []);
  if (order.length !== state.chats.length || chats.length !== state.chats.length) return state;
  return chats.every((chat, index) => chat === state.chats[index]) ? state : { ...state, chats };
}

function removeClient(state: SessionState, action: ActionOf<'session/activeClientRemoved'>): SessionState {
  const index = state.activeClients.findIndex((client) => client.clientId === action.clientId);
  return index < 0 ? state : { ...state, activeClients: removeAt(state.activeClients, index) };
}

function removeInputNeeded(
  state: SessionState,
  action: ActionOf<'session/inputNeededRemoved'>,
): SessionState {
  const requests = state.inputNeeded ?? [];
  const index = requests.findIndex((request) => request.id === action.id);
  return index < 0 ? state : withInputNeeded(state, removeAt(requests, index));
}

function withInputNeeded(state: SessionState, requests: readonly SessionInputRequest[]): SessionState {
  const status = requests.some(waitsForPerson)
    ? withActivity(state.status, statusBits.inputNeeded)
    : withoutInputNeeded(state.status);
  return put({ ...state, status }, 'inputNeeded', unlessEmpty(requests));
}

/**
 * A tool that a client runs has already been confirmed: the session waits for a program, not for a person.
 */
function waitsForPerson(request: SessionInputRequest): boolean {
  return request.kind !== 'toolClientExecution';
}
