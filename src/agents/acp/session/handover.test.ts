import { expect, test } from 'vitest';
import type { EndedTurn, Item, ToolItem } from '../../../model/state.ts';
import { handover } from './handover.ts';

function turn(id: string, text: string, items: readonly Item[] = []): EndedTurn {
  return {
    id,
    message: { id, text },
    by: { kind: 'host' },
    startedAt: 0,
    endedAt: 1,
    items,
    usage: undefined,
    outcome: { kind: 'completed' },
  };
}

const answer = (text: string): Item => ({ type: 'text', id: 'i', at: 0, channel: 'answer', text });

const tool: ToolItem = {
  type: 'tool',
  id: 't',
  at: 0,
  name: 'execute',
  title: 'ls',
  toolKind: 'execute',
  source: 'agent',
  server: undefined,
  status: 'ended',
  inputText: '',
  input: {},
  locations: [],
  preview: [],
  basis: undefined,
  approval: undefined,
  runningAt: 0,
  endedAt: 1,
  output: '',
  content: [],
  result: {
    status: 'done',
    content: [
      { type: 'text', text: 'x'.repeat(3_000) },
      { type: 'edit', path: '/w/a', before: null, after: '' },
    ],
  },
};

test('nothing has nothing to hand over', () => {
  expect(handover([], undefined)).toBeUndefined();
});

test('turns are told with what was said and done, in short', () => {
  const given = handover(
    [turn('1', 'Look'), { ...turn('2', 'Again', [answer('I see.'), tool]), outcome: { kind: 'cancelled' } }],
    undefined,
  );
  expect(given?.given).toBe('all 2 turns before this one as text, with the output of tools cut short');
  expect(given?.text).toContain(
    `User: Look\n\nUser: Again\nAssistant: I see.\n[ls: done\n${'x'.repeat(500)}\n(2013 characters are ` +
      'left out here.)\n',
  );
  expect(given?.text).toContain('(The turn was cancelled.)');
});

test('what does not fit is left out from the beginning, and said so', () => {
  const turns = Array.from({ length: 10 }, (_, at) => turn(String(at), `${at} ${'y'.repeat(15_000)}`));
  const given = handover(turns, undefined);
  expect(given?.given).toBe('the last 3 of 10 turns as text, with the output of tools cut short');
  expect(given?.text).toContain('(7 turns are left out here.)');
  expect(given?.text.length).toBeLessThan(61_000);
  expect(handover([turn('1', 'z'.repeat(100_000))], undefined)?.text.length).toBeLessThan(61_000);
});

test('a summary stands for the turns it covers', () => {
  const given = handover([turn('1', 'First'), turn('2', 'Second'), turn('3', 'Third')], {
    summary: 'We began.',
    after: '2',
  });
  expect(given?.given).toBe(
    'a summary of the first 2 and the last 1 of 3 turns as text, with the output of tools cut short',
  );
  expect([
    given?.text.includes('We began.'),
    given?.text.includes('Second'),
    given?.text.includes('Third'),
  ]).toEqual([true, false, true]);
});
