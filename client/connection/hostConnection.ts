// Keeps one connection to the host open: reconnects with growing pauses, detects a silent connection, and
// reports its state. It does not know the protocol; `handshake` does.
import { signal } from '@preact/signals';
import type { JsonObject } from './incoming.ts';
import { createRpc } from './rpc.ts';
import type { Rpc } from './rpc.ts';
import type { OpenWire, Wire } from './wire.ts';

export type ConnectionState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'online' }
  /** `retryAt` is absent while an attempt is under way. */
  | { readonly kind: 'reconnecting'; readonly retryAt?: number }
  /** The host is running but does not accept our credentials. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'incompatible'; readonly reason: string };

export interface HostConnectionOptions {
  /**
   * Ways to connect, tried in this order until one opens; the one that opened is tried first the next time.
   */
  readonly wires: readonly OpenWire[];
  /** Tells a host that is down from one that refuses us. */
  readonly isHostUp: () => Promise<boolean>;
  /** Runs first on a new connection. Returns a reason to give up; throws on any other failure. */
  readonly handshake: (rpc: Rpc) => Promise<{ readonly incompatible: string } | undefined>;
  readonly onNotification: (method: string, params: JsonObject) => void;
  readonly onDisconnect: () => void;
}

/** The pause before attempt n doubles from the first to the longest. */
const firstPauseMs = 250;
const longestPauseMs = 15_000;
const pingIntervalMs = 20_000;
const pingTimeoutMs = 10_000;
/** For reading what has come while this program was busy. */
const readTimeMs = 1_000;

export class HostConnection {
  readonly state = signal<ConnectionState>({ kind: 'connecting' });
  readonly #options: HostConnectionOptions;
  #wires: readonly OpenWire[];
  #wire: Wire | undefined;
  #rpc: Rpc | undefined;
  #failures = 0;
  #wasOnline = false;
  /** Whether the host was up when the last attempt failed. */
  #wasUp = false;
  #stopped = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: HostConnectionOptions) {
    this.#options = options;
    this.#wires = options.wires;
  }

  start(): void {
    void this.#attempt();
  }

  /** Skips the pause before the next attempt. */
  retryNow(): void {
    const state = this.state.peek();
    const isPausing = state.kind === 'reconnecting' && state.retryAt !== undefined;
    if (isPausing || state.kind === 'refused') void this.#attempt();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#wire?.close();
  }

  async #attempt(): Promise<void> {
    clearTimeout(this.#timer);
    this.state.value = this.#wasOnline ? { kind: 'reconnecting' } : { kind: 'connecting' };
    for (const open of this.#wires) {
      if (await this.#tryWire(open)) {
        this.#wires = [open, ...this.#wires.filter((other) => other !== open)];
        return;
      }
      if (this.#stopped) return;
    }
    const isUp = await this.#options.isHostUp();
    if (this.#stopped) return;
    // The host may have started between the attempt and this check, so it gets one more attempt.
    const mayHaveJustStarted = isUp && !this.#wasUp && this.#failures > 0;
    this.#wasUp = isUp;
    if (isUp && !mayHaveJustStarted) this.state.value = { kind: 'refused' };
    else this.#scheduleAttempt();
  }

  /** True if the wire opened; the handshake goes on after that. */
  #tryWire(open: OpenWire): Promise<boolean> {
    return new Promise((resolve) => {
      let opened = false;
      let pings: Pings | undefined;
      const rpc = createRpc((text) => this.#wire?.send(text), this.#options.onNotification);
      this.#wire = open({
        opened: () => {
          opened = true;
          resolve(true);
          pings = keepAlive(rpc, () => this.#wire?.close());
          void this.#shakeHands(rpc);
        },
        received: (text) => {
          pings?.heard();
          rpc.receive(text);
        },
        closed: () => {
          pings?.stop();
          rpc.end();
          if (opened) this.#disconnected(rpc);
          else resolve(false);
        },
      });
    });
  }

  #disconnected(rpc: Rpc): void {
    if (this.#rpc === rpc) {
      this.#rpc = undefined;
      this.#options.onDisconnect();
    }
    if (!this.#stopped && this.state.peek().kind !== 'incompatible') this.#scheduleAttempt();
  }

  async #shakeHands(rpc: Rpc): Promise<void> {
    try {
      this.#rpc = rpc;
      const refusal = await this.#options.handshake(rpc);
      if (this.#rpc !== rpc) return;
      if (refusal) {
        this.state.value = { kind: 'incompatible', reason: refusal.incompatible };
        this.#wire?.close();
        return;
      }
      this.#failures = 0;
      this.#wasUp = false;
      this.#wasOnline = true;
      this.state.value = { kind: 'online' };
    } catch {
      // A failed handshake counts as a host that is down: closing leads to the next attempt.
      this.#wire?.close();
    }
  }

  #scheduleAttempt(): void {
    const longest = Math.min(firstPauseMs * 2 ** this.#failures, longestPauseMs);
    // Half of the pause is random, so that many pages do not reconnect at the same moment.
    const pause = longest / 2 + (Math.random() * longest) / 2;
    this.#failures += 1;
    this.state.value = { kind: 'reconnecting', retryAt: Date.now() + pause };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#attempt(), pause);
  }
}

interface Pings {
  /** Something has come: the connection lives. */
  heard(): void;
  stop(): void;
}

/** Pings the host, so that a connection that died silently is closed. */
function keepAlive(rpc: Rpc, onDead: () => void): Pings {
  let timeout: ReturnType<typeof setTimeout> | undefined;
  // After a busy time the timer comes before what is still unread.
  const late = () => {
    timeout = setTimeout(onDead, readTimeMs);
  };
  const interval = setInterval(() => {
    clearTimeout(timeout);
    timeout = setTimeout(late, pingTimeoutMs);
    rpc.request('ping', {}).catch(() => {});
  }, pingIntervalMs);
  const heard = () => clearTimeout(timeout);
  return {
    heard,
    stop: () => {
      clearInterval(interval);
      heard();
    },
  };
}
