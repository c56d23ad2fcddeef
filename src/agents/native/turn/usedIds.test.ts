import { expect, test } from 'vitest';
import { knownFacts, lazyTurn } from '../../../model/lazyTurn.ts';
import type { EndedTurn } from '../../../model/state.ts';
import { UsedIds } from './usedIds.ts';

const turn: EndedTurn = {
  id: 'turn',
  message: { id: 'message', text: 'Please explain.' },
  by: { kind: 'host' },
  startedAt: 1,
  items: [{ type: 'text', id: 'call_0', at: 1, channel: 'answer', text: 'Words.' }],
  usage: undefined,
  outcome: { kind: 'completed' },
  endedAt: 2,
};

const stored = lazyTurn(
  { ...turn },
  {
    known: knownFacts(turn),
    members: ['items'],
    read: () => {
      throw new Error('The turn was read.');
    },
  },
);

test.each<[string, readonly EndedTurn[]]>([
  ['of this host', [turn]],
  ['of a stored session, which is not read', [stored]],
])('an id of a turn %s is used', (_, turns) => {
  const used = new UsedIds(turns);
  expect([used.has('call_0'), used.has('call_1')]).toEqual([true, false]);
  used.add('call_1');
  expect(used.has('call_1')).toBe(true);
});
