import { expect, test } from 'vitest';
import { RpcError } from './rpcError.ts';

const bodies: { name: string; body: unknown; code: unknown; message: string; data?: unknown }[] = [
  {
    name: 'standard',
    body: { code: -32601, message: 'Method not found' },
    code: -32601,
    message: 'Method not found',
  },
  { name: 'with data', body: { code: 1, message: 'm', data: [1] }, code: 1, message: 'm', data: [1] },
  {
    name: 'a word as code',
    body: { code: 'cursor_expired', message: 'm' },
    code: 'cursor_expired',
    message: 'm',
  },
  { name: 'no code', body: { type: 'warning', message: 'm' }, code: undefined, message: 'm' },
  { name: 'no message', body: { code: 1 }, code: 1, message: 'Request failed' },
  { name: 'a string', body: 'broken', code: undefined, message: 'Request failed' },
];

test.each(bodies)('a body keeps its shape: $name', ({ body, code, message, data }) => {
  const error = RpcError.raw(body);
  expect(error).toBeInstanceOf(RpcError);
  expect({ code: error.code, message: error.message, data: error.data }).toEqual({ code, message, data });
  expect(error.body).toEqual(body);
});

test('code, message and data make the body', () => {
  expect(new RpcError(-32602, 'Invalid params').body).toEqual({ code: -32602, message: 'Invalid params' });
  expect(new RpcError(-32602, 'Invalid params', { at: 'x' }).body).toEqual({
    code: -32602,
    message: 'Invalid params',
    data: { at: 'x' },
  });
});
