// Delivery options of one client: deltas delayed and merged, and a chat with only its newest turns.
import type { State } from '../../../../model/state.ts';
import type { Snapshot } from '../../../../protocols/ahp/v1_0/state.ts';
import { encodeNotification } from '../../../../rpc/envelope.ts';
import type { Outgoing } from '../../delivery/outgoing.ts';
import type { DeliveryForm } from '../../delivery/subscriptions.ts';
import { chatState } from './chatState.ts';

export interface DeliveryRequest {
  /** How many turns of a chat it wants to begin with. */
  readonly turns?: number | undefined;
  /** For how many milliseconds deltas may be gathered. */
  readonly latency?: number | undefined;
}

interface StoredOptions {
  readonly latency: number;
  /** The oldest turn that the client has, where it does not have them all. */
  oldest: string | undefined;
  readonly turns: number;
}

/** The maximum delay in milliseconds. */
const longest = 10_000;

export class DeliveryOptions {
  readonly #byChannel = new Map<string, StoredOptions>();

  set(channel: string, { turns, latency = 0 }: DeliveryRequest, state: Snapshot['state']): void {
    const oldest = 'turnsNextCursor' in state ? state.turnsNextCursor : undefined;
    const within = Number.isFinite(latency) ? Math.min(Math.max(0, latency), longest) : 0;
    if (oldest === undefined && within === 0) this.#byChannel.delete(channel);
    else this.#byChannel.set(channel, { latency: within, oldest, turns: turns ?? Number.POSITIVE_INFINITY });
  }

  /** The client has got older turns; the rest begins at a cursor, or there is none. */
  loaded(channel: string, cursor: string | undefined): void {
    const stored = this.#byChannel.get(channel);
    if (stored) stored.oldest = cursor;
  }

  forget(channel: string): void {
    this.#byChannel.delete(channel);
  }

  of(channel: string, outgoing: Outgoing, state: State | undefined): DeliveryForm | undefined {
    const { action } = outgoing;
    const stored = this.#byChannel.get(channel);
    if (!stored) return undefined;
    if (action.type !== 'chat/truncated' || stored.oldest === undefined || !('turnId' in action))
      return { within: stored.latency };
    return state && this.#cut(channel, stored, { state, outgoing });
  }

  /**
   * A client that has not loaded the target turn cannot apply a truncation; it starts again with the newest
   * remaining turns.
   */
  #cut(
    channel: string,
    stored: StoredOptions,
    { state, outgoing }: { readonly state: State; readonly outgoing: Outgoing },
  ): DeliveryForm | undefined {
    const { target } = outgoing;
    if (target.kind !== 'chat') return undefined;
    const { chat } = target;
    const left = chatState(state, chat, stored.turns);
    if (!left || state.chats[chat]?.turns.some(({ id }) => id === stored.oldest)) return undefined;
    const { turns, turnsNextCursor } = left;
    stored.oldest = turnsNextCursor;
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
