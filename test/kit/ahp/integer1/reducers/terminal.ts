// Terminals.
import { put } from '../../../../../src/protocols/ahp/immutable.ts';
import { reducerOf } from '../../../../../src/protocols/ahp/reducer.ts';
import {
  appendOutput,
  beginCommand,
  finishCommand,
} from '../../../../../src/protocols/ahp/terminalContent.ts';
import type { ActionsOf } from '../../../../../src/protocols/ahp/actionTypes.ts';
import type { TerminalActions } from '../../../../../src/protocols/ahp/integer1/channelActions.ts';
import type { TerminalState } from '../../../../../src/protocols/ahp/integer1/state.ts';

export const reduceTerminal = reducerOf<TerminalState, ActionsOf<TerminalActions>>({
  'terminal/data': (state, action) => ({ ...state, content: appendOutput(state.content, action.data) }),
  // Input goes to the process; what it shows comes back as data.
  'terminal/input': (state) => state,
  'terminal/resized': (state, { cols, rows }) => ({ ...state, cols, rows }),
  'terminal/claimed': (state, action) => put(state, 'claim', action.claim),
  'terminal/titleChanged': (state, action) => put(state, 'title', action.title),
  'terminal/cwdChanged': (state, action) => put(state, 'cwd', action.cwd),
  'terminal/exited': (state, action) => put(state, 'exitCode', action.exitCode),
  'terminal/cleared': (state) => (state.content.length === 0 ? state : { ...state, content: [] }),
  'terminal/commandDetectionAvailable': (state) => put(state, 'supportsCommandDetection', true),
  'terminal/commandExecuted': (state, action) => ({
    ...state,
    content: beginCommand(state.content, action),
    supportsCommandDetection: true,
  }),
  'terminal/commandFinished': (state, action) => put(state, 'content', finishCommand(state.content, action)),
});
