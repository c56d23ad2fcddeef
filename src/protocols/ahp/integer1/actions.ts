// Every action of protocol version 1: their union, and who may dispatch which.
import type { TerminalActions } from './channelActions.ts';
import type { RootActions, SessionActions } from './sessionActions.ts';

interface AllActions extends RootActions, SessionActions, TerminalActions {}

/** The union of the actions in a map from type to payload. */
export type ActionsOf<Payloads> = {
  [Type in keyof Payloads & string]: { readonly type: Type } & Payloads[Type];
}[keyof Payloads & string];

export type StateAction = ActionsOf<AllActions>;

export type ActionType = keyof AllActions;

export type ActionOf<Type extends ActionType> = { readonly type: Type } & AllActions[Type];

export const clientActionTypes = [
  'root/configChanged',
  'session/turnStarted',
  'session/turnCancelled',
  'session/truncated',
  'session/toolCallConfirmed',
  'session/toolCallComplete',
  'session/toolCallResultConfirmed',
  'session/toolCallContentChanged',
  'session/pendingMessageSet',
  'session/pendingMessageRemoved',
  'session/queuedMessagesReordered',
  'session/inputAnswerChanged',
  'session/inputCompleted',
  'session/titleChanged',
  'session/modelChanged',
  'session/isReadChanged',
  'session/isArchivedChanged',
  'session/configChanged',
  'session/activeClientChanged',
  'session/activeClientToolsChanged',
  'session/customizationToggled',
  'terminal/input',
  'terminal/resized',
  'terminal/claimed',
  'terminal/titleChanged',
  'terminal/cleared',
] as const satisfies readonly ActionType[];

export type ClientActionType = (typeof clientActionTypes)[number];

export type ClientAction = ActionsOf<Pick<AllActions, ClientActionType>>;

/** The rest, so that an unknown type can be told from one that only the host may send. */
export const hostActionTypes: Readonly<Record<Exclude<ActionType, ClientActionType>, true>> = {
  'root/agentsChanged': true,
  'root/activeSessionsChanged': true,
  'root/terminalsChanged': true,
  'session/ready': true,
  'session/creationFailed': true,
  'session/delta': true,
  'session/reasoning': true,
  'session/responsePart': true,
  'session/usage': true,
  'session/turnComplete': true,
  'session/error': true,
  'session/toolCallStart': true,
  'session/toolCallDelta': true,
  'session/toolCallReady': true,
  'session/inputRequested': true,
  'session/activityChanged': true,
  'session/diffsChanged': true,
  'session/metaChanged': true,
  'session/serverToolsChanged': true,
  'session/customizationsChanged': true,
  'terminal/data': true,
  'terminal/cwdChanged': true,
  'terminal/exited': true,
  'terminal/commandDetectionAvailable': true,
  'terminal/commandExecuted': true,
  'terminal/commandFinished': true,
};
