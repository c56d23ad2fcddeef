// One dispatched action on its way to a command: who sent it, on which channel. Knows no action.
import type { Host } from '../../../host/host.ts';
import type { EditedCall } from '../../../host/session/editChecks.ts';
import type { Role } from '../../../host/policy/roles.ts';
import type { Session } from '../../../host/session/session.ts';
import type { Command } from '../../../model/command.ts';
import type { ChatId, Origin } from '../../../model/event.ts';
import type { Chat } from '../../../model/state.ts';
import type { ActionOf, ActionType } from '../../../protocols/ahp/v1_0/actions.ts';
import type { Clients } from '../clients.ts';
import { chatOf } from '../outbound/chat.ts';

export interface ActionContext {
  readonly host: Host;
  readonly clients: Clients;
  readonly session: Session;
  /** The channel that the action was dispatched on. */
  readonly channel: 'session' | 'chat';
  /** The chat of that channel; on a session's channel its default chat. */
  readonly chat: ChatId;
  readonly client: string;
  /** What the client may do; undefined means everything. */
  readonly role: Role | undefined;
  /** What the arguments that the user changed would do; undefined if there are none. */
  readonly edit?: EditedCall | undefined;
  /** The sender with the number of its wish, which makes the action come back to it as its own. */
  readonly by: Extract<Origin, { readonly kind: 'client' }>;
}

/** Says why the action cannot be, or nothing. */
export type Handle<Type extends ActionType> = (
  on: ActionContext,
  action: ActionOf<Type>,
) => string | undefined;

export function dispatch({ session, by }: ActionContext, command: Command): string | undefined {
  return session.dispatch(command, by)?.message;
}

/** The limit for one stored note or setting of a client, in characters of JSON. */
export const maxStoredLength = 1_048_576;

/** An editor with many extensions lends thousands of tools with long schemas. */
export const maxToolListLength = 4 * maxStoredLength;

export function dispatchBounded(
  on: ActionContext,
  command: Command,
  limit = maxStoredLength,
): string | undefined {
  return JSON.stringify(command).length > limit
    ? `This is too large to store: the limit is ${limit / 1_048_576} MiB.`
    : dispatch(on, command);
}

/** The chat as decisions see it: with what is not durable yet. */
export function currentChat({ session, chat }: ActionContext): Chat | undefined {
  return chatOf(session.head, chat);
}
