// How one client wants to be told of its channels: deltas a little later and together, and a chat of which it has only the newest turns.
import type { State } from '../../../../model/state.ts';
import type { Snapshot } from '../../../../protocols/ahp/v1_0/state.ts';
import { encodeNotification } from '../../../../rpc/envelope.ts';
import type { Outgoing } from '../../delivery/outgoing.ts';
import type { Manner } from '../../delivery/subscriptions.ts';
import { chatState } from './chatState.ts';

export interface Wish {
  /** How many turns of a chat it wants to begin with. */
  readonly turns?: number | undefined;
  /** For how many milliseconds deltas may be gathered. */
  readonly latency?: number | undefined;
}

interface Kept {
  readonly latency: number;
  /** The oldest turn that the client has, where it does not have them all. */
  oldest: string | undefined;
  readonly turns: number;
}

/** Nobody wants to wait longer than this, in milliseconds. */
const longest = 10_000;

export class Manners {
  readonly #kept = new Map<string, Kept>();

  set(channel: string, { turns, latency = 0 }: Wish, state: Snapshot['state']): void {
    const oldest = 'turnsNextCursor' in state ? state.turnsNextCursor : undefined;
    const within = Number.isFinite(latency) ? Math.min(Math.max(0, latency), longest) : 0;
    if (oldest === undefined && within === 0) this.#kept.delete(channel);
    else this.#kept.set(channel, { latency: within, oldest, turns: turns ?? Number.POSITIVE_INFINITY });
  }

  /** The client has got older turns; the rest begins at a cursor, or there is none. */
  loaded(channel: string, cursor: string | undefined): void {
    const kept = this.#kept.get(channel);
    if (kept) kept.oldest = cursor;
  }

  forget(channel: string): void {
    this.#kept.delete(channel);
  }

  of(channel: string, outgoing: Outgoing, state: State | undefined): Manner | undefined {
    const { action } = outgoing;
    const kept = this.#kept.get(channel);
    if (!kept) return undefined;
    if (action.type !== 'chat/truncated' || kept.oldest === undefined || !('turnId' in action))
      return { within: kept.latency };
    return state && this.#cut(channel, kept, { state, outgoing });
  }

  /** A client that has not loaded the turn a chat goes back to would not go back at all; it begins anew with the newest turns that are left. */
  #cut(
    channel: string,
    kept: Kept,
    { state, outgoing }: { readonly state: State; readonly outgoing: Outgoing },
  ): Manner | undefined {
    const { target } = outgoing;
    if (target.kind !== 'chat') return undefined;
    const { chat } = target;
    const left = chatState(state, chat, kept.turns);
    if (!left || state.chats[chat]?.turns.some(({ id }) => id === kept.oldest)) return undefined;
    const { turns, turnsNextCursor } = left;
    kept.oldest = turnsNextCursor;
    const loaded = {
      type: 'chat/turnsLoaded',
      turns,
      ...(turnsNextCursor === undefined ? {} : { turnsNextCursor }),
    };
    return {
      text: encodeNotification('action', {
        ...outgoing.envelope(channel),
        action: { type: 'chat/truncated' },
      }),
      afterwards: (next) => encodeNotification('action', { channel, action: loaded, serverSeq: next() }),
    };
  }
}
