import { expect, test } from 'vitest';
import { didYouMean, nearest } from './nearest.ts';

const commands = ['serve', 'server', 'sessions', 'setup', 'models', 'login', 'logout', 'run', 'mcp'];

test.each<[string, string | undefined]>([
  ['sesions', 'sessions'],
  ['session', 'sessions'],
  ['SESSIONS', 'sessions'],
  ['modles', 'models'],
  ['rnu', 'run'],
  ['sess', 'sessions'],
  ['log', undefined],
  ['x', undefined],
  ['mc', 'mcp'],
  ['dance', undefined],
  ['', undefined],
  ['s'.repeat(5_000), undefined],
])('%j means %s', (word, meant) => {
  expect(nearest(word, commands)).toBe(meant);
});

test.each<[string, string | undefined]>([
  ['claude-sonnet-5', 'anthropic/claude-sonnet-5'],
  ['claude-sonet', 'anthropic/claude-sonnet-5'],
  ['gpt', 'openai/gpt-6'],
  ['antropic/claude-sonnet-5', 'anthropic/claude-sonnet-5'],
])('%j means the model %s', (word, meant) => {
  expect(nearest(word, ['anthropic/claude-sonnet-5', 'openai/gpt-6'])).toBe(meant);
});

test('an error message asks only if something is similar', () => {
  expect(didYouMean('modles', commands)).toBe(' Did you mean models?');
  expect(didYouMean('dance', commands)).toBe('');
});
