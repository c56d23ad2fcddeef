// The root channel: agents, terminals and the host's own configuration.
import { put } from '../../immutable.ts';
import { reducerOf } from '../../reducer.ts';
import type { ActionsOf } from '../../actionTypes.ts';
import type { RootActions } from '../sessionActions.ts';
import type { RootState } from '../state.ts';
import { changeConfig } from './config.ts';

export const reduceRoot = reducerOf<RootState, ActionsOf<RootActions>>({
  'root/agentsChanged': (state, action) => put(state, 'agents', action.agents),
  'root/activeSessionsChanged': (state, action) => put(state, 'activeSessions', action.activeSessions),
  'root/terminalsChanged': (state, action) => put(state, 'terminals', action.terminals),
  'root/configChanged': changeConfig,
});
