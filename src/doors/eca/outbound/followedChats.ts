// The chats that one client follows, because it prompted or opened them, and the way from a
// chat id to its session.
import type { Host } from '../../../host/host.ts';
import { shareLive } from '../../../host/session/live.ts';
import type { Sink } from '../../../host/session/live.ts';
import type { Session } from '../../../host/session/session.ts';
import { isRejection } from '../../../model/command.ts';
import type { Command, Rejection } from '../../../model/command.ts';
import type { ChatId, SessionId } from '../../../model/event.ts';
import type { State } from '../../../model/state.ts';
import type { Peer } from '../../../rpc/peer.ts';
import type { ClientProfile } from '../client/clientProfile.ts';
import { refused } from '../errors.ts';
import { project } from './entries.ts';
import { chatPosition } from './message.ts';
import type { EcaMessage } from './message.ts';

/** All ECA clients of a session share one projection. */
const liveOf = shareLive(project);

export interface FollowedChatsOptions {
  readonly host: Host;
  readonly peer: Peer;
  readonly profile: ClientProfile;
  readonly deliver: (message: EcaMessage) => void;
  /** The client has got everything of a chat up to an entry; undefined once it follows the chat no longer. */
  readonly seen: (chat: ChatId, seq: number | undefined) => void;
}

interface FollowOptions {
  readonly accepts?: (message: EcaMessage) => boolean;
  /** The state that the client has seen; absent means the current one. */
  readonly from?: State;
}

export class FollowedChats {
  readonly #options: FollowedChatsOptions;
  readonly #followed = new Map<ChatId, { readonly session: SessionId; leave(): void }>();

  constructor(options: FollowedChatsOptions) {
    this.#options = options;
  }

  /** The session of a chat if it is in memory. A chat that is not in memory has nothing running. */
  opened(chat: ChatId): Session | undefined {
    const { host } = this.#options;
    return host.opened(host.sessionOf(chat) ?? chat);
  }

  /** The session of a chat, loaded from its log where necessary. Throws if the chat cannot be read. */
  async find(chat: ChatId): Promise<Session | undefined> {
    const found = await this.look(chat);
    if (isRejection(found)) throw refused(found.message);
    return found;
  }

  /** The same; why a chat cannot be read is a value. */
  async look(chat: ChatId): Promise<Session | Rejection | undefined> {
    const { host } = this.#options;
    const id = host.sessionOf(chat);
    const found = this.opened(chat) ?? (id === undefined ? undefined : await host.open(id));
    if (isRejection(found)) return found.rejected === 'not-found' ? undefined : found;
    if (!found || found.head.chats[chat]) return found;
    return id === undefined ? undefined : found.readOnly;
  }

  /** Sends a command to a chat in memory. */
  dispatch(chat: ChatId, command: Command): Rejection | undefined {
    return this.opened(chat)?.dispatch(command, this.#options.profile.origin);
  }

  /** A chat inside another is followed with its outermost chat. */
  follows({ head }: Session, chat: ChatId): boolean {
    return this.#followed.has(chatPosition(head, chat).root);
  }

  /**
   * Delivers everything after the durable state of this moment. A chat that is followed
   * already restarts here.
   */
  follow(
    session: Session,
    chat: ChatId,
    { accepts = () => true, from = session.state }: FollowOptions = {},
  ): void {
    const { root } = chatPosition(session.head, chat);
    const { peer, deliver, seen } = this.#options;
    this.unfollow(root);
    seen(root, from.seq);
    const sink: Sink<EcaMessage> = {
      deliver: (messages) => {
        for (const message of messages) if (message.root === root && accepts(message)) deliver(message);
      },
      ready: () => peer.ready(),
      whenReady: (resume) => {
        const drained = peer.onDrain(() => {
          drained[Symbol.dispose]();
          resume();
        });
      },
      arrived: (seq) => seen(root, seq),
    };
    const leave = liveOf(session).attach(sink, from);
    this.#followed.set(root, { session: session.id, leave });
  }

  /** The chats and the states of their sessions. */
  states(): readonly (readonly [ChatId, State])[] {
    const { host } = this.#options;
    return [...this.#followed].flatMap(([chat, { session }]) => {
      const state = host.opened(session)?.state;
      return state ? [[chat, state] as const] : [];
    });
  }

  unfollow(chat: ChatId): void {
    this.#followed.get(chat)?.leave();
    if (this.#followed.delete(chat)) this.#options.seen(chat, undefined);
  }

  /** Stops following all chats of a session and returns them. */
  unfollowSession(session: SessionId): readonly ChatId[] {
    const chats = [...this.#followed].filter(([, each]) => each.session === session).map(([chat]) => chat);
    for (const chat of chats) this.unfollow(chat);
    return chats;
  }

  close(): void {
    for (const chat of [...this.#followed.keys()]) this.unfollow(chat);
  }
}
