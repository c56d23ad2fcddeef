// Converts the end of a prompt for the log: the outcome, the usage, and the error.
import { isRecord } from '../../../base/isRecord.ts';
import { present } from '../../../base/present.ts';
import type { Outcome, Usage } from '../../../model/event.ts';
import { quotaMeta } from '../../../protocols/acp/v1/answerSchema.ts';
import type { PromptAnswer } from '../../../protocols/acp/v1/answerSchema.ts';

/** How the turn ended, as the agent says. Without a reason it failed; an unknown reason is warned of. */
export function outcomeOf(
  { stopReason }: PromptAnswer,
  name: string,
  warn: (words: string) => void,
): Outcome {
  if (stopReason === undefined) {
    const message = `${name} ended the turn with an answer that has no stopReason.`;
    return { kind: 'failed', problem: { code: 'agent-protocol', message } };
  }
  const outcome = outcomes.get(stopReason);
  if (!outcome) warn(`${name} ended the turn for a reason that Parley does not know: ${stopReason}.`);
  return outcome ?? { kind: 'completed' };
}

const outcomes: ReadonlyMap<string, Outcome> = new Map<string, Outcome>([
  ['end_turn', { kind: 'completed' }],
  ['max_tokens', { kind: 'completed', stop: 'length' }],
  ['max_turn_requests', { kind: 'completed', stop: 'steps' }],
  ['refusal', { kind: 'completed', stop: 'refusal' }],
  ['cancelled', { kind: 'cancelled' }],
]);

/** The usage of the turn, if the agent reports it. */
export function reportedUsage({ usage, _meta: meta }: PromptAnswer): Usage | undefined {
  const reported = usage ?? quotaIn(meta);
  const { outputTokens: output, cachedReadTokens: cacheRead, cachedWriteTokens: cacheWrite } = reported;
  const used = present({ input: wholeInput(reported), output, cacheRead, cacheWrite });
  return Object.keys(used).length > 0 ? used : undefined;
}

/** Agents count cached tokens beside the input, or as a part of it. Their total says which. */
function wholeInput(reported: NonNullable<PromptAnswer['usage']>): number | undefined {
  const { inputTokens: input, outputTokens: output = 0, totalTokens: total = 0 } = reported;
  const cached = (reported.cachedReadTokens ?? 0) + (reported.cachedWriteTokens ?? 0);
  if (input === undefined) return undefined;
  return input < cached || total >= input + output + cached ? input + cached : input;
}

/** Before the protocol had a member for usage, some agents reported tokens in their own extension. */
function quotaIn(meta: PromptAnswer['_meta']): NonNullable<PromptAnswer['usage']> {
  const read = quotaMeta.safeParse(meta?.['quota']);
  return read.success
    ? { inputTokens: read.data.token_count.input_tokens, outputTokens: read.data.token_count.output_tokens }
    : {};
}

/** The message of an error, with the details that the agent added. */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return 'The agent failed.';
  const data: unknown = 'data' in error ? error.data : undefined;
  const more = isRecord(data) ? data['details'] : data;
  return typeof more === 'string' && more !== '' && !error.message.includes(more)
    ? `${error.message}: ${more}`
    : error.message;
}
