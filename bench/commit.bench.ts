// What a durable commit costs everybody else: how long it holds the event loop, and how long it takes in all,
// compared with one write and one sync of a plain file of the same bytes. Prints ratios; has no limit.
import { fdatasync, openSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Batch } from '../src/host/session/logStore.ts';
import { summarize } from '../src/host/session/summary.ts';
import { openStore } from '../src/io/store/sqlite/open.ts';
import type { Entry } from '../src/model/event.ts';
import { emptyState } from '../src/model/state.ts';
import { median, print, record, temporary } from './kit.ts';

const commits = 300;
const { dir, remove } = temporary();
const store = await openStore({ directory: dir, report: (problem) => print(String(problem)) });
const file = openSync(`${dir}/plain`, 'a');
const sync = promisify(fdatasync);

const held = { plain: [] as number[], log: [] as number[] };
const taken = { plain: [] as number[], log: [] as number[] };
for (let seq = 1; seq <= commits; seq += 1) {
  const batch = batchOf(seq);
  await measure('log', () => store.write(batch));
  await measure('plain', () => {
    writeSync(file, JSON.stringify(batch));
    return sync(file);
  });
}
await store.close();
remove();
tell('the event loop is held', held);
tell('until it is on the disk  ', taken);

async function measure(name: 'plain' | 'log', run: () => void | Promise<void>): Promise<void> {
  const started = performance.now();
  const done = run();
  held[name].push(performance.now() - started);
  await done;
  taken[name].push(performance.now() - started);
}

function batchOf(seq: number): Batch {
  const text = `Title ${seq} `.repeat(10);
  const event: Entry['event'] = { kind: 'session.changed', changes: { title: text } };
  const entry: Entry = { seq, pos: seq, at: seq, by: { kind: 'host' }, event };
  const summaries = [summarize({ ...emptyState('s'), seq })];
  return { entries: [{ session: 's', entry }], summaries, sync: 'disk' };
}

function tell(what: string, times: typeof held): void {
  const [plain, log] = [median(times.plain), median(times.log)];
  const worst = Math.max(...times.log);
  record({ name: `commit: ${what.trim()}`, unit: 'ms', floor: plain, parley: log });
  print(
    `${what} ${(log * 1000).toFixed(0)} us (plain file ${(plain * 1000).toFixed(0)} us, ` +
      `${(log / plain).toFixed(1)}x), longest ${worst.toFixed(1)} ms`,
  );
}
