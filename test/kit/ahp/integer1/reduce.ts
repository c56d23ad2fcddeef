// The reducers of protocol version 1, by kind of resource. Host and clients fold the same
// actions through them.
import type { Reducer } from '../../../../src/protocols/ahp/reducer.ts';
import { reduceRoot } from './reducers/root.ts';
import { reduceSession } from './reducers/session.ts';
import type { Now } from './reducers/summary.ts';
import { reduceTerminal } from './reducers/terminal.ts';
import type { RootState, SessionState, TerminalState } from '../../../../src/protocols/ahp/integer1/state.ts';

/**
 * Pure, synchronous and total: an action that changes nothing returns the identical state.
 * Sessions are told the time.
 */
export const reducers: {
  readonly root: Reducer<RootState>;
  readonly session: Reducer<SessionState, Now>;
  readonly terminal: Reducer<TerminalState>;
} = {
  root: reduceRoot,
  session: reduceSession,
  terminal: reduceTerminal,
};
