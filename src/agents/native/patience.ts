// Decides whether a failed request is worth another attempt, and how long to wait before it. Waits for nothing itself.
import type { Failure } from './answer.ts';

type Plan = { readonly wait: number; readonly notice: string } | { readonly giveUp: Failure };

/** What to do after so many attempts; undefined where the failure is final as it is. */
export function planFor(failure: Failure, attempt: number, random: () => number): Plan | undefined {
  const { problem, retryable, wait: told } = failure;
  const most = attempts[problem.code] ?? usualAttempts;
  if (!retryable) return undefined;
  if (told !== undefined && told > longestWait) return { giveUp: { ...failure, problem: { ...problem, message: `${problem.message} It asks to wait ${duration(told)}.` } } };
  if (attempt > most) return { giveUp: { ...failure, problem: { ...problem, message: `${problem.message} Given up after ${most} more attempts.` } } };
  const growing = Math.min(cap, base * factor ** (attempt - 1));
  const wait = Math.round(told === undefined ? growing * (1 + jitter * random()) : told + base * jitter * random());
  return { wait, notice: `${problem.message} Retrying in ${duration(wait)} (${attempt} of ${most}).` };
}

/** Some failures hardly ever pass by themselves and cost tokens every time. */
const attempts: { readonly [code: string]: number | undefined } = { invalid: 3 };
const usualAttempts = 10;
const base = 2_000;
const factor = 2;
const cap = 60_000;
const jitter = 0.25;

/** A provider that asks for more patience than this is not waited for. */
const longestWait = 300_000;

function duration(milliseconds: number): string {
  const seconds = Math.max(1, Math.round(milliseconds / 1_000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
