import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { enriched, stepsOf } from '../../../../../test/kit/ahpLogs.ts';
import { logs } from '../../../../../test/kit/logs.ts';
import { coalesce } from '../../../../model/coalesce.ts';
import type { Entry } from '../../../../model/event.ts';
import { emptyState } from '../../../../model/state.ts';
import type { State } from '../../../../model/state.ts';
import { diff } from '../../../../protocols/ahp/difference.ts';
import { chatTypes } from '../../../../../test/kit/ahp/v1_0/schema/chat.ts';
import { envelopeTypes } from '../../../../../test/kit/ahp/v1_0/schema/hostActions.ts';
import { wireTypes } from '../../../../../test/kit/ahp/v1_0/schema/wire.ts';
import { reducers } from '../../../../protocols/ahp/v1_0/reduce.ts';
import { changes, whole } from '../../delivery/outgoing.ts';
import type { Place } from '../../delivery/outgoing.ts';
import { actionsPerEntry } from '../../delivery/serverSeq.ts';
import { hasTerminal } from '../../outbound/content.ts';
import { isToolPlace, newestToolTerminal, toolPlace } from '../../outbound/toolTerminal.ts';
import { changesetState } from './changesets.ts';
import { chatState } from './chatState.ts';
import { olderChat, olderSession } from './v0_9.ts';
import { projections, show } from './entries.ts';
import { sessionState } from './sessionState.ts';

const runs = { numRuns: 1000 };

/** Every state of a log is compared, so the law holds from any entry to any later one. */
test('the snapshot at any entry and the actions after it make the later snapshot', () => {
  fc.assert(
    fc.property(enriched(logs()), ({ entries }) => checkLaw(entries)),
    runs,
  );
}, 120_000);

test('also when the pieces of a stream were merged', () => {
  fc.assert(
    fc.property(enriched(logs()), fc.nat(), ({ entries }, cut) => {
      const k = cut % (entries.length + 1);
      checkLaw([...entries.slice(0, k), ...coalesce(entries.slice(k))]);
    }),
    { numRuns: 300 },
  );
}, 120_000);

test('also for peers of 0.9, who know less of chats', () => {
  fc.assert(
    fc.property(enriched(logs()), ({ entries }) => {
      const views = new Map<Place, unknown>();
      for (const step of stepsOf(entries)) {
        const shown = projections['0.9.0'](step);
        for (const place of [whole, ...step.after.order]) {
          const wanted = plain(olderState(step.after, place));
          const had = views.get(place);
          const got =
            had === undefined
              ? wanted
              : shown
                  .filter((one) => one.place === place)
                  .reduce<unknown>((view, { action }) => reducerOf(place)(view as never, action), had);
          expect(plain(got)).toEqual(wanted);
          views.set(place, wanted);
        }
        for (const place of views.keys())
          if (place !== whole && !step.after.order.includes(place)) views.delete(place);
      }
    }),
    { numRuns: 200 },
  );
}, 120_000);

const folder = join(import.meta.dirname, '..', 'cases');
test.each(readdirSync(folder))('log in, wire out: %s', (file) => {
  const lines = readFileSync(join(folder, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly entry: Entry; readonly wire: readonly unknown[] });
  const entries = lines.map(({ entry }) => entry);
  const wire = stepsOf(entries, 's').map((step) =>
    projections['1.0.0'](step).map((outgoing) => {
      const { method, params } = JSON.parse(
        outgoing.text(
          outgoing.place === whole
            ? 'script:/s'
            : outgoing.place === changes
              ? 'ahp-changeset:/s'
              : isToolPlace(outgoing.place)
                ? 'ahp-terminal:/x'
                : `ahp-chat:/${outgoing.place}`,
        ),
      ) as { method: string; params: unknown };
      expect(method).toBe('action');
      return params;
    }),
  );
  expect(wire).toEqual(lines.map((line) => line.wire));
  checkLaw(entries, 's');
});

test('everything that is said has the shape of the protocol', () => {
  fc.assert(
    fc.property(enriched(logs()), ({ entries }) => {
      const steps = stepsOf(entries);
      for (const step of steps)
        for (const outgoing of projections['1.0.0'](step))
          envelopeTypes.actionEnvelope.parse(outgoing.envelope('x'));
      const state = steps.at(-1)?.after ?? emptyState('session-1');
      wireTypes.sessionState.parse(sessionState(state));
      for (const chat of state.order) chatTypes.chatState.parse(chatState(state, chat));
    }),
    { numRuns: 100 },
  );
});

test('numbers grow over a whole log, and an entry becomes no more actions than it has numbers', () => {
  fc.assert(
    fc.property(enriched(logs()), ({ entries }) => {
      const steps = stepsOf(entries);
      const seqs = steps.flatMap((step) => projections['1.0.0'](step).map(({ seq }) => seq));
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      expect(new Set(seqs).size).toBe(seqs.length);
      for (const step of steps) expect(show(step).length).toBeLessThan(actionsPerEntry);
    }),
    { numRuns: 300 },
  );
}, 120_000);

test('what a client dispatched comes back with its number at most once per entry', () => {
  fc.assert(
    fc.property(enriched(logs()), ({ entries }) => {
      for (const step of stepsOf(entries)) {
        const origins = projections['0.9.0'](step).flatMap((outgoing) => outgoing.envelope('x').origin ?? []);
        expect(origins).toEqual(origins.slice(0, 1).map(() => ({ clientId: 'c1', clientSeq: 4 })));
      }
    }),
    { numRuns: 300 },
  );
}, 120_000);

function checkLaw(entries: readonly Entry[], id = 'session-1'): void {
  const views = new Map<Place, unknown>();
  for (const step of stepsOf(entries, id)) {
    const shown = show(step);
    for (const place of [whole, changes, ...step.after.order, ...terminalsIn(step.after)]) {
      const wanted = snapshot(step.after, place);
      const had = views.get(place);
      const got =
        had === undefined
          ? wanted
          : shown
              .filter((one) => one.place === place)
              .reduce<unknown>((view, { action }) => reducerOf(place)(view as never, action), had);
      const differences = diff(plain(wanted), plain(got));
      if (differences.length > 0) {
        throw new Error(
          `${place === whole ? 'session' : place} after ${JSON.stringify(step.entry.event)}\n${differences.join('\n')}\n${JSON.stringify(shown.map(({ action }) => action))}`,
        );
      }
      views.set(place, wanted);
    }
    for (const place of views.keys())
      if (
        place !== whole &&
        place !== changes &&
        !step.after.order.includes(place) &&
        !terminalsIn(step.after).includes(place)
      )
        views.delete(place);
  }
}

function snapshot(state: State, place: Place): unknown {
  if (place === changes) return changesetState(state);
  if (isToolPlace(place)) return newestToolTerminal(state, place, (id) => `script:/${id}`);
  return place === whole ? sessionState(state) : chatState(state, place);
}

function olderState(state: State, place: Place): unknown {
  if (place === whole) return olderSession(sessionState(state));
  const chat = chatState(state, place);
  return chat && olderChat(chat);
}

function reducerOf(place: Place): (state: never, action: { readonly type: string }) => unknown {
  if (place === changes) return reducers.changeset;
  if (isToolPlace(place)) return reducers.terminal;
  return place === whole ? reducers.session : reducers.chat;
}

/** The terminals that calls of a session are shown in. */
function terminalsIn({ chats, order }: State): readonly Place[] {
  return order.flatMap((chat) =>
    [...(chats[chat]?.turns ?? []), ...(chats[chat]?.active ? [chats[chat].active] : [])].flatMap((turn) =>
      turn.items.flatMap((item) =>
        item.type === 'tool' && hasTerminal(item) ? [toolPlace({ chat, turn: turn.id, tool: item.id })] : [],
      ),
    ),
  );
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
