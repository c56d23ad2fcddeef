// Routes the messages of one agent program to its conversations, also before a conversation has its id.
import { addressed } from '../../../protocols/acp/v1/clientSchema.ts';

/** What the router needs of a conversation. */
export interface ConversationListener {
  update(update: unknown): void;
  request(method: string, params: unknown, signal: AbortSignal): unknown;
  elicited(id: string): void;
  /** Pending while the store is behind. */
  room(): Promise<void> | undefined;
}

/** How many messages are held for a conversation that is being opened. */
const earlyLimit = 2_000;

export class ConversationRouter {
  readonly #users = new Map<string, ConversationListener>();
  readonly #early: { readonly session: string; readonly update: unknown }[] = [];
  /** Those who open a conversation at this moment, and the end of it. */
  readonly #openers = new Map<ConversationListener, Promise<unknown>>();

  get all(): Iterable<ConversationListener> {
    return this.#users.values();
  }

  /**
   * From now on messages of this conversation go to its user; messages that arrived before its id was known
   * follow immediately.
   */
  join(session: string, user: ConversationListener): void {
    this.#users.set(session, user);
    for (const { update } of this.#early.filter((one) => one.session === session)) user.update(update);
    const rest = this.#early.filter((one) => one.session !== session);
    this.#early.splice(0, Infinity, ...rest);
  }

  /** Who comes back to a conversation may have joined it before the one who leaves has parted. */
  part(session: string, user: ConversationListener): void {
    if (this.#users.get(session) === user) this.#users.delete(session);
  }

  /** While a conversation is opened the agent may already speak of it, or ask something. */
  async opening<T>(user: ConversationListener, open: Promise<T>): Promise<T> {
    this.#openers.set(
      user,
      open.catch(() => {}),
    );
    try {
      return await open;
    } finally {
      this.#openers.delete(user);
      if (this.#openers.size === 0) this.#early.splice(0);
    }
  }

  /** Whether a conversation took the message, or may still. */
  update(session: string, update: unknown): boolean {
    const user = this.#users.get(session);
    if (user) user.update(update);
    else if (this.#openers.size > 0 && this.#early.length < earlyLimit) this.#early.push({ session, update });
    else return false;
    return true;
  }

  /** All conversations share one store. */
  room(): Promise<void> | undefined {
    return this.#users.values().next().value?.room();
  }

  /** A question may come before its conversation has a name, and about no conversation at all. */
  async of(params: unknown): Promise<ConversationListener | undefined> {
    const read = addressed.safeParse(params);
    const find = () => (read.success ? this.#users.get(read.data.sessionId) : undefined);
    if (find()) return find();
    if (!read.success) return [...this.#openers.keys()].at(-1) ?? [...this.#users.values()].at(-1);
    await Promise.all(this.#openers.values());
    return find();
  }
}
