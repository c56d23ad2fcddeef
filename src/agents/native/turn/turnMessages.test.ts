import { expect, test } from 'vitest';
import { emptyState } from '../../../model/state.ts';
import type { ModelMessage } from '../model.ts';
import { TurnMessages } from './turnMessages.ts';

const session = { id: 's', chat: 's', turn: 't', roots: [], model: undefined, mode: undefined };

test('the size of a message is estimated once, however often the size of all is wanted', () => {
  const messages = new TurnMessages({ session, history: [], state: () => emptyState('s') });
  let reads = 0;
  const counted: ModelMessage = {
    role: 'user',
    get content() {
      reads += 1;
      return [{ type: 'text', text: 'a text of 24 characters.' }] as const;
    },
  };
  messages.add([counted]);
  expect([messages.tokens(() => 10), messages.tokens(() => 10)]).toEqual([16, 16]);
  messages.add([{ role: 'assistant', content: [{ type: 'text', text: '12345678' }] }]);
  expect(messages.tokens(() => 10)).toBe(18);
  messages.measure(100);
  messages.add([{ role: 'user', content: [{ type: 'image', mediaType: 'image/png', data: 'AA==' }] }]);
  expect([messages.tokens(() => 10), reads]).toEqual([1_600, 1]);
});

test('the size follows when images are replaced by texts', () => {
  const messages = new TurnMessages({ session, history: [], state: () => emptyState('s') });
  messages.add([{ role: 'user', content: [{ type: 'image', mediaType: 'image/png', data: 'AA==' }] }]);
  expect([messages.tokens(() => 0), messages.dropImages('refused'), messages.tokens(() => 0)]).toEqual([
    1_500,
    true,
    12,
  ]);
  expect(messages.dropImages('refused')).toBe(false);
});
