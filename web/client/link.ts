// Keeps one connection to the host alive: tries again with growing pauses, notices silence, and says how it stands.
// It does not know what is said over the connection; `greet` does that.
import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import { createRpc } from './rpc.ts';
import type { Rpc } from './rpc.ts';
import type { Fields } from './incoming.ts';
import type { OpenWire, Wire } from './wire.ts';

export type LinkState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'online' }
  /** `retryAt` is absent while an attempt is under way. */
  | { readonly kind: 'reconnecting'; readonly retryAt?: number }
  /** The host is there and does not let us in. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'incompatible'; readonly why: string };

export interface LinkOptions {
  /** Ways in, tried in this order until one opens; the one that worked is tried first the next time. */
  readonly wires: readonly OpenWire[];
  /** Whether the host answers at all, to tell a host that is away from one that refuses us. */
  readonly isHostUp: () => Promise<boolean>;
  /** Speaks first on a new connection. A reason to stop trying is returned, anything else is thrown. */
  readonly greet: (rpc: Rpc) => Promise<{ readonly incompatible: string } | undefined>;
  readonly heard: (method: string, params: Fields) => void;
  readonly lost: () => void;
  readonly random?: () => number;
}

export interface Link {
  readonly state: ReadonlySignal<LinkState>;
  readonly rpc: Rpc | undefined;
  readonly start: () => void;
  /** Skips the pause before the next attempt. */
  readonly retryNow: () => void;
  readonly stop: () => void;
}

/** The pause before attempt n doubles from the first to the last of these. */
const firstPauseMs = 250;
const longestPauseMs = 15_000;
const pingAfterMs = 20_000;
const pingPatienceMs = 10_000;

export function createLink(options: LinkOptions): Link {
  const state = signal<LinkState>({ kind: 'connecting' });
  const random = options.random ?? Math.random;
  let wires = options.wires;
  let rpc: Rpc | undefined;
  let wire: Wire | undefined;
  let failures = 0;
  let wasOnline = false;
  /** Whether the host was up when it last did not let us in. */
  let wasUp = false;
  let stopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const attempt = async (): Promise<void> => {
    clearTimeout(timer);
    state.value = wasOnline ? { kind: 'reconnecting' } : { kind: 'connecting' };
    for (const open of wires) {
      if (await tryWire(open)) {
        wires = [open, ...wires.filter((other) => other !== open)];
        return;
      }
      if (stopped) return;
    }
    const isUp = await options.isHostUp();
    // A host that was away may have come up between the attempt and the question; it is asked to let us in once more.
    const surprising = isUp && !wasUp && failures > 0;
    wasUp = isUp;
    if (isUp && !surprising) state.value = { kind: 'refused' };
    else pause();
  };

  /** Whether the wire opened; what happens on it afterwards goes its own way. */
  const tryWire = (open: OpenWire): Promise<boolean> =>
    new Promise((resolve) => {
      let opened = false;
      const mine = createRpc((text) => wire?.send(text), options.heard);
      let stopPing = () => {};
      wire = open({
        opened: () => {
          opened = true;
          resolve(true);
          stopPing = keepAlive(mine, () => wire?.close());
          void welcome(mine);
        },
        received: (text) => mine.receive(text),
        closed: () => {
          stopPing();
          mine.end();
          if (!opened) return resolve(false);
          if (rpc === mine) {
            rpc = undefined;
            options.lost();
          }
          if (!stopped && state.peek().kind !== 'incompatible') pause();
        },
      });
    });

  const welcome = async (mine: Rpc): Promise<void> => {
    try {
      rpc = mine;
      const refusal = await options.greet(mine);
      if (rpc !== mine) return;
      if (refusal) {
        state.value = { kind: 'incompatible', why: refusal.incompatible };
        wire?.close();
        return;
      }
      failures = 0;
      wasUp = false;
      wasOnline = true;
      state.value = { kind: 'online' };
    } catch {
      // A host that cannot greet is as good as one that is away; closing leads to the next attempt.
      wire?.close();
    }
  };

  const pause = (): void => {
    const longest = Math.min(firstPauseMs * 2 ** failures, longestPauseMs);
    // Half of the pause is chance, so that many pages do not come back in the same moment.
    const wait = longest / 2 + (random() * longest) / 2;
    failures += 1;
    state.value = { kind: 'reconnecting', retryAt: Date.now() + wait };
    clearTimeout(timer);
    timer = setTimeout(() => void attempt(), wait);
  };

  return {
    state,
    get rpc() {
      return rpc;
    },
    start: () => void attempt(),
    retryNow: () => {
      const { kind } = state.peek();
      const idle = kind === 'refused' || (kind === 'reconnecting' && 'retryAt' in state.peek());
      if (idle) void attempt();
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      wire?.close();
    },
  };
}

/** A connection that died without a word is noticed by asking; returns how to stop asking. */
function keepAlive(rpc: Rpc, dead: () => void): () => void {
  let patience: ReturnType<typeof setTimeout> | undefined;
  const interval = setInterval(() => {
    patience = setTimeout(dead, pingPatienceMs);
    rpc.request('ping', {}).then(
      () => clearTimeout(patience),
      () => clearTimeout(patience),
    );
  }, pingAfterMs);
  return () => {
    clearInterval(interval);
    clearTimeout(patience);
  };
}
