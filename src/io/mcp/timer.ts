// The time that a call may take without a sign of life.

export interface Timer {
  readonly signal: AbortSignal;
  restart(): void;
  /** The returned function lets the time run again, from the start. */
  pause(): () => void;
  stop(): void;
}

/** Aborts after so many milliseconds without a restart. */
export function timerOf(milliseconds: number): Timer {
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
