import { PassThrough, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { contentLength } from '../framing/contentLength.ts';
import type { Framing } from '../framing/framing.ts';
import { ndjson } from '../framing/ndjson.ts';
import { createPeer } from '../peer.ts';
import type { Handler } from '../peer.ts';
import { createStreamTransport } from './stream.ts';

test('the messages of one tick leave in one write', async () => {
  const writes: string[] = [];
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      writes.push(chunk.toString());
      done();
    },
  });
  const transport = createStreamTransport({ input: new PassThrough(), output, framing: ndjson });
  transport.send('1');
  transport.send('2');
  await nextTurn();
  transport.send('3');
  await nextTurn();
  expect(writes).toEqual(['1\n2\n', '3\n']);
  transport.close();
});

test('lost framing is answered, then the connection ends in order', async () => {
  const { input, said, peer } = served(contentLength, {});
  input.write('Content-Length: 2, 2\r\n\r\n{}Content-Length: 2\r\n\r\n{}');
  expect(await peer.closed).toEqual({ kind: 'framing', detail: 'Content-Length is not a plain number' });
  expect(said()).toBe(
    'Content-Length: 91\r\n\r\n{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Message boundaries are lost"}}',
  );
});

test('requests in flight are still answered when the input ends', async () => {
  const { input, said, peer } = served(ndjson, {
    request: async (method) => {
      await nextTurn();
      return method;
    },
  });
  input.end('{"jsonrpc":"2.0","id":1,"method":"last words"}');
  expect(await peer.closed).toEqual({ kind: 'ended' });
  expect(said()).toBe('{"jsonrpc":"2.0","id":1,"result":"last words"}\n');
});

test('a request that never ends does not keep an ended connection', async () => {
  const aborted: boolean[] = [];
  const { input, said, peer } = served(ndjson, {
    request: (_method, _params, { signal }) => {
      signal.addEventListener('abort', () => aborted.push(signal.aborted));
      return new Promise(() => {});
    },
  });
  input.end('{"jsonrpc":"2.0","id":1,"method":"m"}\n');
  expect(await peer.closed).toEqual({ kind: 'ended' });
  expect(aborted).toEqual([true]);
  expect(said()).toBe('');
});

test('an output error ends the connection, but not before the input was read', async () => {
  const input = new PassThrough();
  const output = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
  const seen: string[] = [];
  const transport = createStreamTransport({ input, output, framing: ndjson, limits: { closeMs: 100 } });
  const peer = createPeer(transport, {
    handle: { request: () => null, notification: (method) => seen.push(method) },
  });
  peer.notify('lost');
  await nextTurn();
  input.end('{"jsonrpc":"2.0","method":"farewell"}\n');
  expect(await peer.closed).toEqual({ kind: 'ended' });
  expect(seen).toEqual(['farewell']);
});

test('an output error ends the connection even when the input stays open', async () => {
  const output = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
  const transport = createStreamTransport({
    input: new PassThrough(),
    output,
    framing: ndjson,
    limits: { closeMs: 20 },
  });
  const peer = createPeer(transport, { handle: { request: () => null, notification: () => {} } });
  peer.notify('lost');
  expect(await peer.closed).toEqual({ kind: 'failed', detail: 'EPIPE' });
});

test('an input error ends the connection', async () => {
  const { input, peer } = served(ndjson, {});
  input.destroy(new Error('EIO'));
  expect(await peer.closed).toEqual({ kind: 'failed', detail: 'EIO' });
});

test('an error before anyone listens is told to the listener', async () => {
  const input = new PassThrough();
  const transport = createStreamTransport({ input, output: new PassThrough(), framing: ndjson });
  input.destroy(new Error('EIO'));
  await nextTurn();
  const peer = createPeer(transport, { handle: { request: () => null, notification: () => {} } });
  expect((await peer.closed).kind).toBe('failed');
});

function served(framing: Framing, handle: Partial<Handler>) {
  const input = new PassThrough();
  const output = new PassThrough();
  const chunks: Buffer[] = [];
  output.on('data', (chunk: Buffer) => chunks.push(chunk));
  const transport = createStreamTransport({ input, output, framing, limits: { closeMs: 100 } });
  const peer = createPeer(transport, { handle: { request: () => null, notification: () => {}, ...handle } });
  return { input, peer, said: () => Buffer.concat(chunks).toString() };
}
