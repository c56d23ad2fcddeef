import { expect, test } from 'vitest';
import type { Event } from '../../model/event.ts';
import { reduce } from '../../model/reduce.ts';
import { emptyState } from '../../model/state.ts';
import type { State } from '../../model/state.ts';
import { summarize } from './summary.ts';

test.each([
  ['It broke.', 'It broke.'],
  ['x'.repeat(300), 'x'.repeat(200)],
  // Strict readers refuse a list with half a letter in it.
  [`${'x'.repeat(199)}😀`, 'x'.repeat(199)],
])('the reason of a failed session is cut between letters: %j', (message, failure) => {
  const events: readonly Event[] = [
    { kind: 'session.created', session: 's', agent: 'one', roots: ['/w'], options: {} },
    { kind: 'chat.created', chat: 's', origin: { type: 'user' } },
    { kind: 'turn.started', chat: 's', turn: 't', queued: false, message: { id: 'm', text: 'hi' } },
    {
      kind: 'turn.ended',
      chat: 's',
      turn: 't',
      outcome: { kind: 'failed', problem: { code: 'provider', message } },
    },
  ];
  const state = events.reduce<State>(
    (before, event, at) => reduce(before, { seq: at + 1, pos: at + 1, at, by: { kind: 'host' }, event }),
    emptyState('s'),
  );
  expect(summarize(state)).toMatchObject({ status: 'failed', failure });
});
