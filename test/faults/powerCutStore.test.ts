// The power fails after a host has died or ended while the disk did not do what it was told: pieces of an
// answer that were on the disk once stay there. Needs strace.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore } from '../../src/io/store/sqlite/open.ts';
import { read } from '../contracts/logStore.ts';
import { bundle } from '../kit/bundle.ts';
import type { Bundle } from '../kit/bundle.ts';
import { canTrace, TracedDisk, tracing } from './powerCut.ts';
import { random } from './shownIsKept.ts';

let program: Bundle;

beforeAll(async () => {
  program = await bundle(fileURLToPath(new URL('./storeProgram.ts', import.meta.url)));
});
afterAll(() => program.dispose());

test.runIf(canTrace()).each([
  {
    title: 'closed the log after a failed sync',
    programs: ['closeInDoubt'],
    // One thread syncs, so that calls can be counted: the log and the pieces once each. A new log takes three
    // calls of fsync, and the next one is of the recovery.
    inject: ['fdatasync:error=EIO:when=3+', 'fsync:error=EIO:when=4'],
    // The last one never was on the disk before.
    entries: 24,
  },
  { title: 'died, and died again after its start', programs: ['stream', 'openAndDie'], entries: 23 },
])(
  'a loss of power after a host $title costs nothing that was on the disk',
  { timeout: 120_000 },
  async (on) => {
    const directory = mkdtempSync(join(tmpdir(), 'parley-power-'));
    try {
      const home = join(directory, 'home');
      const trace = join(directory, 'trace');
      for (const name of on.programs)
        spawnSync(
          'strace',
          ['-A', ...tracing(trace, on.inject), process.execPath, program.path, name, home],
          {
            env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
            timeout: 60_000,
          },
        );
      const disk = await TracedDisk.read(trace, home);
      expect([disk.failures > 0, disk.waits('log.db-running/pieces').length]).toEqual([
        on.inject !== undefined,
        20,
      ]);
      const next = random(Number(process.env['PARLEY_SEED'] ?? 20_261_119));
      for (let cut = 0; cut < 40; cut += 1) {
        const image = join(directory, `image-${cut}`);
        disk.writeImage(Number.POSITIVE_INFINITY, image, next);
        const problems: string[] = [];
        const store = await openStore({
          directory: image,
          report: (problem) => problems.push(String(problem)),
        });
        expect([cut, (await read(store, 'one')).length, problems]).toEqual([cut, on.entries, []]);
        await store.close();
      }
    } finally {
      rmSync(directory, { recursive: true });
    }
  },
);
