// The actions of terminals, as a map from action type to payload: those of AHP 1.0, which
// also name the terminal.
import type { ClientActions } from '../actionTypes.ts';
import type { TerminalActions as ChannelActions } from '../v1_0/channelActions.ts';
import type { URI } from '../v1_0/content.ts';
import type { clientActionSchemas } from './schema/actions.ts';

type FromClients = ClientActions<typeof clientActionSchemas, 'terminal'>;

type FromHost = {
  [Type in Exclude<keyof ChannelActions, keyof FromClients>]: ChannelActions[Type] & {
    readonly terminal: URI;
  };
};

export interface TerminalActions extends FromClients, FromHost {}
