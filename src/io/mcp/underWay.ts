// The calls a server is at work on: the time each may take, and which of them a question or a remark of the server belongs to.
import type { ServerCall } from '../../host/tools/toolServers.ts';
import type { Helpers } from './requests.ts';
import { timerOf } from './timer.ts';

interface Running extends ServerCall {
  progress(text: string): void;
  pause(): () => void;
}

export class UnderWay {
  readonly #calls = new Set<Running>();

  get isIdle(): boolean {
    return this.#calls.size === 0;
  }

  /** Begins a call that may take so many milliseconds without a sign of life. */
  begin(
    call: ServerCall,
    patience: number,
  ): { readonly signal: AbortSignal; readonly progress: (text: string) => void; end(): void } {
    const timer = timerOf(patience);
    const progress = (text: string) => {
      timer.restart();
      call.progress?.(text);
    };
    const running = { ...call, progress, pause: () => timer.pause() };
    this.#calls.add(running);
    return {
      signal: timer.signal,
      progress,
      end: () => {
        timer.stop();
        this.#calls.delete(running);
      },
    };
  }

  /** What is said while one call runs belongs to it, and shows that somebody is at work. */
  heard(remark: string): void {
    this.#only()?.progress(remark);
  }

  readonly helpers: Helpers = {
    ask: (message, questions) =>
      this.#help((call) => call.ask?.(message, questions), {
        kind: 'withdrawn',
        why: 'Nobody can be asked.',
      }),
    visit: (message, url) =>
      this.#help((call) => call.visit?.(message, url), { kind: 'withdrawn', why: 'Nobody can be asked.' }),
    sample: (wish) => this.#help((call) => call.sample?.(wish), { refused: 'Nobody can be asked.' }),
  };

  async #help<T>(work: (call: ServerCall) => Promise<T> | undefined, otherwise: T): Promise<T> {
    const call = this.#only();
    if (!call) return otherwise;
    const goOn = call.pause();
    try {
      return (await work(call)) ?? otherwise;
    } finally {
      goOn();
    }
  }

  /** A server does not say which call its question belongs to; where that is not clear nobody is asked. */
  #only(): Running | undefined {
    const [call, ...others] = this.#calls;
    return others.length === 0 ? call : undefined;
  }
}
