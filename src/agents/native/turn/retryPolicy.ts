// Decides whether a failed request is sent again, and how long to wait before that. Does not wait itself.
import type { RetrySettings } from '../../../host/settings/settings.ts';
import type { AgentReport } from '../../../model/command.ts';
import type { AnswerFailure } from './answerRecorder.ts';

type Plan = { readonly wait: number; readonly notice: Notice } | { readonly giveUp: AnswerFailure };

type Notice = Extract<AgentReport, { kind: 'notice.added' }>;

/** What to do after this number of attempts; undefined if the failure is final. */
export function planFor(
  failure: AnswerFailure,
  attempt: number,
  { random, patience = {} }: { readonly random: () => number; readonly patience?: RetrySettings | undefined },
): Plan | undefined {
  const { problem, retryable, wait: told } = failure;
  const {
    attempts = 10,
    emptyAttempts = 3,
    base = 2_000,
    factor = 2,
    longest = 60_000,
    wait: longestWait = 300_000,
  } = patience;
  // These failures rarely go away, and each attempt costs tokens.
  const most = problem.code === 'invalid' ? emptyAttempts : attempts;
  if (!retryable) return undefined;
  if (told !== undefined && told > longestWait)
    return {
      giveUp: {
        ...failure,
        problem: { ...problem, message: `${problem.message} It asks to wait ${duration(told)}.` },
      },
    };
  if (attempt > most)
    return {
      giveUp: {
        ...failure,
        problem: { ...problem, message: `${problem.message} Given up after ${most} more attempts.` },
      },
    };
  const growing = Math.min(longest, base * factor ** (attempt - 1));
  const wait = Math.round(
    told === undefined ? growing * (1 + jitter * random()) : told + base * jitter * random(),
  );
  const retry = { problem, attempt, of: most, wait, ...(told === undefined ? {} : { asked: true as const }) };
  return {
    wait,
    notice: {
      kind: 'notice.added',
      level: 'warning',
      text: `${problem.message} Retrying in ${duration(wait)} (${attempt} of ${most}).`,
      waits: true,
      retry,
    },
  };
}

const jitter = 0.25;

function duration(milliseconds: number): string {
  const seconds = Math.max(1, Math.round(milliseconds / 1_000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
