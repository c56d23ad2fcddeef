// How much time the checks have. The program ends within 5 s of its start. On a busy machine the start itself
// takes long, so the end is counted from there.
import type { CheckResult } from './checks.ts';

/** When the checks end and when the program does, in milliseconds after its start. */
const checksEnd = 4_400;
const programEnd = 4_900;

/** A check that had less, in milliseconds, has not shown that something does not answer. */
const fairTime = 500;

/** What was not begun, or not given a fair time. */
export const notKnown = {
  state: 'unknown',
  words: 'not known in time',
  fix: 'The checks end 5 s after the start of the program. Try again when the machine is less busy.',
} as const satisfies CheckResult;

/** How long a check may take from now on, in milliseconds, if it needs some of the time afterwards. */
export function timeLeft(afterwards = 0): number {
  return Math.max(0, checksEnd - afterwards - performance.now());
}

export function timeToEnd(): number {
  return Math.max(0, programEnd - performance.now());
}

/** What to say of something that has not answered within so many milliseconds. */
export function noAnswer(given: number): string | undefined {
  return given < fairTime ? undefined : `did not answer within ${(given / 1_000).toFixed(1)} s.`;
}
