import { once } from 'node:events';
import { createServer, connect } from 'node:net';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { contentLength } from '../framing/contentLength.ts';
import { createMemoryPair } from './memory.ts';
import { ndjson } from '../framing/ndjson.ts';
import { createStreamTransport } from './stream.ts';
import { createTap } from './traceTap.ts';
import type { CloseReason, Limits, Transport } from './transport.ts';
import { createWebSocketTransport } from './websocket.ts';

/** The promises of the interface, kept by every implementation. `hold` makes the right end stop reading. */
interface Ends {
  left: Transport;
  right: Transport;
  readonly hold: () => void;
  readonly release: () => void;
}

const makers: Record<string, (limits: Partial<Limits>) => Promise<Ends>> = {
  memory: async (limits) => {
    const [left, right] = createMemoryPair(limits);
    return { left, right, hold: () => right.hold(), release: () => right.release() };
  },
  'lines over pipes': async (limits) => {
    const there = new PassThrough({ highWaterMark: 1000 });
    const back = new PassThrough();
    const left = createStreamTransport({ input: back, output: there, framing: ndjson, limits });
    const right = createStreamTransport({ input: there, output: back, framing: ndjson, limits });
    return { left, right, hold: () => there.pause(), release: () => there.resume() };
  },
  'lengths over sockets': async (limits) => {
    const [near, far] = await sockets();
    const left = createStreamTransport({ input: near, output: near, framing: contentLength, limits });
    const right = createStreamTransport({ input: far, output: far, framing: contentLength, limits });
    return { left, right, hold: () => far.pause(), release: () => far.resume() };
  },
  'tapped lines over sockets': async (limits) => {
    const [near, far] = await sockets();
    const options = { sink: { write: () => {} }, now: () => 0 };
    const left = createTap(
      createStreamTransport({ input: near, output: near, framing: ndjson, limits }),
      options,
    );
    const right = createTap(
      createStreamTransport({ input: far, output: far, framing: ndjson, limits }),
      options,
    );
    return { left, right, hold: () => far.pause(), release: () => far.resume() };
  },
  websocket: async (limits) => {
    const [near, far] = await webSockets();
    const left = createWebSocketTransport(near, { limits });
    const right = createWebSocketTransport(far, { limits });
    return { left, right, hold: () => far.pause(), release: () => far.resume() };
  },
};

const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

describe.each(Object.entries(makers))('%s', (_name, make) => {
  test('messages arrive whole, in order, both ways', async () => {
    const { left, right, leftEnd, rightEnd } = await opened(make);
    const texts = [
      '{}',
      '"ü€😀"',
      `"${'x'.repeat(200_000)}"`,
      ...Array.from({ length: 500 }, (_, n) => `[${n}]`),
    ];
    for (const text of texts) {
      left.send(text);
      right.send(text);
    }
    await until(() => leftEnd.messages.length === texts.length && rightEnd.messages.length === texts.length);
    expect(rightEnd.messages).toEqual(texts);
    expect(leftEnd.messages).toEqual(texts);
  });

  test('delivery never happens inside send', async () => {
    const { left, rightEnd } = await opened(make);
    left.send('{}');
    expect(rightEnd.messages).toEqual([]);
    await until(() => rightEnd.messages.length === 1);
  });

  test('what arrives before listen is kept', async () => {
    const { left, right } = await ends(make);
    left.listen(new Recorder());
    left.send('1');
    left.send('2');
    await nextTurn();
    await nextTurn();
    const late = new Recorder();
    right.listen(late);
    await until(() => late.messages.length === 2);
    expect(late.messages).toEqual(['1', '2']);
  });

  test('what was sent before close still arrives, then both ends hear of it once', async () => {
    const { left, leftEnd, rightEnd } = await opened(make);
    for (let n = 0; n < 100; n++) left.send(`[${n}]`);
    left.close();
    left.close();
    left.send('"too late"');
    await until(() => leftEnd.reasons.length > 0 && rightEnd.reasons.length > 0);
    await nextTurn();
    expect(rightEnd.messages).toHaveLength(100);
    expect(leftEnd.reasons.map(({ kind }) => kind)).toEqual(['local']);
    expect(rightEnd.reasons.map(({ kind }) => kind)).toEqual(['ended']);
    expect(rightEnd.problems).toEqual([]);
  });

  test('close inside a message stops delivery', async () => {
    const { left, right } = await ends(make);
    left.listen(new Recorder());
    const stopping = new Recorder(() => right.close());
    right.listen(stopping);
    for (let n = 0; n < 5; n++) left.send(`[${n}]`);
    await until(() => stopping.reasons.length > 0);
    expect(stopping.messages).toEqual(['[0]']);
  });

  test('a held reader makes it unready; once released it drains', async () => {
    const { left, rightEnd, hold, release } = await opened(make, {
      softBufferedBytes: 20_000,
      maxBufferedBytes: 1e9,
    });
    let drained = 0;
    let disposed = 0;
    left.onDrain(() => drained++);
    left.onDrain(() => disposed++)[Symbol.dispose]();
    hold();
    let sent = 0;
    // The operating system takes some megabytes before it lets us feel the reader.
    while (left.ready()) {
      for (let n = 0; n < 50; n++) left.send(JSON.stringify(['x'.repeat(1000), sent++]));
      await nextTurn();
    }
    expect(left.ready()).toBe(false);
    const before = drained;
    release();
    await until(() => drained > before && rightEnd.messages.length === sent);
    expect(left.ready()).toBe(true);
    expect(left.buffered).toBe(0);
    expect(disposed).toBe(0);
  });

  test('a reader that never reads is dropped and the memory for it is bounded', async () => {
    const { left, leftEnd, hold } = await opened(make, {
      softBufferedBytes: 10_000,
      maxBufferedBytes: 100_000,
    });
    hold();
    let most = 0;
    for (let n = 0; n < 100_000 && leftEnd.reasons.length === 0; n++) {
      for (let m = 0; m < 5; m++) left.send(JSON.stringify('x'.repeat(2000)));
      most = Math.max(most, left.buffered);
      await nextTurn();
    }
    expect(leftEnd.reasons.map(({ kind }) => kind)).toEqual(['overflow']);
    expect(most).toBeLessThan(140_000);
  });

  test('a reader that takes nothing for too long is dropped', async () => {
    const limits = { softBufferedBytes: 10_000, maxBufferedBytes: 1e9, stalledMs: 50 };
    const { left, leftEnd, hold } = await opened(make, limits);
    hold();
    while (left.ready()) {
      for (let n = 0; n < 100; n++) left.send(JSON.stringify('x'.repeat(2000)));
      await nextTurn();
    }
    await until(() => leftEnd.reasons.length > 0);
    expect(leftEnd.reasons.map(({ kind }) => kind)).toEqual(['stalled']);
  });

  test('close is forced when the reader does not take the rest', async () => {
    const { left, leftEnd, hold } = await opened(make, {
      softBufferedBytes: 10_000,
      maxBufferedBytes: 1e9,
      closeMs: 50,
    });
    hold();
    while (left.ready()) {
      for (let n = 0; n < 100; n++) left.send(JSON.stringify('x'.repeat(2000)));
      await nextTurn();
    }
    left.close();
    await until(() => leftEnd.reasons.length > 0);
    expect(leftEnd.reasons.map(({ kind }) => kind)).toEqual(['local']);
  });
});

class Recorder {
  readonly messages: string[] = [];
  readonly problems: string[] = [];
  readonly reasons: CloseReason[] = [];
  private readonly each: () => void;

  constructor(each: () => void = () => {}) {
    this.each = each;
  }

  message(text: string): void {
    this.messages.push(text);
    this.each();
  }

  problem(problem: { kind: string }): void {
    this.problems.push(problem.kind);
  }

  closed(reason: CloseReason): void {
    this.reasons.push(reason);
  }
}

type Make = (limits: Partial<Limits>) => Promise<Ends>;

async function ends(make: Make, limits: Partial<Limits> = {}): Promise<Ends> {
  const made = await make({ closeMs: 200, ...limits });
  cleanups.push(() => {
    made.release();
    made.left.close();
    made.right.close();
  });
  return made;
}

async function opened(make: Make, limits: Partial<Limits> = {}) {
  const made = await ends(make, limits);
  const leftEnd = new Recorder();
  const rightEnd = new Recorder();
  made.left.listen(leftEnd);
  made.right.listen(rightEnd);
  return { ...made, leftEnd, rightEnd };
}

/** The test runner's own time limit ends a wait that never comes true. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTurn();
}

async function sockets(): Promise<[Socket, Socket]> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const near = connect(port, '127.0.0.1');
  const [far] = (await once(server, 'connection')) as [Socket];
  cleanups.push(() => {
    near.destroy();
    far.destroy();
    server.close();
  });
  return [near, far];
}

async function webSockets(): Promise<[WebSocket, WebSocket]> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const near = new WebSocket(`ws://127.0.0.1:${port}`);
  const connection = once(server, 'connection') as Promise<[WebSocket]>;
  const [[far]] = await Promise.all([connection, once(near, 'open')]);
  cleanups.push(() => {
    near.terminate();
    far.terminate();
    server.close();
  });
  return [near, far];
}
