// How a run has ended, in one word, in an exit code and in a sentence.
import type { DoorResult } from '../../app/run/runDoor.ts';

/** Documented in docs/run.md; a word and its number never change. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  stopped: 4,
  denied: 4,
  steps: 5,
  budget: 6,
  refusal: 7,
  time: 8,
  length: 9,
} as const;

export type RunStatus = keyof typeof exitCodes;

/** Why a run has no result of the host. */
export type RunFailure = 'failed' | 'usage' | 'unreachable';

export interface RunEnding {
  readonly status: RunStatus;
  /** Absent if everything was done. */
  readonly error?: { readonly code: string; readonly message: string };
}

export function endingOf({ outcome, refused, stopped }: DoorResult): RunEnding {
  if (stopped) return { status: stopStatus(stopped.code), error: stopped };
  switch (outcome.kind) {
    case 'failed':
      return { status: failureStatus(outcome.problem.code), error: outcome.problem };
    case 'interrupted':
      return failure('failed', 'interrupted', 'The host was stopped while the run was under way.');
    // Some agents end a turn as stopped after a refusal.
    case 'cancelled':
      return refused ? denied(refused) : stoppedElsewhere;
    case 'completed':
      if (outcome.stop) return stops[outcome.stop];
      return refused ? denied(refused) : { status: 'done' };
    default:
      return outcome satisfies never;
  }
}

function denied(refused: NonNullable<DoorResult['refused']>): RunEnding {
  const message =
    refused === 'rule'
      ? 'Something was refused by a rule, which --allow does not change.'
      : 'Something that needs approval was not allowed; see --allow.';
  return failure('denied', 'denied', message);
}

const stoppedElsewhere = failure('stopped', 'stopped', 'Another client or the agent has stopped the run.');

const stops: { readonly [stop in 'steps' | 'length' | 'refusal']: RunEnding } = {
  steps: failure('steps', 'steps', 'The limit of steps was reached before the work was done (limits.steps).'),
  length: failure('length', 'length', 'The model reached its limit of output; the answer is not complete.'),
  refusal: failure('refusal', 'refusal', 'The model refused to answer.'),
};

function failure(status: RunStatus, code: string, message: string): RunEnding {
  return { status, error: { code, message } };
}

/** An agent that never asks is denied its whole work. */
function failureStatus(code: string): RunStatus {
  return code === 'budget' || code === 'denied' ? code : 'failed';
}

/** A run is stopped by its user, by a limit, or because its provider keeps failing. */
function stopStatus(code: string): RunStatus {
  return code === 'time' || code === 'budget' || code === 'stopped' ? code : 'failed';
}
