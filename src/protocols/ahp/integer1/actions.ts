// Every action of protocol version 1: their union, and who may dispatch which.
import type { ActionsOf } from '../actionTypes.ts';
import type { TerminalActions } from './channelActions.ts';
import type { clientActionSchemas } from './schema/actions.ts';
import type { RootActions, SessionActions } from './sessionActions.ts';

interface AllActions extends RootActions, SessionActions, TerminalActions {}

export type ClientActionType = keyof typeof clientActionSchemas;

export type StateAction = ActionsOf<AllActions>;

export type ActionType = keyof AllActions;

export type ActionOf<Type extends ActionType> = { readonly type: Type } & AllActions[Type];

export type ClientAction = ActionsOf<Pick<AllActions, ClientActionType>>;

/**
 * What clients may not dispatch, so that an unknown type can be told from one that only the host may send.
 */
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
