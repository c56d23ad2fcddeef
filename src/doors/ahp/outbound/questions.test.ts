import { expect, test } from 'vitest';
import type { Ask } from '../../../model/event.ts';
import { inputRequest } from './questions.ts';

const asked = (message: string, ...questions: readonly string[]): Extract<Ask, { kind: 'question' }> => ({
  kind: 'question',
  id: 'q',
  message,
  questions: questions.map((text) => ({ id: text, message: text, answer: { type: 'boolean' } })),
});

test.each([
  ['the same words', asked('Go on?', 'Go on?'), [undefined, 'Go on?']],
  ['other words', asked('Tell me', 'Go on?'), ['Tell me', 'Go on?']],
  ['several questions', asked('Go on?', 'Go on?', 'Sure?'), ['Go on?', 'Go on?', 'Sure?']],
])('a request shows its words once: %s', (_, ask, shown) => {
  const { message, questions = [] } = inputRequest(ask);
  expect([message, ...questions.map((question) => question.message)]).toEqual(shown);
});
