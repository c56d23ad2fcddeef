// Which channels one connection follows, live or catching up from the log; the same for every version.
import { CatchUp } from '../../../host/session/catchUp.ts';
import type { MissedStep } from '../../../host/session/catchUp.ts';
import type { Live, Projection } from '../../../host/session/live.ts';
import type { Session } from '../../../host/session/session.ts';
import type { ChatId, SessionId } from '../../../model/event.ts';
import type { State } from '../../../model/state.ts';
import type { SendQueue } from './sendQueue.ts';
import type { Outgoing } from './outgoing.ts';
import { isSameTarget } from '../channels/target.ts';
import type { Target } from '../channels/target.ts';
import { posOf, seqUpTo } from './serverSeq.ts';
import { toolAt } from '../outbound/toolTerminal.ts';

export interface SubscriptionsOptions {
  readonly sendQueue: SendQueue;
  readonly project: Projection<Outgoing>;
  /** The shared live form of the same projection. */
  readonly liveOf: (session: Session) => Live<Outgoing>;
  /** Whether the client can take more now; `resume` is to be called when it can again. */
  readonly ready: () => boolean;
  /** Told whenever the client has caught up. */
  readonly live: () => void;
  readonly problem: (error: unknown) => void;
  /**
   * What is special about telling this client of something on a channel. `state` is the newest, where the
   * client has no older one.
   */
  readonly deliveryForm?: (
    channel: string,
    outgoing: Outgoing,
    state: State | undefined,
  ) => DeliveryForm | undefined;
  /** The open session that a chat is in now. */
  readonly sessionOf: (chat: ChatId) => Session | undefined;
}

export interface DeliveryForm {
  /** Sent instead of the usual message. */
  readonly text?: string;
  /** For how many milliseconds it may wait for more of the same. */
  readonly within?: number;
  /** Sent after it. */
  readonly afterwards?: (seq: () => number) => string;
}

type ChatTarget = Extract<Target, { readonly kind: 'chat' }>;

interface Followed {
  readonly session: Session;
  /** The URIs as the client spells them, and the targets they stand for. */
  readonly channels: Map<string, Target>;
  /** What the client has been sent of this session. */
  at: State;
  leave: () => void;
}

export interface SubscribedChannel {
  readonly session: Session;
  /** The URI as the client spells it. */
  readonly channel: string;
  readonly target: Target;
}

export interface AddressedAction {
  readonly channel: string;
  readonly outgoing: Outgoing;
}

export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #followed = new Map<SessionId, Followed>();
  readonly #catchUp: CatchUp<Followed>;
  /** Channels of chats that have left their session, until the chat turns up in another. */
  readonly #astray = new Map<string, { readonly target: ChatTarget; readonly from: SessionId }>();

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
    this.#catchUp = new CatchUp({
      followed: () => [...this.#followed.values()],
      ready: options.ready,
      live: options.live,
      deliver: (missed) => {
        for (const { channel, outgoing } of this.#arriveAt(missed)) this.#push(channel, outgoing, undefined);
        options.sendQueue.flush();
      },
    });
  }

  get count(): number {
    return [...this.#followed.values()].reduce((sum, { channels }) => sum + channels.size, 0);
  }

  /** Whether the numbers that the client sees mean nothing to the next process of the host. */
  get areRenumbered(): boolean {
    return [...this.#followed.values()].some(({ session }) => session.isRenumbered);
  }

  follows(channel: string): boolean {
    return [...this.#followed.values()].some(({ channels }) => channels.has(channel));
  }

  /** Follows a channel from the durable state of this moment on; take the snapshot in the same step. */
  add(session: Session, channel: string, target: Target): void {
    this.#follow(session, session.state).channels.set(channel, target);
  }

  remove(channel: string): void {
    this.#astray.delete(channel);
    for (const followed of this.#followed.values())
      if (followed.channels.delete(channel) && followed.channels.size === 0) this.#leave(followed);
  }

  removeAll(session?: SessionId): void {
    for (const followed of [...this.#followed.values()])
      if (session === undefined || followed.session.id === session) this.#leave(followed);
  }

  get isLive(): boolean {
    return this.#catchUp.isLive;
  }

  /**
   * Resolves when the client was sent everything that is durable; look again, it may
   * have fallen behind since.
   */
  caughtUp(): Promise<void> {
    return this.#catchUp.caughtUp();
  }

  /** The client can take more again. */
  resume(): void {
    void this.#catchUp.resume().catch(this.#options.problem);
  }

  /**
   * Subscribes to channels from a number that the client has seen. `arrived` is called in the step in which
   * the client has caught up, with the actions it missed; without them if they are more than `limit` or a
   * chat did not exist when the client left.
   */
  async addFrom(
    seen: number,
    channels: readonly SubscribedChannel[],
    { limit, arrived }: { limit: number; arrived: (missed?: readonly AddressedAction[]) => void },
  ): Promise<void> {
    const missed: AddressedAction[] = [];
    await this.#catchUp.bringBack({
      begin: () => this.#followFrom(seen, channels),
      take: (steps) => {
        missed.push(...this.#arriveAt(steps, seen));
        return missed.length <= limit;
      },
      isSeenInPart: ({ pos }) => pos === posOf(seen),
      done: (isComplete) => arrived(isComplete ? missed : undefined),
    });
  }

  /** False where a chat was not there yet when the client left. */
  async #followFrom(seen: number, channels: readonly SubscribedChannel[]): Promise<boolean> {
    for (const { session, channel, target } of channels) {
      const at = this.#followed.get(session.id)?.at ?? (await stateAt(session, seen));
      if (!exists(at, target)) return false;
      this.#follow(session, at).channels.set(channel, target);
    }
    return true;
  }

  #follow(session: Session, at: State): Followed {
    const known = this.#followed.get(session.id);
    const followed: Followed = known ?? { session, channels: new Map(), at, leave: () => {} };
    this.#followed.set(session.id, followed);
    // As a new subscriber, so that a new channel also learns which turns a full disk has cut off.
    const leave = this.#options.liveOf(session).add({
      accepts: () => this.#catchUp.accepts(),
      deliver: (messages, state) => this.#deliver(followed, messages, state),
      tell: (messages) => {
        for (const { channel, outgoing } of messages.flatMap((one) => addressedTo(followed, one)))
          this.#options.sendQueue.tell((seq) => outgoing.under(seq()).text(channel));
      },
    });
    followed.leave();
    followed.leave = leave;
    return followed;
  }

  #leave(followed: Followed): void {
    followed.leave();
    this.#followed.delete(followed.session.id);
  }

  #deliver(followed: Followed, messages: readonly Outgoing[], state: State): void {
    for (const outgoing of messages)
      for (const { channel } of addressedTo(followed, outgoing)) this.#push(channel, outgoing, state);
    this.#arrive(followed, state);
  }

  /** A deleted chat has no channel; a new chat with the same id is another one. */
  #arrive(followed: Followed, state: State): void {
    const old = followed.at;
    followed.at = state;
    if (old.order === state.order) return;
    for (const [channel, target] of [...followed.channels])
      if (!exists(state, target)) this.#lose(followed, channel, target);
    if (followed.channels.size === 0) this.#leave(followed);
  }

  /** A chat keeps its id when it moves to another session, and so do its subscribers. */
  #lose(followed: Followed, channel: string, target: Target): void {
    followed.channels.delete(channel);
    if (target.kind !== 'chat') return;
    this.#astray.set(channel, { target, from: followed.session.id });
    this.regain();
  }

  /** Sessions have got other chats. */
  regain(): void {
    for (const [channel, { target, from }] of [...this.#astray]) {
      const session = this.#options.sessionOf(target.chat);
      // A chat that is created again in the same session is another one.
      if (!session || session.id === from || !exists(session.state, target)) continue;
      this.#astray.delete(channel);
      this.add(session, channel, target);
    }
  }

  #push(channel: string, outgoing: Outgoing, state: State | undefined): void {
    const { sendQueue, deliveryForm } = this.#options;
    const { text, within = 0, afterwards } = deliveryForm?.(channel, outgoing, state) ?? {};
    const piece = within > 0 ? outgoing.piece(channel, within) : undefined;
    sendQueue.push(outgoing.seq, text ?? outgoing.text(channel), piece);
    if (afterwards) sendQueue.tell(afterwards);
  }

  /** The actions of missed steps that the client has not had, in the order of their numbers. */
  #arriveAt(missed: readonly MissedStep<Followed>[], seen = 0): readonly AddressedAction[] {
    return missed.flatMap(({ subscriber: followed, step }) => {
      const actions = this.#options
        .project(step)
        .filter(({ seq }) => seq > seen)
        .flatMap((outgoing) => addressedTo(followed, outgoing));
      this.#arrive(followed, step.after);
      return actions;
    });
  }
}

/** The channels of the client that an action is for. */
function addressedTo({ channels }: Followed, outgoing: Outgoing): readonly AddressedAction[] {
  return [...channels].flatMap(([channel, target]) =>
    isSameTarget(target, outgoing.target) ? [{ channel, outgoing }] : [],
  );
}

function exists(state: State, target: Target): boolean {
  if (target.kind === 'terminal') return toolAt(state, target) !== undefined;
  return target.kind !== 'chat' || Object.hasOwn(state.chats, target.chat);
}

/** The state just before the first entry that a client may not have seen whole. */
async function stateAt(session: Session, seen: number): Promise<State> {
  const now = session.state;
  if (seqUpTo(now.pos) <= seen) return now;
  return session.stateBefore(({ pos }) => seqUpTo(pos) > seen);
}
