// A session that was opened from its stored state is like one from the log: all that is made from it is the
// same, whichever turn is looked at first, and however the file is damaged meanwhile.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isRecord } from '../../src/base/isRecord.ts';
import { project as acpProject } from '../../src/doors/acp/outbound/entries.ts';
import { chatState } from '../../src/doors/ahp/v1_0/outbound/chatState.ts';
import { project as ahpProject } from '../../src/doors/ahp/v1_0/outbound/entries.ts';
import { sessionState } from '../../src/doors/ahp/v1_0/outbound/sessionState.ts';
import { exportedChat } from '../../src/doors/eca/commands/transfer.ts';
import { project as ecaProject } from '../../src/doors/eca/outbound/entries.ts';
import { opening } from '../../src/doors/eca/outbound/replay.ts';
import { summarize } from '../../src/host/session/summary.ts';
import { StateFiles } from '../../src/io/store/stateFiles.ts';
import type { Entry } from '../../src/model/event.ts';
import { reduce } from '../../src/model/reduce.ts';
import { emptyState } from '../../src/model/state.ts';
import type { State } from '../../src/model/state.ts';
import { logs, sessionId } from '../kit/logs.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-states-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** What is made from a session, one thing at a time. */
const uses: { readonly [name: string]: (state: State, entries: readonly Entry[]) => unknown } = {
  summary: summarize,
  'AHP window': (state) => state.order.map((id) => chatState(state, id, 1)),
  'AHP snapshot': (state) => [sessionState(state), state.order.map((id) => chatState(state, id))],
  'AHP replay': (state, entries) =>
    steps(state, entries).map((step) => ahpProject(step).map((each) => each.envelope('x'))),
  'ACP replay': (state, entries) => steps(state, entries).map((step) => acpProject(step)),
  'ECA replay': (state, entries) => steps(state, entries).map((step) => ecaProject(step)),
  'ECA snapshot': (state) => state.order.map((id) => opening(state, id)),
  export: (state) => state.order.map((id) => exportedChat(state, id, 'title')),
};

const damages: { readonly [name: string]: (turns: Buffer) => void } = {
  nothing: () => {},
  'every turn': (turns) => turns.fill(0),
  'one turn': (turns) => turns.fill(0, 0, Math.min(1, turns.length)),
};

test('all that is made from a stored state is the same as from the log', async () => {
  const how = fc.record({
    /** How much of the log the stored state has. */
    percent: fc.nat(100),
    wanted: fc.shuffledSubarray(Object.keys(uses), { minLength: 2, maxLength: 3 }),
    damage: fc.constantFrom(...Object.keys(damages)),
  });
  await fc.assert(
    fc.asyncProperty(logs(40), how, async ({ entries }, { percent, wanted, damage }) => {
      const count = Math.ceil((entries.length * percent) / 100);
      const [before, since] = [entries.slice(0, count), entries.slice(count)];
      const folded = before.reduce(reduce, emptyState(sessionId));
      const stored = await throughFile(folded, before, damages[damage]);
      for (const name of wanted)
        expect(told(uses[name]?.(stored, since)), name).toBe(told(uses[name]?.(folded, since)));
      expect(entries.reduce(reduce, stored)).toEqual(entries.reduce(reduce, folded));
    }),
    { numRuns: 1_000 },
  );
}, 300_000);

/** As it is sent. Some messages are made later, from whole states that they carry. */
function told(made: unknown): string {
  return JSON.stringify(made, (_, value: unknown) =>
    isRecord(value) && 'firstAgent' in value ? undefined : value,
  );
}

/** A state that was stored, opened, stored again without being looked at, and opened again. */
async function throughFile(
  state: State,
  entries: readonly Entry[],
  damage: ((turns: Buffer) => void) | undefined,
): Promise<State> {
  const directory = mkdtempSync(join(folder, 'store-'));
  const files = new StateFiles({
    directory,
    isWanted: () => true,
    report: (problem) => {
      throw problem;
    },
    foldNow: (_, last) => entries.filter(({ seq }) => seq <= last).reduce(reduce, emptyState(sessionId)),
  });
  await files.write({ state, at: 1 });
  const first = await files.read(sessionId);
  if (!first) throw new Error('The state was not stored.');
  await files.write(first);
  const second = await files.read(sessionId);
  if (!second) throw new Error('The state was not stored again.');
  damageFile(directory, damage);
  return second.state;
}

/** Damages the turns of the stored state while it is open. */
function damageFile(directory: string, damage: ((turns: Buffer) => void) | undefined): void {
  const [name = ''] = readdirSync(directory);
  const bytes = readFileSync(join(directory, name));
  const [end = ''] = bytes.toString('latin1').trimEnd().split('\n').slice(-1);
  const { head } = JSON.parse(end.slice(end.indexOf(' '))) as { readonly head: number };
  damage?.(bytes.subarray(0, head));
  writeFileSync(join(directory, name), bytes);
}

function steps(state: State, entries: readonly Entry[]) {
  let after = state;
  return entries.map((entry) => {
    const before = after;
    after = reduce(before, entry);
    return { entry, before, after };
  });
}
