// The reducers of AHP 1.0, by kind of channel. Host and clients fold the same actions through them.
import type { Reducer } from '../reducer.ts';
import { reduceAnnotations } from './reducers/annotations.ts';
import { reduceAutomation, reduceAutomationRun } from './reducers/automations.ts';
import { reduceCanvas } from './reducers/canvas.ts';
import { reduceChangeset } from './reducers/changeset.ts';
import { reduceChat } from './reducers/chat.ts';
import { reduceResourceWatch } from './reducers/resourceWatch.ts';
import { reduceRoot } from './reducers/root.ts';
import { reduceSession } from './reducers/session.ts';
import { reduceTerminal } from './reducers/terminal.ts';
import type { ChannelStates } from './state.ts';

/** Pure, synchronous and total: an action that changes nothing returns the identical state. */
export const reducers: { readonly [Kind in keyof ChannelStates]: Reducer<ChannelStates[Kind]> } = {
  root: reduceRoot,
  session: reduceSession,
  chat: reduceChat,
  terminal: reduceTerminal,
  changeset: reduceChangeset,
  annotations: reduceAnnotations,
  resourceWatch: reduceResourceWatch,
  automation: reduceAutomation,
  automationRun: reduceAutomationRun,
  canvas: reduceCanvas,
};
