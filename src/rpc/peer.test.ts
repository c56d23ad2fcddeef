import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { createMemoryPair } from './memory.ts';
import type { MemoryTransport } from './memory.ts';
import { createPeer } from './peer.ts';
import type { Handler, Peer, PeerOptions, PeerProblem } from './peer.ts';
import { RpcError } from './rpcError.ts';
import type { CloseReason } from './transport.ts';

const cancel = { method: 'stop', idKey: 'requestId' };
const open: Peer[] = [];

afterEach(() => {
  for (const peer of open.splice(0)) peer.close();
});

describe('requests', () => {
  test('a result comes back, both ways at once', async () => {
    const { left, right } = pair({ request: (method, params) => [method, params] });
    expect(await left.request('m', { a: 1 })).toEqual(['m', { a: 1 }]);
    expect(await right.request('n')).toEqual(['n', null]);
  });

  test('answers may overtake each other', async () => {
    const slow = deferred<string>();
    const { left } = pair({ request: (method) => (method === 'slow' ? slow.promise : 'fast') });
    const order: unknown[] = [];
    const first = left.request('slow').then((result) => order.push(result));
    await left.request('fast').then((result) => order.push(result));
    slow.resolve('slow');
    await first;
    expect(order).toEqual(['fast', 'slow']);
  });

  test('an answer stands behind the notifications sent before it', async () => {
    const seen: unknown[] = [];
    const { left, right } = pair({
      notification: (_method, params) => seen.push(params),
      request: async () => {
        for (let n = 0; n < 3; n++) {
          right.notify('n', [n]);
          await nextTurn();
        }
        return 'done';
      },
    });
    seen.push(await left.request('m'));
    expect(seen).toEqual([[0], [1], [2], 'done']);
  });

  test('what arrives after an answer waits for the code that awaited it', async () => {
    const order: string[] = [];
    const { client, wire } = raw({ notification: (method) => order.push(method) });
    const wrapped = async () => await client.request('m');
    const wrappedTwice = async () => await wrapped();
    const asked = wrappedTwice().then(() => order.push('answered'));
    await nextTurn();
    wire.send('{"jsonrpc":"2.0","method":"before"}');
    wire.send('{"jsonrpc":"2.0","id":1,"result":1}');
    wire.send('{"jsonrpc":"2.0","method":"after"}');
    wire.send('{"jsonrpc":"2.0","method":"later"}');
    wire.close();
    await asked;
    await client.closed;
    expect(order).toEqual(['before', 'answered', 'after', 'later']);
  });

  test('our ids are integers from 1', async () => {
    const { client, received } = raw({});
    void client.request('a').catch(() => {});
    void client.request('b', [2]).catch(() => {});
    await nextTurn();
    expect(received).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'a' },
      { jsonrpc: '2.0', id: 2, method: 'b', params: [2] },
    ]);
  });

  test('an answer to no request is reported and ignored', async () => {
    const { client, wire, problems, received } = raw({});
    wire.send('{"jsonrpc":"2.0","id":99,"result":1}');
    wire.send('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}');
    wire.send('{"jsonrpc":"2.0","id":"1","result":1}');
    await nextTurn();
    expect(problems.map(({ kind }) => kind)).toEqual(['unknownResponse', 'unknownResponse', 'unknownResponse']);
    expect(received).toEqual([]);
    expect(client.ready()).toBe(true);
  });
});

describe('errors', () => {
  const thrown: { name: string; error: unknown; body: unknown; reported: boolean }[] = [
    { name: 'typed', error: new RpcError(-32601, 'Method not found', { method: 'm' }), body: { code: -32601, message: 'Method not found', data: { method: 'm' } }, reported: false },
    { name: 'raw, a word as code', error: RpcError.raw({ code: 'cursor_expired', message: 'x' }), body: { code: 'cursor_expired', message: 'x' }, reported: false },
    { name: 'raw, no code', error: RpcError.raw({ type: 'warning', message: 'x' }), body: { type: 'warning', message: 'x' }, reported: false },
    { name: 'raw, not JSON', error: RpcError.raw({ big: 1n }), body: { code: -32603, message: 'Internal error' }, reported: true },
    { name: 'an exception', error: new Error('password at /home/me'), body: { code: -32603, message: 'Internal error' }, reported: true },
    { name: 'a thrown string', error: 'secret', body: { code: -32603, message: 'Internal error' }, reported: true },
    { name: 'thrown undefined', error: undefined, body: { code: -32603, message: 'Internal error' }, reported: true },
  ];

  test.each(thrown)('thrown or rejected: $name', async ({ error, body, reported }) => {
    const { client, wire, received, problems } = raw({
      request: (method) => {
        if (method === 'rejects') return Promise.reject(error);
        throw error;
      },
    });
    wire.send('{"jsonrpc":"2.0","id":"a","method":"throws"}');
    wire.send('{"jsonrpc":"2.0","id":"b","method":"rejects"}');
    await nextTurn();
    expect(received).toEqual([
      { jsonrpc: '2.0', id: 'a', error: body },
      { jsonrpc: '2.0', id: 'b', error: body },
    ]);
    expect(problems.map(({ kind }) => kind)).toEqual(reported ? ['handler', 'handler'] : []);
    expect(client.ready()).toBe(true);
  });

  test('a result that is not JSON is an internal error', async () => {
    const { left, problems } = pair({ request: () => ({ big: 1n }) });
    await expect(left.request('m')).rejects.toMatchObject({ code: -32603, message: 'Internal error' });
    expect(problems).toHaveLength(1);
  });

  test('an error answer rejects with its body, whatever its shape', async () => {
    const { client, wire } = raw({});
    const asked = client.request('m');
    wire.send('{"jsonrpc":"2.0","id":1,"error":{"type":"warning","message":"careful"}}');
    await expect(asked).rejects.toMatchObject({
      name: 'RpcError',
      code: undefined,
      message: 'careful',
      body: { type: 'warning', message: 'careful' },
    });
  });

  test('a failing notification handler is reported, and the next message is handled', async () => {
    const seen: string[] = [];
    const { left, problems } = pair({
      notification: (method) => {
        seen.push(method);
        if (method === 'throws') throw new Error('x');
        return method === 'rejects' ? Promise.reject(new Error('y')) : undefined;
      },
    });
    for (const method of ['throws', 'rejects', 'works']) left.notify(method);
    await nextTurn();
    expect(seen).toEqual(['throws', 'rejects', 'works']);
    expect(problems.map(({ kind }) => kind)).toEqual(['handler', 'handler']);
  });
});

describe('cancellation', () => {
  test('an aborted request rejects at once and is cancelled over there', async () => {
    const aborted = deferred<void>();
    const { left, problems } = pair({
      request: (_method, _params, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted.resolve();
            reject(signal.reason as Error);
          });
        }),
    });
    const controller = new AbortController();
    const asked = left.request('m', {}, { signal: controller.signal });
    await nextTurn();
    controller.abort();
    await expect(asked).rejects.toMatchObject({ code: -32800 });
    await aborted.promise;
    await nextTurn();
    expect(problems).toEqual([]);
  });

  test('a request that is already aborted is never sent', async () => {
    const { client, received } = raw({});
    await expect(client.request('m', {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: -32800 });
    await nextTurn();
    expect(received).toEqual([]);
  });

  test('the cancel notification names the request as the protocol wants it', async () => {
    const { client, received } = raw({});
    const controller = new AbortController();
    const asked = client.request('m', undefined, { signal: controller.signal }).catch(() => 'cancelled');
    controller.abort();
    expect(await asked).toBe('cancelled');
    await nextTurn();
    expect(received[1]).toEqual({ jsonrpc: '2.0', method: 'stop', params: { requestId: 1 } });
  });

  const outcomes: { name: string; handler: Handler['request']; answer: object }[] = [
    { name: 'gives up', handler: untilAborted('throw'), answer: { error: { code: -32800, message: 'Request cancelled' } } },
    { name: 'finishes anyway', handler: untilAborted('return'), answer: { result: 'partial' } },
    { name: 'has its own error', handler: untilAborted('refuse'), answer: { error: { code: 7, message: 'own' } } },
  ];

  test.each(outcomes)('a cancelled request is still answered: the handler $name', async ({ handler, answer }) => {
    const { wire, received, problems } = raw({ request: handler });
    wire.send('{"jsonrpc":"2.0","id":"x","method":"m"}');
    wire.send('{"jsonrpc":"2.0","method":"stop","params":{"requestId":"x"}}');
    await nextTurn();
    expect(received).toEqual([{ jsonrpc: '2.0', id: 'x', ...answer }]);
    expect(problems).toEqual([]);
  });

  test('a cancel of another id, of another type of id or of nothing changes nothing', async () => {
    const { wire, received } = raw({ request: untilAborted('throw') });
    wire.send('{"jsonrpc":"2.0","id":1,"method":"m"}');
    for (const params of ['{"requestId":"1"}', '{"requestId":2}', '{}', 'null', '[1]', '{"__proto__":{"requestId":1}}']) {
      wire.send(`{"jsonrpc":"2.0","method":"stop","params":${params}}`);
    }
    await nextTurn();
    expect(received).toEqual([]);
  });

  test('a signal first read after the cancellation is aborted', async () => {
    const go = deferred<void>();
    const { wire, received } = raw({
      request: async (_method, _params, context) => {
        await go.promise;
        return context.signal.aborted;
      },
    });
    wire.send('{"jsonrpc":"2.0","id":1,"method":"m"}');
    wire.send('{"jsonrpc":"2.0","method":"stop","params":{"requestId":1}}');
    await nextTurn();
    go.resolve();
    await nextTurn();
    expect(received).toEqual([{ jsonrpc: '2.0', id: 1, result: true }]);
  });

  test('a finished request leaves no listener on its signal', async () => {
    const { left } = pair({ request: () => 1 });
    const controller = new AbortController();
    let listeners = 0;
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...given: Parameters<typeof add>) => (listeners++, add(...given));
    signal.removeEventListener = (...given: Parameters<typeof remove>) => (listeners--, remove(...given));
    await left.request('m', {}, { signal });
    expect(listeners).toBe(0);
  });
});

describe('limits and the end', () => {
  test('one request too many is refused, the others are served', async () => {
    const go = deferred<void>();
    const { wire, received, problems } = raw({ request: () => go.promise }, { limits: { maxPending: 2 } });
    for (const id of [1, 2, 3]) wire.send(`{"jsonrpc":"2.0","id":${id},"method":"m"}`);
    await nextTurn();
    expect(received).toEqual([
      { jsonrpc: '2.0', id: 3, error: { code: -32099, message: 'Too many requests in flight', data: { reason: 'overloaded' } } },
    ]);
    go.resolve();
    await nextTurn();
    wire.send('{"jsonrpc":"2.0","id":4,"method":"m"}');
    await nextTurn();
    expect(received.slice(1).map(({ id }) => id)).toEqual([1, 2, 4]);
    expect(problems.map(({ kind }) => kind)).toEqual(['overloaded']);
  });

  test('one id in use twice: both are served', async () => {
    const { wire, received } = raw({ request: (method) => Promise.resolve(method) });
    wire.send('{"jsonrpc":"2.0","id":1,"method":"a"}');
    wire.send('{"jsonrpc":"2.0","id":1,"method":"b"}');
    await nextTurn();
    expect(received).toEqual([
      { jsonrpc: '2.0', id: 1, result: 'a' },
      { jsonrpc: '2.0', id: 1, result: 'b' },
    ]);
  });

  test('the end rejects what we asked and aborts what we were asked', async () => {
    const signals: AbortSignal[] = [];
    const { left, right } = pair({
      request: (_method, _params, { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    });
    const asked = left.request('m');
    await nextTurn();
    right.close();
    await expect(asked).rejects.toMatchObject({ code: -32098, data: { kind: 'ended' } });
    expect(await left.closed).toEqual({ kind: 'ended' });
    expect(await right.closed).toEqual({ kind: 'local' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    await expect(left.request('m')).rejects.toMatchObject({ code: -32098 });
    left.notify('ignored');
  });

  test('a reader that is behind makes the peer unready, and drain tells when it has caught up', async () => {
    const { client, wire } = raw({}, { transport: { softBufferedBytes: 1000, maxBufferedBytes: 10_000 } });
    let drained = 0;
    client.onDrain(() => drained++);
    client.onDrain(() => {
      throw new Error('a drain callback of a careless caller');
    });
    wire.hold();
    while (client.ready()) client.notify('n', { text: 'x'.repeat(100) });
    await nextTurn();
    expect(client.buffered).toBeGreaterThan(1000);
    expect(drained).toBe(0);
    wire.release();
    await nextTurn();
    expect(client.ready()).toBe(true);
    expect(drained).toBe(1);
  });

  test('a reader that never reads is dropped at the limit', async () => {
    const { client, wire } = raw({}, { transport: { softBufferedBytes: 1000, maxBufferedBytes: 10_000 } });
    wire.hold();
    let held = 0;
    const closed: CloseReason[] = [];
    void client.closed.then((reason) => closed.push(reason));
    for (let n = 0; n < 1000 && closed.length === 0; n++) {
      client.notify('n', { text: 'x'.repeat(100) });
      held = Math.max(held, client.buffered);
      await nextTurn();
    }
    expect(closed.map(({ kind }) => kind)).toEqual(['overflow']);
    expect(held).toBeLessThan(11_000);
  });

  test('one great burst is not held against a reader that had no chance to read', async () => {
    const { client, wire, received } = raw({}, { transport: { softBufferedBytes: 1000, maxBufferedBytes: 10_000 } });
    for (let n = 0; n < 1000; n++) client.notify('n', { text: 'x'.repeat(100) });
    await nextTurn();
    expect(received).toHaveLength(1000);
    wire.hold();
    client.notify('n', { text: 'x'.repeat(100_000) });
    for (let n = 0; n < 50; n++) {
      client.notify('n', { text: 'x'.repeat(100) });
      await nextTurn();
    }
    wire.release();
    await nextTurn();
    expect(received).toHaveLength(1051);
  });

  test('a text encoded once reaches many', async () => {
    const seen: unknown[] = [];
    const { left, right } = pair({ notification: (method, params) => seen.push([method, params]) });
    const text = '{"jsonrpc":"2.0","method":"m","params":{"a":1}}';
    left.sendRaw(text);
    right.sendRaw(text);
    await nextTurn();
    expect(seen).toEqual([['m', { a: 1 }], ['m', { a: 1 }]]);
  });

  test('malformed input may be reported without an answer', async () => {
    const { wire, received, problems } = raw({}, { peer: { malformed: 'report' } });
    wire.send('npm warn something');
    wire.send('{"jsonrpc":"2.0","id":5}');
    await nextTurn();
    expect(problems.map(({ kind }) => kind)).toEqual(['parse', 'invalid']);
    expect(received.map(({ id }) => id)).toEqual([5]);
  });
});

interface RawOptions {
  readonly limits?: PeerOptions['limits'];
  readonly transport?: PeerOptions['limits'];
  readonly peer?: Partial<PeerOptions>;
}

/** A peer whose other side is a bare wire. */
function raw(handle: Partial<Handler>, options: RawOptions = {}) {
  const [here, wire] = createMemoryPair(options.transport);
  const received: { id?: unknown }[] = [];
  wire.listen({
    message: (text) => received.push(JSON.parse(text) as { id?: unknown }),
    problem: () => {},
    closed: () => {},
  });
  const problems: PeerProblem[] = [];
  const client = peerOn(here, handle, { ...(options.limits && { limits: options.limits }), ...options.peer, problem: (p) => problems.push(p) });
  return { client, wire, received, problems };
}

/** Two peers with the same handler. */
function pair(handle: Partial<Handler>) {
  const [a, b] = createMemoryPair();
  const problems: PeerProblem[] = [];
  const options = { problem: (problem: PeerProblem) => problems.push(problem) };
  return { left: peerOn(a, handle, options), right: peerOn(b, handle, options), problems };
}

function peerOn(transport: MemoryTransport, handle: Partial<Handler>, options: Partial<PeerOptions>): Peer {
  const peer = createPeer(transport, { cancel, ...options, handle: { request: () => null, notification: () => {}, ...handle } });
  open.push(peer);
  return peer;
}

function untilAborted(then: 'throw' | 'return' | 'refuse'): Handler['request'] {
  return (_method, _params, { signal }) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => {
        if (then === 'return') resolve('partial');
        else reject(then === 'throw' ? new Error('aborted') : new RpcError(7, 'own'));
      });
    });
}

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((given) => {
    resolve = given;
  });
  return { promise, resolve };
}
