// The cost of one streamed delta, stored and delivered to a client: compared with the bare agent, and as the
// transcript grows. Prints targets; has no limit.
import { once } from 'node:events';
import { project } from '../src/doors/acp/outbound/entries.ts';
import { Host } from '../src/host/host.ts';
import { shareLive } from '../src/host/session/live.ts';
import type { Session } from '../src/host/session/session.ts';
import { openLogger } from '../src/io/diagnostics/logger.ts';
import { openWorld } from '../src/io/store/realWorld.ts';
import { isRejection } from '../src/model/command.ts';
import {
  bareAgent,
  cpuOf,
  waitForOutput,
  leanEnvironment,
  median,
  print,
  record,
  start,
  temporary,
} from './kit.ts';

const deltas = 20_000;
const rounds = 5;

const bare: number[] = [];
const ours: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  bare.push(await processCost(['-e', bareAgent]));
  ours.push(await processCost(['bin/parley.js', 'acp', '--standalone']));
}
record({ name: 'delta: burst, CPU', unit: 'us', floor: median(bare), parley: median(ours) });
print(`bare agent      ${median(bare).toFixed(1)} µs CPU per delta`);
print(
  `parley, durable ${median(ours).toFixed(1)} µs CPU per delta: ` +
    `${(median(ours) / median(bare)).toFixed(2)}x (target 3x)`,
);

const sizes = [10, 1_000, 10_000];
const growth = new Map<number, number[]>(sizes.map((size) => [size, []]));
const sessions = await Promise.all(sizes.map(async (size) => ({ size, session: await prepared(size) })));
for (let round = 0; round < rounds; round += 1) {
  for (const { size, session } of sessions) growth.get(size)?.push(await deltaCost(session, round));
}
for (const [size, all] of growth) {
  const ratio = median(all) / median(growth.get(10) ?? []);
  print(
    `after ${String(size).padStart(6)} turns ${median(all).toFixed(1)} µs CPU per delta: ` +
      `${ratio.toFixed(2)}x (target 1.3x)`,
  );
  const floor = median(growth.get(10) ?? []);
  if (size > 10) record({ name: `delta: after ${size} turns, CPU`, unit: 'us', floor, parley: median(all) });
}
process.exit(0);

/** CPU of the whole process per delta, from the prompt to its answer. */
async function processCost(args: readonly string[]): Promise<number> {
  const { dir, remove } = temporary();
  const child = start(args, leanEnvironment(dir));
  const exited = once(child, 'exit');
  const send = (id: number, method: string, params: object) =>
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  send(1, 'initialize', { protocolVersion: 1, clientCapabilities: {} });
  await waitForOutput(child, '"id":1,');
  const answered = sessionOf(child);
  send(2, 'session/new', { cwd: dir, mcpServers: [] });
  const sessionId = await answered;
  send(3, 'session/prompt', { sessionId, prompt: [{ type: 'text', text: 'stream 500 word' }] });
  await waitForOutput(child, '"stopReason"');
  const before = cpuOf(child.pid ?? 0);
  send(4, 'session/prompt', { sessionId, prompt: [{ type: 'text', text: `stream ${deltas} word` }] });
  await waitForOutput(child, '"stopReason"');
  const cost = cpuOf(child.pid ?? 0) - before;
  child.stdin?.end();
  await exited;
  remove();
  return (cost * 1_000) / deltas;
}

function sessionOf(child: ReturnType<typeof start>): Promise<string> {
  return new Promise((resolve) => {
    child.stdout?.on('data', function hear(chunk: Buffer) {
      const found = /"sessionId":"([^"]+)"/.exec(chunk.toString());
      if (!found?.[1]) return;
      child.stdout?.off('data', hear);
      resolve(found[1]);
    });
  });
}

async function prepared(turns: number): Promise<Session> {
  const { dir, remove } = temporary();
  process.once('exit', remove);
  const world = await openWorld({ directory: dir, logger: openLogger({ level: 'error' }) });
  const never = { ref: '', prompt: () => new Promise<never>(() => {}), close: () => Promise.resolve() };
  const host = await Host.start(world, [
    { info: { id: 'none', name: 'None', description: '', models: [] }, open: () => Promise.resolve(never) },
  ]);
  const session = host.create({ id: `s${turns}`, roots: [] }, { kind: 'host' });
  if (isRejection(session)) throw new Error(session.message);
  for (let turn = 0; turn < turns; turn += 1) {
    const id = `t${turn}`;
    session.dispatch(
      { kind: 'startTurn', chat: session.id, turn: id, message: { id, text: 'hello' } },
      { kind: 'host' },
    );
    for (const item of ['a', 'b', 'c'])
      session.dispatch(
        {
          kind: 'report',
          chat: session.id,
          turn: id,
          report: { kind: 'text.added', item, channel: 'answer', text: 'some words of an answer' },
        },
        { kind: 'host' },
      );
    session.dispatch(
      { kind: 'endTurn', chat: session.id, turn: id, outcome: { kind: 'completed' }, next: `n${turn}` },
      { kind: 'host' },
    );
    if (turn % 100 === 0) await session.settled();
  }
  await session.settled();
  let delivered = 0;
  shareLive(project)(session).attach({
    deliver: (messages) => void (delivered += messages.length),
    ready: () => true,
    whenReady: () => {},
  });
  return session;
}

async function deltaCost(session: Session, round: number): Promise<number> {
  const turn = `bench-${round}`;
  session.dispatch(
    { kind: 'startTurn', chat: session.id, turn, message: { id: turn, text: 'go' } },
    { kind: 'host' },
  );
  await session.settled();
  const before = process.cpuUsage();
  for (let i = 0; i < deltas / 4; i += 1) {
    session.dispatch(
      {
        kind: 'report',
        chat: session.id,
        turn,
        report: { kind: 'text.added', item: 'x', channel: 'answer', text: 'word ' },
      },
      { kind: 'host' },
    );
    if (i % 256 === 0) await session.settled();
  }
  await session.settled();
  const { user, system } = process.cpuUsage(before);
  session.dispatch({ kind: 'stopTurn', chat: session.id, next: `after-${round}` }, { kind: 'host' });
  await session.settled();
  return (user + system) / (deltas / 4);
}
