// A client behind a slow line, on the real host: it gets the stream in fewer and larger pieces, holds nobody
// up, costs little memory, and ends with the same state.
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { ahpClient } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import { expectWithin } from '../kit/timeLimit.ts';

const home = newHome();
afterEach(() => home.dispose());

interface Line {
  readonly port: number;
  /** How many bytes pass to the client in a second. */
  rate: number;
  close(): void;
}

/** A line to a port of this machine that lets only so much pass. */
async function slowLine(to: number): Promise<Line> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    for (const socket of [near, far]) open.add(socket.on('error', () => socket.destroy()));
    near.pipe(far);
    far.on('data', (piece) => {
      near.write(piece);
      if (line.rate === Infinity) return;
      far.pause();
      setTimeout(() => far.resume(), (piece.length / line.rate) * 1000);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const line: Line = {
    port: (server.address() as AddressInfo).port,
    rate: Infinity,
    close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
  return line;
}

function memoryOf(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

test('a stream of megabytes reaches a slow client merged, and a fast one at once', async () => {
  const host = await home.serve();
  const line = await slowLine(host.port);
  const [fast, slow] = [await ahpClient(host), await ahpClient({ ...host, port: line.port })];
  const session = 'ahp-session:/slow';
  await fast.request('createSession', { channel: session, workingDirectories: [`file://${home.workspace}`] });
  const { defaultChat: chat } = await fast.subscribe(session);
  await fast.subscribe(chat);
  await slow.subscribe(chat);
  const before = memoryOf(host.pid);
  line.rate = 50_000;
  fast.dispatch(chat, {
    type: 'chat/turnStarted',
    turnId: 't1',
    startedAt: new Date(0).toISOString(),
    message: {
      text: `stream 200 ${'word'.repeat(30)}\npause 1\n`.repeat(200),
      origin: { kind: 'user' },
    },
  });
  const ended = await fast.until(chat, (state) => state.turns.length === 1);
  const lag = performance.now();
  expect(await fast.request('ping', { channel: 'ahp-root://' })).toBeNull();
  await expectWithin(5_000, lag);
  expect(slow.said.length).toBeLessThan(fast.said.length / 2);
  expect(memoryOf(host.pid) - before).toBeLessThan(250);
  line.rate = Infinity;
  expect(await slow.until(chat, (state) => state.turns.length === 1)).toEqual(ended);
  expect(slow.said.length).toBeLessThan(fast.said.length);
  expect(slow.seqs).toEqual(slow.seqs.toSorted((a, b) => a - b));
  await Promise.all([fast.close(), slow.close()]);
  line.close();
});
