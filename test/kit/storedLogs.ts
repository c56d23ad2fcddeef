// Logs for the laws of the doors. In the project `postgres` they have been in a database: what the laws then
// hold for is what the store gives back.
import fc from 'fast-check';
import { expect } from 'vitest';
import { summarize } from '../../src/host/session/summary.ts';
import type { Entry } from '../../src/model/event.ts';
import { reduce } from '../../src/model/reduce.ts';
import { emptyState } from '../../src/model/state.ts';
import type { State } from '../../src/model/state.ts';
import { read } from '../contracts/logStore.ts';
import { sessionId } from './logs.ts';
import type { RandomLog } from './logs.ts';
import { emptyStore, isOnPostgres } from './testStore.ts';

/** So many random logs are stored. */
const storedCount = 200;

/** How often a law is tried: more often than there are stored logs would only repeat them. */
export function lawRuns(wanted: number): number {
  return isOnPostgres ? Math.min(wanted, storedCount) : wanted;
}

/** The logs themselves, or those of them that a database has given back. */
export async function storedLogs<L extends Pick<RandomLog, 'entries'>>(
  log: fc.Arbitrary<L>,
): Promise<fc.Arbitrary<L | RandomLog>> {
  if (!isOnPostgres) return log;
  const seed = Number(process.env['PARLEY_SEED'] ?? 20_261_116);
  const drawn = fc.sample(log, { numRuns: storedCount, seed }).map(({ entries }) => entries);
  return fc.constantFrom(...(await throughStore(drawn)).map(withStates));
}

async function throughStore(logs: readonly (readonly Entry[])[]): Promise<readonly (readonly Entry[])[]> {
  const store = await emptyStore();
  const found: Entry[][] = [];
  for (const [at, entries] of logs.entries()) {
    const id = `log-${at}`;
    const summary = { ...summarize(entries.reduce(reduce, emptyState(sessionId))), id };
    await store.write({
      entries: entries.map((entry) => ({ session: id, entry })),
      summaries: [summary],
      sync: 'disk',
    });
    found.push(await read(store, id));
    expect(found.at(-1)).toEqual(entries);
  }
  await store.close();
  return found;
}

function withStates(entries: readonly Entry[]): RandomLog {
  const states: State[] = [emptyState(sessionId)];
  for (const entry of entries) states.push(reduce(states.at(-1) as State, entry));
  return { entries, states };
}
