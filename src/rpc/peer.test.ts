import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { deferred, pair, raw } from '../../test/kit/peers.ts';
import { RpcError } from './rpcError.ts';

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
    expect(problems.map(({ kind }) => kind)).toEqual([
      'unknownResponse',
      'unknownResponse',
      'unknownResponse',
    ]);
    expect(received).toEqual([]);
    expect(client.ready()).toBe(true);
  });
});

describe('errors', () => {
  const thrown: { name: string; error: unknown; body: unknown; reported: boolean }[] = [
    {
      name: 'typed',
      error: new RpcError(-32601, 'Method not found', { method: 'm' }),
      body: { code: -32601, message: 'Method not found', data: { method: 'm' } },
      reported: false,
    },
    {
      name: 'raw, a word as code',
      error: RpcError.raw({ code: 'cursor_expired', message: 'x' }),
      body: { code: 'cursor_expired', message: 'x' },
      reported: false,
    },
    {
      name: 'raw, no code',
      error: RpcError.raw({ type: 'warning', message: 'x' }),
      body: { type: 'warning', message: 'x' },
      reported: false,
    },
    {
      name: 'raw, not JSON',
      error: RpcError.raw({ big: 1n }),
      body: { code: -32603, message: 'Internal error' },
      reported: true,
    },
    {
      name: 'an exception',
      error: new Error('password at /home/me'),
      body: { code: -32603, message: 'Internal error' },
      reported: true,
    },
    {
      name: 'a thrown string',
      error: 'secret',
      body: { code: -32603, message: 'Internal error' },
      reported: true,
    },
    {
      name: 'thrown undefined',
      error: undefined,
      body: { code: -32603, message: 'Internal error' },
      reported: true,
    },
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
