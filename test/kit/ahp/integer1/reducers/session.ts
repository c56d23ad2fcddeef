// Sessions: the handlers, collected from the files beside this one, and the plain fields. Time
// comes as an argument.
import { put, replaceAt } from '../../../../../src/protocols/ahp/immutable.ts';
import { reducerOf } from '../../../../../src/protocols/ahp/reducer.ts';
import { statusBits, withFlag } from '../../../../../src/protocols/ahp/status.ts';
import type { ActionsOf } from '../../../../../src/protocols/ahp/actionTypes.ts';
import type { ActionOf } from '../../../../../src/protocols/ahp/integer1/actions.ts';
import type { SessionActions } from '../../../../../src/protocols/ahp/integer1/sessionActions.ts';
import type { SessionState } from '../../../../../src/protocols/ahp/integer1/state.ts';
import { changeConfig } from './config.ts';
import { inputRequestHandlers } from './inputRequests.ts';
import { pendingMessageHandlers } from './pendingMessages.ts';
import { modified, withStatus, withSummary } from './summary.ts';
import type { Now } from './summary.ts';
import { toolCallHandlers } from './toolCalls.ts';
import { turnHandlers } from './turns.ts';

export const reduceSession = reducerOf<SessionState, ActionsOf<SessionActions>, Now>({
  ...turnHandlers,
  ...toolCallHandlers,
  ...inputRequestHandlers,
  ...pendingMessageHandlers,
  'session/ready': (state) => withStatus({ ...state, lifecycle: 'ready' }, statusBits.idle),
  'session/creationFailed': (state, action) => ({
    ...state,
    lifecycle: 'creationFailed',
    creationError: action.error,
  }),
  'session/titleChanged': (state, action, now) => modified(withSummary(state, 'title', action.title), now),
  'session/modelChanged': (state, action, now) => modified(withSummary(state, 'model', action.model), now),
  'session/isReadChanged': (state, action) =>
    withStatus(state, withFlag(state.summary.status, statusBits.isRead, action.isRead)),
  'session/isArchivedChanged': (state, action) =>
    withStatus(state, withFlag(state.summary.status, statusBits.isArchived, action.isArchived)),
  'session/activityChanged': (state, action) => withSummary(state, 'activity', action.activity),
  'session/diffsChanged': (state, action) => withSummary(state, 'diffs', action.diffs),
  'session/configChanged': (state, action, now) => {
    const changed = changeConfig(state, action);
    return changed === state ? state : modified(changed, now);
  },
  'session/metaChanged': (state, { _meta }) => put(state, '_meta', _meta),
  'session/serverToolsChanged': (state, action) => put(state, 'serverTools', action.tools),
  'session/activeClientChanged': (state, action) =>
    put(state, 'activeClient', action.activeClient ?? undefined),
  'session/activeClientToolsChanged': (state, action) =>
    state.activeClient === undefined
      ? state
      : { ...state, activeClient: { ...state.activeClient, tools: action.tools } },
  'session/customizationsChanged': (state, action) => put(state, 'customizations', action.customizations),
  'session/customizationToggled': toggle,
});

function toggle(state: SessionState, action: ActionOf<'session/customizationToggled'>): SessionState {
  const list = state.customizations ?? [];
  const index = list.findIndex((entry) => entry.customization.uri === action.uri);
  const entry = list[index];
  if (entry === undefined || entry.enabled === action.enabled) return state;
  return { ...state, customizations: replaceAt(list, index, { ...entry, enabled: action.enabled }) };
}
