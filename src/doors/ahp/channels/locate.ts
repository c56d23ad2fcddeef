// Resolves a channel URI to a session and one of its channels.
import type { Host } from '../../../host/host.ts';
import { isRejection } from '../../../model/command.ts';
import type { ChatId, SessionId } from '../../../model/event.ts';
import type { Session } from '../../../host/session/session.ts';
import type { State } from '../../../model/state.ts';
import type { Clients } from '../clients.ts';
import { refusedBy, unavailable } from '../errors.ts';
import { readChannel } from './channels.ts';
import type { Channel } from './channels.ts';
import { chatTarget, sessionTarget } from './target.ts';
import type { Target } from './target.ts';

export interface Located {
  readonly id: SessionId;
  readonly channel: Exclude<Channel, { readonly kind: 'root' }>;
}

/** Where to look: the host, and the clients that have just created chats there. */
interface Place {
  readonly host: Host;
  readonly clients: Clients;
}

/** The session that a channel belongs to, if there is one; it need not be open. */
export function locate(place: Place, uri: string): Located | 'root' | undefined {
  const { host } = place;
  const channel = readChannel(uri);
  if (channel === undefined) return undefined;
  if (channel.kind === 'root') return 'root';
  const id = channel.kind === 'chat' ? sessionOf(place, channel.chat) : channel.session;
  return id !== undefined && (host.opened(id) || host.summary(id)) ? { id, channel } : undefined;
}

/** Opens the session where necessary; one that another host owns is read to its end. */
export async function openLocated(host: Host, { id }: Pick<Located, 'id'>): Promise<Session | undefined> {
  const session = await host.open(id);
  if (!isRejection(session)) return session;
  // Its content is unknown, so the chat must not count as missing.
  if (session.rejected === 'unavailable') throw unavailable(session);
  return undefined;
}

/** The same for an action: its sender is told why a session cannot be opened. */
export async function openForAction(host: Host, { id }: Pick<Located, 'id'>): Promise<Session | undefined> {
  const session = await host.open(id);
  if (!isRejection(session)) return session;
  if (session.rejected !== 'not-found') throw refusedBy(session);
  return undefined;
}

/** The channel within the session, or undefined if it has no such chat. */
export function targetIn(state: State, { channel }: Located): Target | undefined {
  switch (channel.kind) {
    case 'session':
      return sessionTarget;
    case 'chat':
      return Object.hasOwn(state.chats, channel.chat) ? chatTarget(channel.chat) : undefined;
    case 'chatOf': {
      const id = Object.hasOwn(state.chats, channel.name) ? channel.name : state.order[0];
      return id === undefined ? undefined : chatTarget(id);
    }
    default:
      return channel satisfies never;
  }
}

/** The default chat has the id of its session. */
function sessionOf({ host, clients }: Place, chat: ChatId): SessionId | undefined {
  return host.sessionOf(chat) ?? clients.newChats.sessionOf(chat) ?? host.opened(chat)?.id;
}
