// Which chats one client hears of: those it prompted or opened. Each is followed on its own, from the moment it was opened.
import { shareLive } from '../../../host/session/live.ts';
import type { Session } from '../../../host/session/session.ts';
import type { ChatId, SessionId } from '../../../model/event.ts';
import type { Peer } from '../../../rpc/peer.ts';
import type { EcaMessage } from './message.ts';
import { project } from './entries.ts';

/** All ECA clients of a session share one projection. */
const liveOf = shareLive(project);

export class Hearings {
  readonly #peer: Peer;
  readonly #deliver: (message: EcaMessage) => void;
  readonly #chats = new Map<ChatId, { readonly session: SessionId; leave(): void }>();

  constructor(peer: Peer, deliver: (message: EcaMessage) => void) {
    this.#peer = peer;
    this.#deliver = deliver;
  }

  has(chat: ChatId): boolean {
    return this.#chats.has(chat);
  }

  /** Everything after the durable state of this moment. A chat heard already is heard from here on. */
  start(session: Session, chat: ChatId, wanted: (message: EcaMessage) => boolean = () => true): void {
    this.stop(chat);
    const leave = liveOf(session).attach({
      deliver: (messages) => {
        for (const message of messages) if (message.root === chat && wanted(message)) this.#deliver(message);
      },
      ready: () => this.#peer.ready(),
      whenReady: (resume) => {
        const drained = this.#peer.onDrain(() => {
          drained[Symbol.dispose]();
          resume();
        });
      },
    });
    this.#chats.set(chat, { session: session.id, leave });
  }

  stop(chat: ChatId): void {
    this.#chats.get(chat)?.leave();
    this.#chats.delete(chat);
  }

  /** The chats heard of a session. */
  of(session: SessionId): readonly ChatId[] {
    return [...this.#chats].filter(([, hearing]) => hearing.session === session).map(([chat]) => chat);
  }

  close(): void {
    for (const chat of [...this.#chats.keys()]) this.stop(chat);
  }
}
