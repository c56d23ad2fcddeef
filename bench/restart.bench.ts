// The start of a host with ten thousand stored sessions, compared with an empty one.
import { once } from 'node:events';
import { Host } from '../src/host/host.ts';
import { openLogger } from '../src/io/diagnostics/logger.ts';
import { openWorld } from '../src/io/store/realWorld.ts';
import { isRejection } from '../src/model/command.ts';
import { waitForOutput, leanEnvironment, median, print, record, start, temporary } from './kit.ts';

const sessions = 10_000;
const rounds = 11;
/** Limit: start with all sessions, relative to the empty start. */
const mostRatio = 1.25;

const logger = openLogger({ level: 'error' });
const empty = temporary();
const full = temporary();
await fill(full.dir);

const opening: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  const began = performance.now();
  const world = await openWorld({ directory: full.dir, logger });
  const host = await Host.start(world, []);
  opening.push(performance.now() - began);
  await host.close();
}
print(`opening the host on ${sessions} sessions in this process: ${median(opening).toFixed(1)} ms`);

const times = { empty: [] as number[], full: [] as number[] };
for (let round = 0; round < rounds; round += 1) {
  times.empty.push(await listening(empty.dir));
  times.full.push(await listening(full.dir));
}
const [without, withAll] = [median(times.empty), median(times.full)];
print(
  `until the host listens: ${without.toFixed(1)} ms with none, ${withAll.toFixed(1)} ms with ` +
    `${sessions} sessions: +${(withAll - without).toFixed(1)} ms, ${(withAll / without).toFixed(2)}x (at ` +
    `most ${mostRatio}x)`,
);
record({ name: 'restart: 10000 sessions', unit: 'ms', floor: without, parley: withAll });
empty.remove();
full.remove();
process.exit(withAll / without <= mostRatio ? 0 : 1);

async function listening(dir: string): Promise<number> {
  const began = performance.now();
  const host = start(['bin/parley.js', 'serve', '--port', '0'], leanEnvironment(dir));
  await waitForOutput(host, 'is listening on');
  const taken = performance.now() - began;
  host.kill('SIGTERM');
  await once(host, 'exit');
  return taken;
}

async function fill(dir: string): Promise<void> {
  const world = await openWorld({ directory: dir, logger });
  const never = { ref: '', prompt: () => new Promise<never>(() => {}), close: () => Promise.resolve() };
  const host = await Host.start(world, [
    { info: { id: 'none', name: 'None', description: '', models: [] }, open: () => Promise.resolve(never) },
  ]);
  for (let index = 0; index < sessions; index += 1) {
    const session = host.create(
      { id: `session-${index}`, roots: ['/home/somebody/project'] },
      { kind: 'host' },
    );
    if (isRejection(session)) throw new Error(session.message);
    const by = { kind: 'host' } as const;
    session.dispatch(
      {
        kind: 'startTurn',
        chat: session.id,
        turn: 't',
        message: { id: 'm', text: `What about number ${index}?` },
      },
      by,
    );
    session.dispatch(
      {
        kind: 'report',
        chat: session.id,
        turn: 't',
        report: { kind: 'text.added', item: 'a', channel: 'answer', text: 'some words of an answer' },
      },
      by,
    );
    session.dispatch(
      { kind: 'endTurn', chat: session.id, turn: 't', outcome: { kind: 'completed' }, next: 'n' },
      by,
    );
    if (index % 200 === 199) await session.settled();
  }
  await host.close();
}
