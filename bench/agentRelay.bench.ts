// The cost of relaying an agent's text to three clients through a session with a log, compared with a
// bare relay of the same bytes to three sockets. Agent process, log and sockets are real. Prints
// ratios; has no limit.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acpAgent } from '../src/agents/acp/agent.ts';
import { acpDoor } from '../src/doors/acp/door.ts';
import { Host } from '../src/host/host.ts';
import { agentLauncher } from '../src/io/agents/agentLauncher.ts';
import { files } from '../src/io/files/workspace.ts';
import { openLogger } from '../src/io/diagnostics/logger.ts';
import { pipedPrograms } from '../src/io/processes/pipedPrograms.ts';
import { workspaceSnapshots } from '../src/io/snapshots/workspaceSnapshots.ts';
import { openWorld } from '../src/io/store/realWorld.ts';
import { ndjson } from '../src/rpc/framing/ndjson.ts';
import { createPeer } from '../src/rpc/peer.ts';
import { createStreamTransport } from '../src/rpc/transports/stream.ts';

const pieces = 20_000;
const clients = 3;
const rounds = 3;

const folder = mkdtempSync(join(tmpdir(), 'parley-relay-'));
const program = join(folder, 'agent.cjs');
writeFileSync(
  program,
  `
  const chunk = (sessionId) => JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', messageId: 'm', content: { type: 'text', text: 'word ' } } } }) + '\\n';
  const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
  const flood = async (id) => { for (let at = 0; at < ${pieces}; at += 1) if (!process.stdout.write(chunk(id))) await new Promise((resolve) => process.stdout.once('drain', resolve)); };
  if (process.argv[2] === 'bare') flood('s');
  else require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
    const { id, method } = JSON.parse(line);
    if (method === 'initialize') say({ id, result: { protocolVersion: 1 } });
    if (method === 'session/new') say({ id, result: { sessionId: 's' } });
    if (method === 'session/prompt') { await flood('s'); say({ id, result: { stopReason: 'end_turn' } }); }
  }).on('close', () => process.exit(0));
`,
);

const bare: number[] = [];
const ours: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  bare.push(await bareRelay());
  ours.push(await throughHost());
}
rmSync(folder, { recursive: true, force: true });

const [floor, cost] = [Math.min(...bare), Math.min(...ours)];
const each = (milliseconds: number) => `${((milliseconds * 1_000) / pieces).toFixed(1)} us`;
process.stdout.write(
  `a piece of text from an agent to ${clients} clients: bare relay ${each(floor)}, through session, log ` +
    `and ACP door ${each(cost)}: ${(cost / floor).toFixed(1)}x\n`,
);

/** Copies the output of the program to every socket. */
async function bareRelay(): Promise<number> {
  const sockets: Socket[] = [];
  const { readers, close } = await listeners(
    (socket) => sockets.push(socket),
    (text) => text.split('\n').length - 1,
  );
  while (sockets.length < clients) await tick();
  const started = performance.now();
  const child = spawn(process.execPath, [program, 'bare'], { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.on('data', (chunk: Buffer) => sockets.forEach((socket) => socket.write(chunk)));
  await Promise.all(readers.map((reader) => reader(pieces)));
  const took = performance.now() - started;
  await close();
  return took;
}

async function throughHost(): Promise<number> {
  const data = mkdtempSync(join(folder, 'data-'));
  const logger = openLogger({ level: 'error', file: join(data, 'log') });
  const world = await openWorld({ directory: data, logger });
  const agent = acpAgent({
    program: { id: 'bench', name: 'Bench', description: '', command: process.execPath, args: [program] },
    launch: agentLauncher(process.env),
    ports: {
      clock: world.clock,
      ids: world.ids,
      files: files(),
      snapshots: workspaceSnapshots(),
      programs: pipedPrograms(),
    },
    version: '0',
    home: folder,
    root: false,
    report: () => {},
  });
  const host = await Host.start(world, [agent]);
  const door = acpDoor({ version: '0' });
  const { sockets, readers, close } = await listeners(
    (socket) =>
      void door.serve(createStreamTransport({ input: socket, output: socket, framing: ndjson }), host),
    wordsIn,
  );
  const [first, ...others] = sockets.map((socket) =>
    createPeer(createStreamTransport({ input: socket, output: socket, framing: ndjson }), {
      handle: { request: () => null, notification: () => {} },
    }),
  );
  if (!first) throw new Error('no client');
  const open = { cwd: folder, mcpServers: [] };
  for (const peer of [first, ...others])
    await peer.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const made = await first.request('session/new', open);
  const sessionId =
    typeof made === 'object' && made !== null && 'sessionId' in made ? made.sessionId : undefined;
  for (const peer of others) await peer.request('session/load', { ...open, sessionId });
  // The program is started, and the connection to it open, before anything is measured.
  const started = performance.now();
  await first.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'go' }] });
  await Promise.all(readers.map((reader) => reader(pieces)));
  const took = performance.now() - started;
  for (const peer of [first, ...others]) peer.close();
  await close();
  await host.close();
  logger.close();
  return took;
}

interface Listeners {
  readonly sockets: readonly Socket[];
  /** Resolves once a client has read so many pieces. */
  readonly readers: readonly ((count: number) => Promise<void>)[];
  readonly close: () => Promise<void>;
}

async function listeners(
  accept: (socket: Socket) => void,
  count: (text: string) => number,
): Promise<Listeners> {
  const server = createServer(accept);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo;
  const sockets = await Promise.all(
    Array.from({ length: clients }, async () => {
      const socket = connect(port, '127.0.0.1');
      await new Promise((resolve) => socket.once('connect', resolve));
      return socket;
    }),
  );
  const readers = sockets.map((socket) => {
    const read = { pieces: 0 };
    socket.on('data', (chunk: Buffer) => (read.pieces += count(chunk.toString('latin1'))));
    return async (wanted: number) => {
      for (;;) {
        if (read.pieces >= wanted) return;
        await tick();
      }
    };
  });
  return {
    sockets,
    readers,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** A slow client may get several pieces in one message, so the words are counted. */
function wordsIn(text: string): number {
  return text.split('word ').length - 1;
}

function tick(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 1);
  });
}
