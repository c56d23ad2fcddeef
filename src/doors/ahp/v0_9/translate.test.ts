import fc from 'fast-check';
import { expect, test } from 'vitest';
import { differencesOf, enriched, stepsOf } from '../../../../test/kit/ahpLogs.ts';
import { logs } from '../../../../test/kit/logs.ts';
import type { State } from '../../../model/state.ts';
import { reducers } from '../../../protocols/ahp/v1_0/reduce.ts';
import { chatTarget, isSameTarget, sessionTarget } from '../channels/target.ts';
import type { Target } from '../channels/target.ts';
import { chatState } from '../v1_0/outbound/chatState.ts';
import { sessionState } from '../v1_0/outbound/sessionState.ts';
import { olderChat, olderSession, project } from './translate.ts';

test('also for peers of 0.9, who know less of chats', () => {
  fc.assert(
    fc.property(enriched(logs()), ({ entries }) => {
      let views = new Map<string, unknown>();
      for (const step of stepsOf(entries)) {
        const shown = project(step);
        const next = new Map<string, unknown>();
        for (const target of [sessionTarget, ...step.after.order.map(chatTarget)]) {
          const key = JSON.stringify(target);
          const wanted = olderState(step.after, target);
          const had = views.get(key);
          const reduce: (state: never, action: { readonly type: string }) => unknown =
            target.kind === 'chat' ? reducers.chat : reducers.session;
          const got =
            had === undefined
              ? wanted
              : shown
                  .filter((one) => isSameTarget(one.target, target))
                  .reduce<unknown>((view, { action }) => reduce(view as never, action), had);
          expect(differencesOf(wanted, got)).toEqual([]);
          next.set(key, wanted);
        }
        views = next;
      }
    }),
    { numRuns: 200 },
  );
});

test('what a client dispatched comes back with its number at most once per entry', () => {
  fc.assert(
    fc.property(enriched(logs()), ({ entries }) => {
      for (const step of stepsOf(entries)) {
        const origins = project(step).flatMap((outgoing) => outgoing.envelope('x').origin ?? []);
        expect(origins).toEqual(origins.slice(0, 1).map(() => ({ clientId: 'c1', clientSeq: 4 })));
      }
    }),
    { numRuns: 300 },
  );
});

function olderState(state: State, target: Target): unknown {
  if (target.kind !== 'chat') return olderSession(sessionState(state));
  const chat = chatState(state, target.chat);
  return chat && olderChat(chat);
}
