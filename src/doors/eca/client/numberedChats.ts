// Chat ids that are numbers. Early Neovim clients send the number of a tab page, which means another chat in
// every Neovim. So each number stands for a new chat of this connection, and the client hears its own number.
import { isRecord } from '../../../base/isRecord.ts';
import type { ChatId } from '../../../model/event.ts';
import type { Method, Notifications } from '../../../protocols/eca/messages.ts';
import type { Peer } from '../../../rpc/peer.ts';
import type { NotificationSink } from '../outbound/sender.ts';

const idKeys = ['chatId', 'chat-id', 'parentChatId'];

export interface NumberedChatsOptions {
  readonly newId: () => ChatId;
  /** A number stands for a chat from now on. */
  readonly numbered: (number: number, id: ChatId) => void;
}

export class NumberedChats implements NotificationSink {
  readonly #peer: Peer;
  readonly #options: NumberedChatsOptions;
  readonly #ids = new Map<number, ChatId>();
  readonly #numbers = new Map<unknown, number>();

  constructor(peer: Peer, options: NumberedChatsOptions) {
    this.#peer = peer;
    this.#options = options;
  }

  /** A number stands for a chat that it stood for before. */
  restore(number: number, id: ChatId): void {
    this.#ids.set(number, id);
    this.#numbers.set(id, number);
    this.#options.numbered(number, id);
  }

  /** False as long as the client sends texts. */
  get isUsed(): boolean {
    return this.#ids.size > 0;
  }

  /** The params of the client with texts as ids. */
  receive(params: unknown): unknown {
    return replaceIds(params, (id) => (Number.isSafeInteger(id) ? this.#idOf(Number(id)) : undefined));
  }

  /** What is sent to the client, with its numbers as ids. */
  send<T>(value: T): T {
    return replaceIds(value, (id) => this.#numbers.get(id));
  }

  notify<M extends Method>(method: M, params: Notifications[M]): void {
    this.#peer.notify(method, this.send(params));
  }

  #idOf(number: number): ChatId {
    const known = this.#ids.get(number);
    if (known !== undefined) return known;
    const id = this.#options.newId();
    this.restore(number, id);
    return id;
  }
}

/** The value with other ids; the same value if none is replaced. */
function replaceIds<T>(value: T, replacement: (id: unknown) => unknown): T {
  if (!isRecord(value)) return value;
  const replaced = idKeys.flatMap((key) => {
    const id = Object.hasOwn(value, key) ? replacement(value[key]) : undefined;
    return id === undefined ? [] : [[key, id] as const];
  });
  return replaced.length === 0 ? value : { ...value, ...Object.fromEntries(replaced) };
}
