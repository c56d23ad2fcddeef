// Servers that ask again and again while their tool runs.
import { expect, test } from 'vitest';
import { RunningCalls } from './runningCalls.ts';

function callThatAsks(answer: () => Promise<{ kind: 'declined' }>) {
  const calls = new RunningCalls();
  let asked = 0;
  const running = calls.begin(
    {
      server: 'one',
      tool: 'x',
      input: {},
      signal: new AbortController().signal,
      ask: () => {
        asked += 1;
        return answer();
      },
    },
    60_000,
  );
  return { ask: () => calls.helpers.ask('Which?', []), asked: () => asked, end: () => running.end() };
}

test('a human is asked a few things at the same time', () => {
  const { ask, asked, end } = callThatAsks(() => new Promise(() => {}));
  for (let count = 0; count < 3_000; count += 1) void ask();
  expect(asked()).toBe(10);
  end();
});

test('a call does not ask without an end', async () => {
  const { ask, asked, end } = callThatAsks(() => Promise.resolve({ kind: 'declined' }));
  for (let count = 0; count < 3_000; count += 1) await ask();
  expect(asked()).toBe(100);
  expect(await ask()).toMatchObject({ kind: 'withdrawn' });
  end();
});
