// The calls that run on one server: the time limit of each, and which call a request or log message of
// the server belongs to.
import type { ServerCall } from '../../host/tools/toolServers.ts';
import type { RequestHandlers } from './connection/requests.ts';

/** How many requests of a server one call answers, and how many at the same time. */
const mostRequests = 100;
const mostOpenRequests = 10;

interface Running extends ServerCall {
  requests: number;
  openRequests: number;
  progress(text: string): void;
  pause(): () => void;
}

const unclear = 'The user cannot be asked: no call or several calls are running.';

export class RunningCalls {
  readonly #calls = new Set<Running>();

  get isIdle(): boolean {
    return this.#calls.size === 0;
  }

  /** `patience` is how long the call may run without progress, in milliseconds. */
  begin(
    call: ServerCall,
    patience: number,
  ): { readonly signal: AbortSignal; readonly progress: (text: string) => void; end(): void } {
    const timer = timerOf(patience);
    const progress = (text: string) => {
      timer.restart();
      call.progress?.(text);
    };
    const running = { ...call, progress, pause: () => timer.pause(), requests: 0, openRequests: 0 };
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

  /** A log message that arrives while one call runs counts as its progress. */
  logged(message: string): void {
    this.#only()?.progress(message);
  }

  readonly helpers: RequestHandlers = {
    ask: (message, questions) =>
      this.#help((call) => call.ask?.(message, questions), {
        kind: 'withdrawn',
        why: unclear,
      }),
    visit: (message, url) =>
      this.#help((call) => call.visit?.(message, url), { kind: 'withdrawn', why: unclear }),
    sample: (wish) => this.#help((call) => call.sample?.(wish), { refused: unclear }),
  };

  async #help<T>(work: (call: ServerCall) => Promise<T> | undefined, otherwise: T): Promise<T> {
    const call = this.#only();
    if (!call || call.requests >= mostRequests || call.openRequests >= mostOpenRequests) return otherwise;
    call.requests += 1;
    call.openRequests += 1;
    const resume = call.pause();
    try {
      return (await work(call)) ?? otherwise;
    } finally {
      call.openRequests -= 1;
      resume();
    }
  }

  /** The protocol does not say which call a request belongs to, so it is only clear while one call runs. */
  #only(): Running | undefined {
    const [call, ...others] = this.#calls;
    return others.length === 0 ? call : undefined;
  }
}

interface Timer {
  readonly signal: AbortSignal;
  restart(): void;
  /** The returned function starts the time again from zero. */
  pause(): () => void;
  stop(): void;
}

/** Aborts `signal` after this many milliseconds without a restart. */
function timerOf(milliseconds: number): Timer {
  const over = new AbortController();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const restart = () => {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(() => over.abort(), milliseconds);
  };
  restart();
  return {
    signal: over.signal,
    restart,
    pause() {
      clearTimeout(timer);
      return restart;
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
