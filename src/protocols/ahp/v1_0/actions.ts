// Every action of AHP 1.0: their union, who may dispatch which, and since when a peer knows them.
import type { ActionsOf } from '../actionTypes.ts';
import { channelActionSince } from './channelActions.ts';
import type { ChannelActions } from './channelActions.ts';
import { chatActionSince } from './chatActions.ts';
import type { ChatActions } from './chatActions.ts';
import type { clientActionSchemas } from './schema/actions.ts';
import { rootActionSince, sessionActionSince } from './sessionActions.ts';
import type { RootActions, SessionActions } from './sessionActions.ts';

interface AllActions extends RootActions, SessionActions, ChatActions, ChannelActions {}

export type ClientActionType = keyof typeof clientActionSchemas;

export type StateAction = ActionsOf<AllActions>;

export type ActionType = keyof AllActions;

export type ActionOf<Type extends ActionType> = { readonly type: Type } & AllActions[Type];

export type ClientAction = ActionsOf<Pick<AllActions, ClientActionType>>;

/** The first version whose peers know the type. */
export const actionSince: Readonly<Record<ActionType, string>> = {
  ...rootActionSince,
  ...sessionActionSince,
  ...chatActionSince,
  ...channelActionSince,
};
