import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { deferred, pair, raw, untilAborted } from '../../test/kit/peers.ts';
import type { Handler } from './peer.ts';
import type { CloseReason } from './transports/transport.ts';

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
    await expect(client.request('m', {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: -32800,
    });
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
    {
      name: 'gives up',
      handler: untilAborted('throw'),
      answer: { error: { code: -32800, message: 'Request cancelled' } },
    },
    { name: 'finishes anyway', handler: untilAborted('return'), answer: { result: 'partial' } },
    {
      name: 'has its own error',
      handler: untilAborted('refuse'),
      answer: { error: { code: 7, message: 'own' } },
    },
  ];

  test.each(outcomes)(
    'a cancelled request is still answered: the handler $name',
    async ({ handler, answer }) => {
      const { wire, received, problems } = raw({ request: handler });
      wire.send('{"jsonrpc":"2.0","id":"x","method":"m"}');
      wire.send('{"jsonrpc":"2.0","method":"stop","params":{"requestId":"x"}}');
      await nextTurn();
      expect(received).toEqual([{ jsonrpc: '2.0', id: 'x', ...answer }]);
      expect(problems).toEqual([]);
    },
  );

  test('a cancel of another id, of another type of id or of nothing changes nothing', async () => {
    const { wire, received } = raw({ request: untilAborted('throw') });
    wire.send('{"jsonrpc":"2.0","id":1,"method":"m"}');
    for (const params of [
      '{"requestId":"1"}',
      '{"requestId":2}',
      '{}',
      'null',
      '[1]',
      '{"__proto__":{"requestId":1}}',
    ]) {
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
      {
        jsonrpc: '2.0',
        id: 3,
        error: { code: -32099, message: 'Too many requests in flight', data: { reason: 'overloaded' } },
      },
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
    const { client, wire, received } = raw(
      {},
      { transport: { softBufferedBytes: 1000, maxBufferedBytes: 10_000 } },
    );
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
    expect(seen).toEqual([
      ['m', { a: 1 }],
      ['m', { a: 1 }],
    ]);
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
