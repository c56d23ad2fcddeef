// The resource watch channel: changes are news, not state.
import { reducerOf } from '../../reducer.ts';
import type { ActionsOf } from '../../actionTypes.ts';
import type { ResourceWatchActions } from '../channelActions.ts';
import type { ResourceWatchState } from '../state.ts';

export const reduceResourceWatch = reducerOf<ResourceWatchState, ActionsOf<ResourceWatchActions>>({
  'resourceWatch/changed': (state) => state,
});
