import fc from 'fast-check';
import { expect, test } from 'vitest';
import { logs } from '../../test/kit/logs.ts';
import { coalesce } from './coalesce.ts';
import { fold, reduce } from './reduce.ts';
import { emptyState } from './state.ts';
import type { State } from './state.ts';

const runs = { numRuns: 1000 };

test('decide never emits an event that reduce ignores', () => {
  fc.assert(
    fc.property(logs(), ({ entries, states }) => {
      entries.forEach((entry, i) => {
        const before = states[i] as State;
        if (fold(before, entry) === undefined) throw new Error(`ignored: ${JSON.stringify(entry.event)}`);
      });
    }),
    runs,
  );
});

test('coalesce changes no state, from any point of the log', () => {
  fc.assert(
    fc.property(logs(), fc.nat(), ({ entries, states }, cut) => {
      const k = cut % (entries.length + 1);
      const merged = [...coalesce(entries.slice(k))].reduce(reduce, states[k] as State);
      expect(merged).toEqual(states.at(-1));
    }),
    runs,
  );
});

test('reduce is total: entries out of place, unknown kinds and foreign logs never throw and only move the position', () => {
  fc.assert(
    fc.property(logs(), logs(), fc.nat(), (one, other, cut) => {
      let state = one.states[cut % one.states.length] as State;
      for (const entry of other.entries) state = reduce(state, entry);
      const unknown = {
        seq: 999,
        pos: 999,
        at: 1,
        by: { kind: 'host' },
        event: { kind: 'from.the.future', chat: 'x' },
      };
      expect(reduce(state, unknown as never)).toEqual({ ...state, seq: 999, pos: 999 });
    }),
    runs,
  );
});

test('the same log folds to the same state, and sequence numbers are dense', () => {
  fc.assert(
    fc.property(logs(), ({ entries, states }) => {
      expect(entries.reduce(reduce, emptyState('session-1'))).toEqual(states.at(-1));
      expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, i) => i + 1));
    }),
    runs,
  );
});

test('invariants hold in every reachable state', () => {
  fc.assert(
    fc.property(logs(), ({ states }) => {
      for (const state of states) {
        expect(Object.keys(state.chats).toSorted()).toEqual(state.order.toSorted());
        for (const chat of Object.values(state.chats)) {
          const past = chat.turns.flatMap(({ items }) => items);
          expect(past.filter((item) => item.type === 'tool' && item.status !== 'ended')).toEqual([]);
          expect(past.filter((item) => item.type === 'ask' && !item.answered)).toEqual([]);
          const open = Object.values(chat.asks);
          for (const { turn } of open) expect(turn).toBe(chat.active?.id);
          const asking =
            chat.active?.items
              .filter((item) => item.type === 'tool' && item.status === 'asking')
              .map(({ id }) => id) ?? [];
          expect(asking.toSorted()).toEqual(
            open.flatMap(({ ask }) => (ask.kind === 'approval' ? [ask.tool] : [])).toSorted(),
          );
          const ids = [...chat.turns.map(({ id }) => id), ...(chat.active ? [chat.active.id] : [])];
          expect(new Set(ids).size).toBe(ids.length);
        }
      }
    }),
    runs,
  );
});

test('a delta shares everything it does not touch', () => {
  fc.assert(
    fc.property(logs(), ({ entries, states }) => {
      entries.forEach(({ event }, i) => {
        if (event.kind !== 'text.added') return;
        const [before, after] = [states[i] as State, states[i + 1] as State];
        expect(after.chats[event.chat]?.turns).toBe(before.chats[event.chat]?.turns);
        for (const id of after.order.filter((other) => other !== event.chat))
          expect(after.chats[id]).toBe(before.chats[id]);
      });
    }),
    { numRuns: 200 },
  );
});
