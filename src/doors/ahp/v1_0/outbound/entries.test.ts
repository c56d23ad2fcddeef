import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { differencesOf, enriched, stepsOf } from '../../../../../test/kit/ahpLogs.ts';
import { logs } from '../../../../../test/kit/logs.ts';
import { format1Logs } from '../../../../../test/kit/released.ts';
import { lawRuns, storedLogs } from '../../../../../test/kit/storedLogs.ts';
import { coalesce } from '../../../../model/coalesce.ts';
import type { Role } from '../../../../host/policy/roles.ts';
import type { Entry } from '../../../../model/event.ts';
import { emptyState } from '../../../../model/state.ts';
import type { State } from '../../../../model/state.ts';
import { chatTypes } from '../../../../../test/kit/ahp/v1_0/schema/chat.ts';
import { envelopeTypes } from '../../../../../test/kit/ahp/v1_0/schema/hostActions.ts';
import { wireTypes } from '../../../../../test/kit/ahp/v1_0/schema/wire.ts';
import { reducers } from '../../../../protocols/ahp/v1_0/reduce.ts';
import { chatTarget, isSameTarget, sessionTarget } from '../../channels/target.ts';
import type { Target } from '../../channels/target.ts';
import { actionsPerEntry } from '../../delivery/serverSeq.ts';
import { hasTerminal } from '../../outbound/content.ts';
import { stepShownTo } from '../../outbound/offeredAnswers.ts';
import { toolTerminalState } from './terminalState.ts';
import { changesetState } from './changesets.ts';
import { chatState } from './chatState.ts';
import { project, show } from './entries.ts';
import { sessionState } from './sessionState.ts';

const stored = await storedLogs(enriched(logs()));

const runs = { numRuns: lawRuns(1000) };

/** Every state of a log is compared, so the law holds from any entry to any later one. */
test('the snapshot at any entry and the actions after it make the later snapshot', () => {
  fc.assert(
    fc.property(stored, ({ entries }) => checkLaw(entries)),
    runs,
  );
});

test('also for those who are not offered every answer', () => {
  fc.assert(
    fc.property(stored, fc.constantFrom('observe', 'approve'), ({ entries }, role) =>
      checkLaw(entries, 'session-1', role),
    ),
    { numRuns: lawRuns(300) },
  );
});

test.each(format1Logs.map(({ name, entries }) => [name, entries] as const))(
  'also for a log of format 1: %s',
  (_, entries) => checkLaw(entries),
);

test('also when the pieces of a stream were merged', () => {
  fc.assert(
    fc.property(stored, fc.nat(), ({ entries }, cut) => {
      const k = cut % (entries.length + 1);
      checkLaw([...entries.slice(0, k), ...coalesce(entries.slice(k))]);
    }),
    { numRuns: lawRuns(300) },
  );
});

const folder = join(import.meta.dirname, '..', 'cases');
test.each(readdirSync(folder))('log in, wire out: %s', (file) => {
  const lines = readFileSync(join(folder, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly entry: Entry; readonly wire: readonly unknown[] });
  const entries = lines.map(({ entry }) => entry);
  const wire = stepsOf(entries, 's').map((step) =>
    project(step).map((outgoing) => {
      const { method, params } = JSON.parse(outgoing.text(uriOf(outgoing.target))) as {
        method: string;
        params: unknown;
      };
      expect(method).toBe('action');
      return params;
    }),
  );
  expect(wire).toEqual(lines.map((line) => line.wire));
  checkLaw(entries, 's');
});

test('everything that is said has the shape of the protocol', () => {
  fc.assert(
    fc.property(stored, ({ entries }) => {
      const steps = stepsOf(entries);
      for (const step of steps)
        for (const outgoing of project(step)) envelopeTypes.actionEnvelope.parse(outgoing.envelope('x'));
      const state = steps.at(-1)?.after ?? emptyState('session-1');
      wireTypes.sessionState.parse(sessionState(state));
      for (const chat of state.order) chatTypes.chatState.parse(chatState(state, chat));
    }),
    { numRuns: 100 },
  );
});

test('numbers grow over a whole log, and an entry becomes no more actions than it has numbers', () => {
  fc.assert(
    fc.property(stored, ({ entries }) => {
      const steps = stepsOf(entries);
      const seqs = steps.flatMap((step) => project(step).map(({ seq }) => seq));
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      expect(new Set(seqs).size).toBe(seqs.length);
      for (const step of steps) expect(show(step).length).toBeLessThan(actionsPerEntry);
    }),
    { numRuns: lawRuns(300) },
  );
});

test('what a client dispatched comes back with its number at most once per entry', () => {
  fc.assert(
    fc.property(stored, ({ entries }) => {
      for (const step of stepsOf(entries)) {
        const origins = project(step).flatMap((outgoing) => outgoing.envelope('x').origin ?? []);
        expect(origins).toEqual(origins.slice(0, 1).map(() => ({ clientId: 'c1', clientSeq: 4 })));
      }
    }),
    { numRuns: lawRuns(300) },
  );
});

function checkLaw(entries: readonly Entry[], id = 'session-1', role: Role = 'control'): void {
  let views = new Map<string, unknown>();
  for (const step of stepsOf(entries, id).map((each) => stepShownTo(role, each))) {
    const shown = show(step);
    const next = new Map<string, unknown>();
    for (const target of targetsIn(step.after)) {
      const key = JSON.stringify(target);
      const wanted = snapshot(step.after, target);
      const had = views.get(key);
      const got =
        had === undefined
          ? wanted
          : shown
              .filter((one) => isSameTarget(one.target, target))
              .reduce<unknown>((view, { action }) => reducerOf(target)(view as never, action), had);
      const differences = differencesOf(wanted, got);
      if (differences.length > 0) {
        throw new Error(
          `${key} after ${JSON.stringify(step.entry.event)}\n${differences.join('\n')}\n` +
            JSON.stringify(shown.map(({ action }) => action)),
        );
      }
      next.set(key, wanted);
    }
    views = next;
  }
}

function targetsIn(state: State): readonly Target[] {
  return [sessionTarget, { kind: 'changes' }, ...state.order.map(chatTarget), ...terminalsIn(state)];
}

function uriOf(target: Target): string {
  switch (target.kind) {
    case 'session':
      return 'script:/s';
    case 'changes':
      return 'ahp-changeset:/s';
    case 'terminal':
      return 'ahp-terminal:/x';
    case 'chat':
      return `ahp-chat:/${target.chat}`;
    case 'root':
      return 'ahp-root://';
    default:
      return target satisfies never;
  }
}

function snapshot(state: State, target: Target): unknown {
  if (target.kind === 'changes') return changesetState(state);
  if (target.kind === 'terminal') return toolTerminalState(state, target, (id) => `script:/${id}`);
  return target.kind === 'chat' ? chatState(state, target.chat) : sessionState(state);
}

function reducerOf({ kind }: Target): (state: never, action: { readonly type: string }) => unknown {
  return reducers[kind === 'changes' ? 'changeset' : kind];
}

/** The terminals that calls of a session are shown in. */
function terminalsIn({ chats, order }: State): readonly Target[] {
  return order.flatMap((chat) =>
    [...(chats[chat]?.turns ?? []), ...(chats[chat]?.active ? [chats[chat].active] : [])].flatMap((turn) =>
      turn.items.flatMap((item): readonly Target[] =>
        item.type === 'tool' && hasTerminal(item)
          ? [{ kind: 'terminal', chat, turn: turn.id, tool: item.id }]
          : [],
      ),
    ),
  );
}
