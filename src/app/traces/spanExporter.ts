// Sends spans to a collector of OpenTelemetry in small batches. Never makes anybody wait: what does not fit
// into the queue is dropped and counted.
import { errorText } from '../../base/errorText.ts';
import type { TraceSpan } from './turnSpans.ts';

export interface ExporterOptions {
  readonly fetch: typeof fetch;
  /** The address of the collector at this moment; undefined if traces are off. */
  readonly address: () => string | undefined;
  readonly version: string;
  readonly report: (problem: unknown) => void;
  /** How long spans wait for others, in milliseconds. */
  readonly pause?: number;
}

const mostQueued = 2_048;
const mostAtOnce = 512;
/** In milliseconds. */
const usualPause = 2_000;
const answerTime = 5_000;
const closeTime = 1_000;

export class SpanExporter {
  readonly #options: ExporterOptions;
  #queue: TraceSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  /** A collector that is away is reported once. */
  #isReported = false;
  /** How many spans were lost: there was no room, or the collector refused them. */
  dropped = 0;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  add(spans: readonly TraceSpan[]): void {
    if (this.#options.address() === undefined) return;
    this.#queue.push(...spans);
    const excess = this.#queue.length - mostQueued;
    if (excess > 0) {
      this.#queue.splice(0, excess);
      this.dropped += excess;
    }
    this.#plan();
  }

  /** Sends the rest, for a moment. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#sending;
    if (this.#queue.length > 0) await this.#send(closeTime);
  }

  #plan(): void {
    if (this.#timer || this.#sending) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#sending = this.#send(answerTime).finally(() => {
        this.#sending = undefined;
        if (this.#queue.length > 0) this.#plan();
      });
    }, this.#options.pause ?? usualPause);
    this.#timer.unref();
  }

  async #send(patience: number): Promise<void> {
    const { fetch: ask, address, report } = this.#options;
    const target = address();
    const spans = this.#queue.splice(0, mostAtOnce);
    if (target === undefined) return;
    try {
      const response = await ask(tracesAt(target), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(this.#message(spans)),
        redirect: 'error',
        signal: AbortSignal.timeout(patience),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`The collector answered with ${response.status}.`);
      this.#isReported = false;
    } catch (error) {
      this.dropped += spans.length;
      if (!this.#isReported) report(new Error(`Traces are not sent: ${errorText(error, String(error))}`));
      this.#isReported = true;
    }
  }

  #message(spans: readonly TraceSpan[]): object {
    const attributes = [
      { key: 'service.name', value: { stringValue: 'parley' } },
      { key: 'service.version', value: { stringValue: this.#options.version } },
    ];
    return {
      resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope: { name: 'parley' }, spans }] }],
    };
  }
}

/** A collector takes traces at this path below its address. */
function tracesAt(address: string): string {
  return `${address.replace(/\/+$/, '')}/v1/traces`;
}
