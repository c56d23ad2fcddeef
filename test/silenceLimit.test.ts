import { afterEach, beforeEach, expect, test, vi } from 'vitest';

interface Module {
  readonly relativeModuleId: string;
}

interface Reporter {
  onTestRunStart(): void;
  onTestModuleStart(module: Module): void;
  onTestCaseResult(): void;
  onTestModuleEnd(module: Module): void;
  onTestRunEnd(): void;
}

// A script has no types.
const { SilenceLimit } = (await import(new URL('../scripts/silenceLimit.mjs', import.meta.url).href)) as {
  readonly SilenceLimit: new (onSilence: (files: readonly string[]) => void) => Reporter;
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('files that neither go on nor end are named after fifteen minutes', () => {
  const told: (readonly string[])[] = [];
  const limit = new SilenceLimit((files) => told.push(files));
  limit.onTestRunStart();
  for (const relativeModuleId of ['a', 'b']) limit.onTestModuleStart({ relativeModuleId });
  vi.advanceTimersByTime(899_000);
  limit.onTestCaseResult();
  vi.advanceTimersByTime(899_000);
  limit.onTestModuleEnd({ relativeModuleId: 'b' });
  vi.advanceTimersByTime(899_000);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(told).toEqual([['a']]);
});

test('a run that has ended is not silent', () => {
  const told: (readonly string[])[] = [];
  const limit = new SilenceLimit((files) => told.push(files));
  limit.onTestRunStart();
  limit.onTestRunEnd();
  vi.advanceTimersByTime(3_600_000);
  expect(told).toEqual([]);
});
