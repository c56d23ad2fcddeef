// The start of a host with ten thousand stored sessions, the first session/new, the list and the search,
// compared with an empty host.
import { once } from 'node:events';
import { Host } from '../src/host/host.ts';
import { openLogger } from '../src/io/diagnostics/logger.ts';
import { openWorld } from '../src/io/store/realWorld.ts';
import { isRejection } from '../src/model/command.ts';
import { Editor } from './editor.ts';
import { waitForOutput, leanEnvironment, median, print, record, start, temporary } from './kit.ts';

const sessions = 10_000;
const rounds = 5;
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
const fresh = { empty: [] as number[], full: [] as number[] };
for (let round = 0; round < 3; round += 1) {
  fresh.empty.push(await firstSession(empty.dir));
  fresh.full.push(await firstSession(full.dir));
}
tell(`first session/new, ${sessions} sessions (G15)`, median(fresh.empty), median(fresh.full));
for (const [name, words] of Object.entries({ list: ['list'], search: ['search', 'words'] })) {
  // The first call after a start does what there is to do once.
  const first = { empty: await command(empty.dir, words), full: await command(full.dir, words) };
  tell(`sessions ${name}, ${sessions} sessions`, first.empty, first.full);
}
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

function tell(name: string, floor: number, parley: number): void {
  print(`${name}: ${floor.toFixed(1)} ms with none, ${parley.toFixed(1)} ms with all`);
  record({ name: `restart: ${name}`, unit: 'ms', floor, parley });
}

/** From the start of the program to its first session. */
async function firstSession(dir: string): Promise<number> {
  const began = performance.now();
  const program = [process.execPath, 'bin/parley.js', 'acp', '--standalone'];
  const editor = new Editor(program, leanEnvironment(dir), process.cwd());
  await editor.initialize();
  await editor.open(dir);
  const taken = performance.now() - began;
  await editor.close();
  return taken;
}

/** A command of `parley sessions` on a host that has just started, with the start of the program. */
async function command(dir: string, words: readonly string[]): Promise<number> {
  const host = start(['bin/parley.js', 'serve', '--port', '0'], leanEnvironment(dir));
  await waitForOutput(host, 'is listening on');
  const began = performance.now();
  const child = start(['bin/parley.js', 'sessions', ...words], leanEnvironment(dir));
  child.stdout?.resume();
  await once(child, 'exit');
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
