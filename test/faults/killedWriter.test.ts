// A process that writes the real log and is killed at any moment. Runs on SQLite and on PostgreSQL.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DurableStore } from '../../src/io/store/durableStore.ts';
import { openStore } from '../../src/io/store/sqlite/open.ts';
import { read } from '../contracts/logStore.ts';
import { bundle } from '../kit/bundle.ts';
import type { Bundle } from '../kit/bundle.ts';
import { openOn, ownDatabase } from '../kit/testStore.ts';
import { isExpected } from './writtenEntries.ts';

const rounds = Number(process.env['PARLEY_WRITER_ROUNDS'] ?? 25);
const database = ownDatabase();
const directory = mkdtempSync(join(tmpdir(), 'parley-fault-'));
let program: Bundle;

beforeAll(async () => {
  program = await bundle(fileURLToPath(new URL('./storeProgram.ts', import.meta.url)));
});
afterAll(() => {
  program.dispose();
  rmSync(directory, { recursive: true, force: true });
});

function start() {
  const env = { ...process.env, ...(database === undefined ? {} : { PARLEY_STORE: database }) };
  return spawn(process.execPath, [program.path, 'write', directory], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function open(): Promise<DurableStore> {
  if (database !== undefined) return openOn(database);
  return openStore({
    directory,
    report: (problem) => {
      throw problem;
    },
  });
}

test(
  'nothing that was acknowledged is lost when the process is killed, however often',
  { timeout: Math.max(120_000, rounds * 15_000) },
  async () => {
    const acknowledged = new Map<string, number>();
    let highest = 0;
    for (let round = 0; round < rounds; round += 1) {
      const child = start();
      const exited = once(child, 'exit');
      const lines = createInterface({ input: child.stdout });
      // Each round dies at another moment: some in the first writes, some after many.
      let left = 1 + ((round * 37) % 150);
      for await (const line of lines) {
        const [session = '', seq, pos] = line.split(' ');
        if (pos === undefined) continue;
        acknowledged.set(session, Math.max(acknowledged.get(session) ?? 0, Number(seq)));
        highest = Math.max(highest, Number(pos));
        left -= 1;
        if (left === 0) child.kill('SIGKILL');
      }
      await exited;
      expect(child.signalCode).toBe('SIGKILL');

      const store = await open();
      for (const [session, seq] of acknowledged) {
        const entries = await read(store, session);
        expect(entries.map((entry) => entry.seq)).toEqual(
          Array.from({ length: entries.length }, (_, index) => index + 1),
        );
        expect(entries.length).toBeGreaterThanOrEqual(seq);
        expect(entries.filter((entry) => !isExpected(session, entry))).toEqual([]);
      }
      expect(store.head()).toBeGreaterThanOrEqual(highest);
      expect(store.summaries().map(({ id }) => id)).toEqual(expect.arrayContaining([...acknowledged.keys()]));
      expect(await store.verify()).toEqual([]);
      await store.close();
    }
  },
);
