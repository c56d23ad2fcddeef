// Which entries of a session become lines of a run.
import { expect, test } from 'vitest';
import type { Event } from '../../model/event.ts';
import { RunLines } from './lines.ts';

test('a stopped agent is mentioned that the chat of the run waits for, and none of other chats', () => {
  const lines = new RunLines(() => 0);
  lines.started({ session: 's', turn: 't', agent: 'a', roots: ['/w'] });
  const line = (event: Event) => lines.entry({ seq: 1, pos: 1, at: 1, by: { kind: 'host' }, event });
  const text = 'Waiting for A to stop.';
  expect(line({ kind: 'chat.changed', chat: 'other', stopping: text })).toBeUndefined();
  expect(line({ kind: 'chat.changed', chat: 's', stopping: null })).toBeUndefined();
  expect(line({ kind: 'chat.changed', chat: 's', stopping: text })).toEqual({
    type: 'notice',
    level: 'info',
    text,
  });
});
