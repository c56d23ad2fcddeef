// Asks a model again when its provider fails in a way that passes, and says so in the chat. Bounded, and over at once when the turn is stopped.
//
// Nothing is shown twice. Words that were shown before a stream broke stay; the next attempt gets them as the beginning of the answer and is
// asked to go on from there, and what it says becomes a new item. Where it begins from the start all the same, the exact repeat is dropped.
// Calls of an attempt that broke off never run; they are ended as failed, and the next attempt makes its own. Thoughts are thought anew.
import type { TurnContext } from '../../../host/agent.ts';
import { readAnswer } from './answer.ts';
import type { Answer, AnswerOptions } from './answer.ts';
import type { AssistantPart, ModelMessage, ModelRequest } from '../model.ts';
import { planFor } from './retryPolicy.ts';
import type { Shown } from './repeatedText.ts';

export interface RetryOptions extends AnswerOptions {
  /** At least zero and less than one; keeps many sessions from asking again at the same moment. */
  readonly random: () => number;
}

export async function answerPatiently(
  turn: TurnContext,
  request: ModelRequest,
  options: RetryOptions,
): Promise<Answer> {
  let kept: readonly AssistantPart[] = [];
  let shown: Shown | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const answer = await readAnswer(turn, continued(request, kept), { ...options, shown });
    const content = [...kept, ...answer.content];
    const plan =
      answer.end !== 'aborted' && 'problem' in answer.end
        ? planFor(answer.end, attempt, { random: options.random, patience: options.model.patience })
        : undefined;
    if (!plan) return { ...answer, content };
    if ('giveUp' in plan) return { ...answer, content, end: plan.giveUp };
    shown = shownIn(answer.content, shown);
    kept = wordsOf(content);
    turn.report(plan.notice);
    await options.sleep(plan.wait, turn.signal);
    if (turn.signal.aborted) return { content, calls: [], end: 'aborted' };
  }
}

/** Models must not answer a message of their own, so the request to go on comes from the user's side. */
function continued(request: ModelRequest, kept: readonly AssistantPart[]): ModelRequest {
  if (kept.length === 0) return request;
  const more: readonly ModelMessage[] = [
    { role: 'assistant', content: kept },
    { role: 'user', content: [{ type: 'text', text: goOn }] },
  ];
  return { ...request, begun: true, messages: [...request.messages, ...more] };
}

const goOn =
  'The connection broke in the middle of your last message; the user sees everything up to there. Go on exactly where it stops, without repeating or commenting on it.';

/** Half a thought is of no use to anybody; a thought before shown words goes back with them where its provider sealed it. */
function wordsOf(content: readonly AssistantPart[]): readonly AssistantPart[] {
  return content.some(({ type }) => type === 'text') ? content : [];
}

function shownIn(content: readonly AssistantPart[], before: Shown | undefined): Shown {
  const words = (kind: AssistantPart['type']) =>
    content.map((part) => (part.type === kind && 'text' in part ? part.text : '')).join('');
  return {
    text: (before?.text ?? '') + words('text'),
    reasoning: (before?.reasoning ?? '') + words('reasoning'),
  };
}
