// A transport over two Node streams: stdio, sockets or pipes of a child process, with a given framing.

import type { Readable, Writable } from 'node:stream';
import type { Decoder, Framing } from '../framing/framing.ts';
import { OutputLimit } from './backpressure.ts';
import { withDefaults } from './transport.ts';
import type { CloseReason, Limits, Transport, TransportListener, TransportProblem } from './transport.ts';

export interface StreamOptions {
  readonly input: Readable;
  /** The same object as `input` for a socket. */
  readonly output: Writable;
  readonly framing: Framing;
  readonly limits?: Partial<Limits>;
  /** `drain` reads and drops input after the close, so that the writer never gets a broken pipe. */
  readonly inputAfterClose?: 'destroy' | 'drain';
}

export function createStreamTransport(options: StreamOptions): Transport {
  return new StreamTransport(options);
}

/** Text beyond this size is written immediately instead of at the end of the tick. */
const writeEarlyLength = 64 * 1024;

class StreamTransport implements Transport {
  readonly #options: StreamOptions;
  readonly #limits: Limits;
  readonly #outflow: OutputLimit;
  readonly #decoder: Decoder;
  #listener: TransportListener | undefined;
  #pending = '';
  #burstBytes = 0;
  #scheduled = false;
  #reason: CloseReason | undefined;
  #finished = false;
  #deadline: NodeJS.Timeout | undefined;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#limits = withDefaults(options.limits);
    this.#outflow = new OutputLimit(this.#limits, { queued: () => this.buffered, giveUp: this.#abandon });
    const sink = { message: this.#deliver, problem: this.#report };
    this.#decoder = options.framing.decoder(sink, this.#limits.maxMessageBytes);
    options.output.on('error', this.#outputFailed);
    if (!this.#isSocket()) options.input.on('error', this.#inputFailed);
  }

  get buffered(): number {
    return this.#pending.length + this.#options.output.writableLength;
  }

  ready(): boolean {
    return this.#outflow.ready();
  }

  onDrain(callback: () => void): Disposable {
    return this.#outflow.onDrain(callback);
  }

  send(text: string): void {
    if (this.#reason !== undefined) return;
    if (!this.#scheduled) {
      this.#scheduled = true;
      process.nextTick(this.#flush);
    }
    this.#pending += this.#options.framing.encode(text);
    if (this.#pending.length > writeEarlyLength) this.#write();
  }

  listen(listener: TransportListener): void {
    this.#listener = listener;
    if (this.#finished) {
      listener.closed(this.#reason ?? { kind: 'local' });
      return;
    }
    const { input } = this.#options;
    input.on('data', this.#read);
    input.on('end', this.#inputEnded);
    input.on('close', this.#inputClosed);
    // The code that read the first bytes may have paused the stream.
    input.resume();
    if (input.destroyed) this.#inputClosed();
  }

  close(reason: CloseReason = { kind: 'local' }): void {
    if (this.#reason !== undefined) return;
    this.#write();
    this.#reason = reason;
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(this.#finish, this.#limits.closeMs);
    const { input, output } = this.#options;
    input.off('data', this.#read);
    input.resume();
    if (output.destroyed || output.writableFinished) this.#finish();
    else output.end(this.#settle);
  }

  readonly #flush = () => {
    this.#scheduled = false;
    this.#write();
    const bytes = this.#burstBytes;
    this.#burstBytes = 0;
    if (this.#reason === undefined) this.#outflow.burst(bytes);
  };

  #write(): void {
    if (this.#pending === '') return;
    const bytes = Buffer.from(this.#pending, 'utf8');
    this.#pending = '';
    this.#burstBytes += bytes.length;
    if (this.#options.output.writable) this.#options.output.write(bytes, this.#written);
  }

  readonly #written = () => this.#outflow.moved();

  readonly #read = (chunk: Buffer) => this.#decoder.push(chunk);

  readonly #deliver = (text: string) => {
    // A listener may close in the middle of a chunk.
    if (this.#reason === undefined) this.#listener?.message(text);
  };

  readonly #report = (problem: TransportProblem) => {
    if (this.#reason !== undefined) return;
    this.#listener?.problem(problem);
    if (problem.kind === 'framing') this.close({ kind: 'framing', detail: problem.detail });
  };

  readonly #inputEnded = () => {
    this.#decoder.end();
    if (this.#reason !== undefined) {
      this.#settle();
      return;
    }
    const ended = () => this.close({ kind: 'ended' });
    const rest = this.#listener?.ended?.();
    if (rest === undefined || !this.#options.output.writable) {
      ended();
      return;
    }
    this.#deadline = setTimeout(ended, this.#limits.closeMs);
    rest.then(ended, ended);
  };

  readonly #inputClosed = () => {
    if (this.#reason !== undefined) this.#settle();
    else if (!this.#options.input.readableEnded) this.close({ kind: 'ended' });
  };

  readonly #inputFailed = (error: Error) => this.close({ kind: 'failed', detail: error.message });

  /** The other side may have sent messages before it stopped reading, so the input is read to its end. */
  readonly #outputFailed = (error: Error) => {
    const failed = () => this.#abandon({ kind: 'failed', detail: error.message });
    if (this.#reason !== undefined) this.#finish();
    else if (this.#isSocket() || this.#options.input.readableEnded) failed();
    else this.#deadline ??= setTimeout(failed, this.#limits.closeMs);
  };

  /** A socket that is closed with unread input resets the connection, which would lose our last messages. */
  readonly #settle = () => {
    const { input, output } = this.#options;
    if (!output.writableFinished && !output.destroyed) return;
    if (!this.#isSocket() || input.readableEnded || input.destroyed) this.#finish();
  };

  readonly #abandon = (reason: CloseReason) => {
    this.#reason ??= reason;
    this.#finish();
  };

  readonly #finish = () => {
    if (this.#finished) return;
    this.#finished = true;
    clearTimeout(this.#deadline);
    this.#outflow.stop();
    this.#pending = '';
    const { input, output, inputAfterClose } = this.#options;
    input.off('data', this.#read);
    output.destroy();
    if (inputAfterClose === 'drain') input.resume();
    else input.destroy();
    this.#listener?.closed(this.#reason ?? { kind: 'local' });
  };

  #isSocket(): boolean {
    return (this.#options.input as unknown) === this.#options.output;
  }
}
