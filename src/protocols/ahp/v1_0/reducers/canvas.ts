// The canvas channel: every change brings the whole state.
import { reducerOf } from '../../reducer.ts';
import type { ActionsOf } from '../../actionTypes.ts';
import type { CanvasActions } from '../channelActions.ts';
import type { CanvasState } from '../state.ts';

export const reduceCanvas = reducerOf<CanvasState, ActionsOf<CanvasActions>>({
  'canvas/stateChanged': (_state, action) => action.canvas,
});
