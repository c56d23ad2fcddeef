// A transport over a WebSocket of the `ws` package: one text frame is one message. The
// upgrade happens elsewhere.

import { OutputLimit } from './backpressure.ts';
import { withDefaults } from './transport.ts';
import type { CloseReason, Limits, Transport, TransportListener, TransportProblem } from './transport.ts';

export interface WebSocketOptions {
  readonly limits?: Partial<Limits>;
  /**
   * The ping interval; a socket without any data for a whole interval after a ping is
   * closed. 0 disables pings.
   */
  readonly keepAliveMs?: number;
  /** The socket of the WebSocket, if available: all frames of one tick are then sent in one write. */
  readonly carrier?: { cork(): void; uncork(): void };
}

/** The part of a `ws` WebSocket that is used here. */
export interface WebSocketLike {
  readonly readyState: number;
  readonly bufferedAmount: number;
  send(data: string, written: (error?: Error | null) => void): void;
  ping(): void;
  close(code: number, reason?: string): void;
  terminate(): void;
  on(event: 'message', listener: (data: Buffer | ArrayBuffer | Buffer[], isBinary: boolean) => void): unknown;
  on(event: 'close', listener: (code: number, reason: Buffer) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'pong', listener: () => void): unknown;
}

export function createWebSocketTransport(socket: WebSocketLike, options: WebSocketOptions = {}): Transport {
  return new WebSocketTransport(socket, options);
}

const OPEN = 1;
const CLOSED = 3;

const closeCodes: Partial<Record<CloseReason['kind'], number>> = {
  binary: 1003,
  framing: 1002,
  tooLarge: 1009,
};

class WebSocketTransport implements Transport {
  readonly #socket: WebSocketLike;
  readonly #options: WebSocketOptions;
  readonly #limits: Limits;
  readonly #outflow: OutputLimit;
  #listener: TransportListener | undefined;
  /** Messages that arrived before `listen`. */
  #early: string[] = [];
  #burstBytes = 0;
  #scheduled = false;
  #alive = true;
  #keepAlive: NodeJS.Timeout | undefined;
  #reason: CloseReason | undefined;
  #finished = false;
  #deadline: NodeJS.Timeout | undefined;

  constructor(socket: WebSocketLike, options: WebSocketOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#limits = withDefaults(options.limits);
    this.#outflow = new OutputLimit(this.#limits, { queued: () => this.buffered, giveUp: this.#abandon });
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('error', this.#failed);
    socket.on('close', (code, reason) => this.#ended(code, reason.toString('utf8')));
    socket.on('pong', () => {
      this.#alive = true;
    });
    if (socket.readyState === CLOSED) this.#ended(1006, '');
    else if (options.keepAliveMs) this.#keepAlive = setInterval(this.#beat, options.keepAliveMs).unref();
  }

  get buffered(): number {
    return this.#socket.bufferedAmount;
  }

  ready(): boolean {
    return this.#outflow.ready();
  }

  onDrain(callback: () => void): Disposable {
    return this.#outflow.onDrain(callback);
  }

  send(text: string): void {
    if (this.#reason !== undefined || this.#socket.readyState !== OPEN) return;
    if (!this.#scheduled) {
      this.#scheduled = true;
      this.#options.carrier?.cork();
      process.nextTick(this.#flush);
    }
    const before = this.#socket.bufferedAmount;
    this.#socket.send(text, this.#written);
    this.#burstBytes += Math.max(this.#socket.bufferedAmount - before, 0);
  }

  listen(listener: TransportListener): void {
    this.#listener = listener;
    const early = this.#early;
    this.#early = [];
    for (const text of early) listener.message(text);
    if (this.#finished) listener.closed(this.#reason ?? { kind: 'ended' });
  }

  close(reason: CloseReason = { kind: 'local' }): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#deadline = setTimeout(() => this.#socket.terminate(), this.#limits.closeMs);
    this.#socket.close(closeCodes[reason.kind] ?? 1000, reason.detail?.slice(0, 40));
  }

  readonly #flush = () => {
    this.#scheduled = false;
    this.#options.carrier?.uncork();
    const bytes = this.#burstBytes;
    this.#burstBytes = 0;
    if (this.#reason === undefined) this.#outflow.burst(bytes);
  };

  readonly #written = () => {
    // With this much queued, the operating system accepts more only if the other side has read: it is alive.
    if (this.buffered >= this.#limits.softBufferedBytes) this.#alive = true;
    this.#outflow.moved();
  };

  #receive(data: Buffer | ArrayBuffer | Buffer[], isBinary: boolean): void {
    this.#alive = true;
    if (this.#reason !== undefined) return;
    const bytes = joined(data);
    if (isBinary) this.#refuse({ kind: 'binary', detail: 'only text frames are spoken here' });
    else if (bytes.length > this.#limits.maxMessageBytes)
      this.#refuse({ kind: 'tooLarge', detail: 'message too large' });
    else if (this.#listener === undefined) this.#early.push(bytes.toString('utf8'));
    else this.#listener.message(bytes.toString('utf8'));
  }

  #refuse(problem: TransportProblem & { kind: 'binary' | 'tooLarge' }): void {
    this.#listener?.problem(problem);
    this.close(problem);
  }

  readonly #beat = () => {
    if (!this.#alive) {
      this.#abandon({ kind: 'unanswered', detail: `no sign of life for ${this.#options.keepAliveMs} ms` });
      return;
    }
    this.#alive = false;
    if (this.#socket.readyState === OPEN) this.#socket.ping();
  };

  /** `ws` itself refuses an over-long frame, closes with 1009 and reports an error. */
  readonly #failed = (error: Error & { code?: string }) => {
    if (this.#reason !== undefined) return;
    const tooLarge = error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
    if (tooLarge) this.#listener?.problem({ kind: 'tooLarge', detail: 'message too large' });
    this.#reason = { kind: tooLarge ? 'tooLarge' : 'failed', detail: error.message };
    this.#deadline = setTimeout(() => this.#socket.terminate(), this.#limits.closeMs);
  };

  readonly #abandon = (reason: CloseReason) => {
    this.#reason ??= reason;
    this.#socket.terminate();
  };

  #ended(code: number, detail: string): void {
    if (this.#finished) return;
    this.#finished = true;
    clearTimeout(this.#deadline);
    clearInterval(this.#keepAlive);
    this.#outflow.stop();
    this.#reason ??= { kind: 'ended', detail: detail === '' ? `code ${code}` : `code ${code}: ${detail}` };
    this.#listener?.closed(this.#reason);
  }
}

function joined(data: Buffer | ArrayBuffer | Buffer[]): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
