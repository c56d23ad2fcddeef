import { expect, test } from 'vitest';
import { ReservedChatIds } from './reservedChatIds.ts';

test('a chat is called after its call, the same each time, and never like another one', () => {
  let next = 0;
  const chats = new Set(['subagent-old']);
  const names = new ReservedChatIds({
    ids: { next: () => `n${(next += 1)}` },
    isChat: (id) => chats.has(id),
  });
  expect([names.of('t', 'call-1'), names.of('t', 'call-1')]).toEqual(['subagent-call-1', 'subagent-call-1']);
  expect([
    names.of('t', 'old'),
    names.of('u', 'call-1'),
    names.of('u', 'call-1'),
    names.of('u', 'a b'),
  ]).toEqual(['subagent-n1', 'subagent-n2', 'subagent-n2', 'subagent-n3']);
  names.release('t');
  expect([names.of('v', 'call-1'), names.of('u', 'call-1')]).toEqual(['subagent-call-1', 'subagent-n2']);
});
