// The few globals that pure code may use besides the language: cancellation and URLs. No clock, so no AbortSignal.timeout.
interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(
    type: 'abort',
    listener: () => void,
    options?: { once?: boolean; signal?: AbortSignal },
  ): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
declare const AbortSignal: {
  any(signals: Iterable<AbortSignal>): AbortSignal;
  abort(reason?: unknown): AbortSignal;
};

interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
declare const AbortController: new () => AbortController;

interface URL {
  readonly protocol: string;
  readonly hostname: string;
  readonly pathname: string;
  readonly hash: string;
}
declare const URL: {
  new (url: string): URL;
  canParse(url: string): boolean;
};
