import { expect, test } from 'vitest';
import { promptAnswer } from '../../../protocols/acp/v1/answerSchema.ts';
import { reportedUsage } from './outcome.ts';

const cached = { outputTokens: 200, cachedReadTokens: 400 };

test.each([
  ['beside the input', { ...cached, inputTokens: 600, totalTokens: 1_200 }, 1_000],
  ['as a part of the input', { ...cached, inputTokens: 1_000, totalTokens: 1_200 }, 1_000],
  ['beside a smaller input, without a total', { ...cached, inputTokens: 3 }, 403],
  ['without a word about it', { ...cached, inputTokens: 1_000 }, 1_000],
])('an agent that counts cached tokens %s has used them once', (_, usage, input) => {
  const answer = promptAnswer.parse({ stopReason: 'end_turn', usage });
  expect(reportedUsage(answer)).toEqual({ input, output: 200, cacheRead: 400 });
});
