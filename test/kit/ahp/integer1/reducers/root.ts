// The root: agents, terminals and the host's own configuration.
import { put } from '../../../../../src/protocols/ahp/immutable.ts';
import { reducerOf } from '../../../../../src/protocols/ahp/reducer.ts';
import type { ActionsOf } from '../../../../../src/protocols/ahp/actionTypes.ts';
import type { RootActions } from '../../../../../src/protocols/ahp/integer1/sessionActions.ts';
import type { RootState } from '../../../../../src/protocols/ahp/integer1/state.ts';
import { changeConfig } from './config.ts';

export const reduceRoot = reducerOf<RootState, ActionsOf<RootActions>>({
  'root/agentsChanged': (state, action) => put(state, 'agents', action.agents),
  'root/activeSessionsChanged': (state, action) => put(state, 'activeSessions', action.activeSessions),
  'root/terminalsChanged': (state, action) => put(state, 'terminals', action.terminals),
  'root/configChanged': changeConfig,
});
