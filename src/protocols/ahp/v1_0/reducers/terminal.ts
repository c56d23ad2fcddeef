// The terminal channel.
import { put } from '../../immutable.ts';
import { reducerOf } from '../../reducer.ts';
import { appendOutput, beginCommand, finishCommand } from '../../terminalContent.ts';
import type { ActionsOf } from '../../actionTypes.ts';
import type { TerminalActions } from '../channelActions.ts';
import type { TerminalState } from '../state.ts';

export const reduceTerminal = reducerOf<TerminalState, ActionsOf<TerminalActions>>({
  'terminal/data': (state, action) => ({ ...state, content: appendOutput(state.content, action.data) }),
  // Input goes to the process; what it shows comes back as data.
  'terminal/input': (state) => state,
  'terminal/resized': (state, { cols, rows }) => ({ ...state, cols, rows }),
  'terminal/claimed': (state, action) => put(state, 'claim', action.claim),
  'terminal/titleChanged': (state, action) => put(state, 'title', action.title),
  'terminal/cwdChanged': (state, action) => put(state, 'cwd', action.cwd),
  'terminal/exited': (state, { exitCode }) => ({
    ...state,
    lifecycle: exitCode === undefined ? { status: 'exited' } : { status: 'exited', exitCode },
  }),
  'terminal/cleared': (state) => (state.content.length === 0 ? state : { ...state, content: [] }),
  'terminal/commandDetectionAvailable': (state) => put(state, 'supportsCommandDetection', true),
  'terminal/commandExecuted': (state, action) => ({
    ...state,
    content: beginCommand(state.content, action),
    supportsCommandDetection: true,
  }),
  'terminal/commandFinished': (state, action) => put(state, 'content', finishCommand(state.content, action)),
});
