// Asks a model again when its provider fails in a way that passes, and says so in the chat. Bounded, and over at once when the turn is stopped.
//
// Nothing is shown twice. Words that were shown before a stream broke stay; the next attempt gets them as the beginning of the answer and is
// asked to go on from there, and what it says becomes a new item. Where it begins from the start all the same, the exact repeat is dropped.
// Calls of an attempt that broke off never run; they are ended as failed, and the next attempt makes its own. Thoughts are thought anew.
import type { TurnContext } from '../../host/agent.ts';
import { readAnswer } from './answer.ts';
import type { Answer, AnswerOptions, Failure } from './answer.ts';
import type { AssistantPart, ModelMessage, ModelRequest } from './model.ts';
import type { Shown } from './repeats.ts';

export interface RetryOptions extends AnswerOptions {
  /** At least zero and less than one; keeps many sessions from asking again at the same moment. */
  readonly random: () => number;
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

export async function answerPatiently(turn: TurnContext, request: ModelRequest, options: RetryOptions): Promise<Answer> {
  let kept: readonly AssistantPart[] = [];
  let shown: Shown | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const answer = await readAnswer(turn, continued(request, kept), { ...options, shown });
    const content = [...kept, ...answer.content];
    const plan = answer.end !== 'aborted' && 'problem' in answer.end ? planFor(answer.end, attempt, options.random) : undefined;
    if (!plan) return { ...answer, content };
    if ('giveUp' in plan) return { ...answer, content, end: plan.giveUp };
    shown = shownIn(answer.content, shown);
    kept = wordsOf(content);
    turn.report({ kind: 'notice.added', level: 'warning', text: plan.notice });
    await options.sleep(plan.wait, turn.signal);
    if (turn.signal.aborted) return { content, calls: [], end: 'aborted' };
  }
}

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

/** Models must not answer a message of their own, so the request to go on comes from the user's side. */
function continued(request: ModelRequest, kept: readonly AssistantPart[]): ModelRequest {
  if (kept.length === 0) return request;
  const more: readonly ModelMessage[] = [
    { role: 'assistant', content: kept },
    { role: 'user', content: [{ type: 'text', text: goOn }] },
  ];
  return { ...request, messages: [...request.messages, ...more] };
}

const goOn = 'The connection broke in the middle of your last message; the user sees everything up to there. Go on exactly where it stops, without repeating or commenting on it.';

/** Half a thought is of no use to anybody; a thought before shown words goes back with them where its provider sealed it. */
function wordsOf(content: readonly AssistantPart[]): readonly AssistantPart[] {
  return content.some(({ type }) => type === 'text') ? content : [];
}

function shownIn(content: readonly AssistantPart[], before: Shown | undefined): Shown {
  const words = (kind: AssistantPart['type']) => content.map((part) => (part.type === kind && part.type !== 'call' ? part.text : '')).join('');
  return { text: (before?.text ?? '') + words('text'), reasoning: (before?.reasoning ?? '') + words('reasoning') };
}

function duration(milliseconds: number): string {
  const seconds = Math.max(1, Math.round(milliseconds / 1_000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
