// Asks a model for one answer and records it. After a temporary failure of its provider the model is asked
// again, and the chat says so. The number of attempts is limited, and a stopped turn ends them.
//
// Nothing is shown twice. Text that was shown before a stream broke stays; the next attempt gets it as the
// beginning of the answer and is asked to continue. Its text becomes a new item. If it starts from the
// beginning anyway, the exact repetition is dropped. Calls of a broken attempt never run: they end as failed,
// and the next attempt makes its own calls. Reasoning is not continued.
import { errorText } from '../../../base/errorText.ts';
import { untilAborted, untilDone } from '../../../base/waiting.ts';
import type { TurnContext } from '../../../host/agent.ts';
import type { AssistantPart, ModelMessage, ModelRequest } from '../model.ts';
import { AnswerRecorder } from './answerRecorder.ts';
import type { ModelAnswer, AnswerOptions } from './answerRecorder.ts';
import { withoutRepeats } from './repeatedText.ts';
import type { ShownText } from './repeatedText.ts';
import { planFor } from './retryPolicy.ts';

export async function answerWithRetries(
  turn: TurnContext,
  request: ModelRequest,
  options: AnswerOptions,
): Promise<ModelAnswer> {
  const { model, ports } = options.setup;
  let begun: readonly AssistantPart[] = [];
  let shown: ShownText | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const answer = await readAnswer(turn, continued(request, begun), { ...options, shown });
    const content = [...begun, ...answer.content];
    const plan =
      answer.end !== 'aborted' && 'problem' in answer.end
        ? planFor(answer.end, attempt, { random: ports.random, patience: model.patience })
        : undefined;
    if (!plan) return { ...answer, content };
    if ('giveUp' in plan) return { ...answer, content, end: plan.giveUp };
    shown = shownIn(answer.content, shown);
    begun = withText(content);
    turn.report(plan.notice);
    await ports.sleep(plan.wait, turn.signal);
    if (turn.signal.aborted) return { content, calls: [], end: 'aborted' };
  }
}

/** Models must not answer their own message, so the request to continue is a user message. */
function continued(request: ModelRequest, begun: readonly AssistantPart[]): ModelRequest {
  if (begun.length === 0) return request;
  const more: readonly ModelMessage[] = [
    { role: 'assistant', content: begun },
    { role: 'user', content: [{ type: 'text', text: continuePrompt }] },
  ];
  return { ...request, begun: true, messages: [...request.messages, ...more] };
}

const continuePrompt =
  'The connection broke in the middle of your last message; the user sees everything up to there. Go on ' +
  'exactly where it stops, without repeating or commenting on it.';

/**
 * Reasoning without text is dropped; reasoning before shown text goes back with it, because its
 * provider may have signed it.
 */
function withText(content: readonly AssistantPart[]): readonly AssistantPart[] {
  return content.some(({ type }) => type === 'text') ? content : [];
}

function shownIn(content: readonly AssistantPart[], before: ShownText | undefined): ShownText {
  const textOf = (kind: AssistantPart['type']) =>
    content.map((part) => (part.type === kind && 'text' in part ? part.text : '')).join('');
  return {
    text: (before?.text ?? '') + textOf('text'),
    reasoning: (before?.reasoning ?? '') + textOf('reasoning'),
  };
}

/** A model that streams without a pause yields to other work after this number of parts. */
const partsBeforeYield = 128;

/** Makes one attempt. */
export async function readAnswer(
  turn: TurnContext,
  request: ModelRequest,
  options: AnswerOptions,
): Promise<ModelAnswer> {
  const recorder = new AnswerRecorder(turn, options);
  let count = 0;
  try {
    const parts = options.setup.model.stream(request);
    for await (const part of untilAborted(
      options.shown ? withoutRepeats(parts, options.shown) : parts,
      turn.signal,
    )) {
      recorder.take(part);
      if (part.type !== 'error') options.onPart?.();
      if (recorder.end) break;
      count += 1;
      if (count % partsBeforeYield === 0) await options.setup.ports.sleep(0, turn.signal);
      const room = turn.log.room();
      // The model is read no faster than its words can be stored.
      if (room) await untilDone(room, turn.signal);
    }
  } catch (error) {
    recorder.end ??= {
      problem: { code: 'model', message: errorText(error, 'The model failed.') },
      retryable: false,
    };
  }
  return recorder.answer();
}
