// The automation catalogue and the channel of one run. Requests change nothing here: the host
// answers them with facts.
import { put, removeAt, upsert } from '../../immutable.ts';
import { reducerOf } from '../../reducer.ts';
import type { ActionsOf } from '../../actionTypes.ts';
import type { AutomationRunState, AutomationState } from '../automation.ts';
import type { AutomationActions, AutomationRunActions } from '../channelActions.ts';
import type { URI } from '../content.ts';

export const reduceAutomation = reducerOf<AutomationState, ActionsOf<AutomationActions>>({
  'automation/createRequested': (state) => state,
  'automation/updateRequested': (state) => state,
  'automation/set': (state, { automation }) => ({
    ...state,
    entries: upsert(state.entries, automation, (entry) => entry.resource === automation.resource),
  }),
  'automation/removed': (state, action) => {
    const index = state.entries.findIndex((entry) => entry.resource === action.resource);
    return index < 0 ? state : { ...state, entries: removeAt(state.entries, index) };
  },
});

export const reduceAutomationRun = reducerOf<AutomationRunState, ActionsOf<AutomationRunActions>>({
  'automationRun/lifecycleChanged': (state, action) => put(state, 'lifecycle', action.lifecycle),
  'automationRun/sessionSet': (state, { session }) =>
    state.sessions.includes(session) ? state : { ...state, sessions: [...state.sessions, session] },
  'automationRun/sessionRemoved': (state, action) => removeSession(state, action.session),
  'automationRun/primarySessionChanged': (state, action) =>
    put(state, 'primarySession', action.primarySession),
  'automationRun/cancelRequested': (state) => state,
});

function removeSession(state: AutomationRunState, session: URI): AutomationRunState {
  const index = state.sessions.indexOf(session);
  if (index < 0) return state;
  const next: AutomationRunState = { ...state, sessions: removeAt(state.sessions, index) };
  return state.primarySession === session ? put(next, 'primarySession', undefined) : next;
}
