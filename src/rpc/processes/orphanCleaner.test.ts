import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle } from '../../../test/kit/bundle.ts';
import type { Bundle } from '../../../test/kit/bundle.ts';
import { startOrphanCleaner } from './orphanCleaner.ts';

let folder: string;
let program: Bundle;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-orphans-'));
  const entry = join(folder, 'host.ts');
  writeFileSync(
    entry,
    `
    import { createChildTransport } from '${join(import.meta.dirname, '../transports/child.ts')}';
    import { ndjson } from '${join(import.meta.dirname, '../framing/ndjson.ts')}';
    const stubborn = ['-c', "trap '' HUP INT TERM; sleep 1000 & echo; while :; do sleep 0.1; done"];
    const started = [1, 2].map(() => createChildTransport({ command: 'sh', args: stubborn, framing: ndjson, graceMs: 100 }));
    started[0].close();
    void started[0].exited.then(() => setTimeout(() => process.stdout.write(String(started[1].pid) + '\\n'), 300));
    setInterval(() => {}, 1000);
  `,
  );
  program = await bundle(entry);
});
afterAll(() => {
  program.dispose();
  rmSync(folder, { recursive: true, force: true });
});

test('a program that heeds nothing does not outlive us, even when we are killed', async () => {
  const host = spawn(process.execPath, [program.path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(host.stdout, 'data')) as [Buffer];
  const pid = Number(said.toString());
  const before = await members(pid);
  host.kill('SIGKILL');
  await once(host, 'exit');
  expect(before).toBeGreaterThan(0);
  while ((await members(pid)) > 0) await delay(20);
});

test('what was released is left alone', async () => {
  const kept = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
  const lost = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
  const cleaner = startOrphanCleaner();
  for (const { pid } of [kept, lost]) cleaner.watch(pid ?? 0);
  cleaner.forget(kept.pid ?? 0);
  cleaner.forget(12345678);
  cleaner.stop();
  await once(lost, 'exit');
  expect(kept.exitCode).toBe(null);
  kept.kill('SIGKILL');
  await once(kept, 'exit');
});

test('a cleaner that somebody kills is noticed, and one that is stopped is not', async () => {
  let lost = 0;
  const before = await children();
  const first = startOrphanCleaner(() => {
    lost += 1;
  });
  const [pid = 0] = (await children()).filter((child) => !before.includes(child));
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => lost).toBe(1);
  first.stop();
  const second = startOrphanCleaner(() => {
    lost += 1;
  });
  const [other = 0] = (await children()).filter((child) => !before.includes(child));
  second.stop();
  await expect.poll(async () => (await children()).includes(other)).toBe(false);
  expect(lost).toBe(1);
});

async function children(): Promise<readonly number[]> {
  const { pid } = process;
  return (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean).map(Number);
}

/** How many processes of a group are left; one that waits to be reaped counts as gone. */
async function members(group: number): Promise<number> {
  try {
    process.kill(-group, 0);
  } catch {
    return 0;
  }
  const status = await readFile(`/proc/${group}/status`, 'utf8').catch(() => 'State:\tS');
  return /^State:\s+Z/m.test(status) ? 0 : 1;
}
