import { expect, test, vi } from 'vitest';
import { encodeError, encodeNotification, encodeRequest, encodeResult, readEnvelope } from './envelope.ts';
import { RpcError } from './rpcError.ts';

const rules = { maxDepth: 8, maxValues: 100_000, lenient: false };

/** What is expected of the envelope: its members, an error in short. */
const cases: { name: string; given: string; read: Record<string, unknown>; lenient?: true }[] = [
  {
    name: 'request',
    given: '{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}',
    read: request(1, { a: 1 }),
  },
  { name: 'string id', given: '{"jsonrpc":"2.0","id":"1","method":"m"}', read: request('1', undefined) },
  { name: 'null id', given: '{"jsonrpc":"2.0","id":null,"method":"m"}', read: request(null, undefined) },
  { name: 'negative id', given: '{"jsonrpc":"2.0","id":-7,"method":"m"}', read: request(-7, undefined) },
  {
    name: 'null params',
    given: '{"jsonrpc":"2.0","id":1,"method":"m","params":null}',
    read: request(1, undefined),
  },
  { name: 'list params', given: '{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}', read: request(1, [1]) },
  {
    name: 'white space around',
    given: ' {"jsonrpc":"2.0","id":1,"method":"m"} \n',
    read: request(1, undefined),
  },
  {
    name: 'unknown members',
    given: '{"jsonrpc":"2.0","id":1,"method":"m","more":1}',
    read: request(1, undefined),
  },
  {
    name: 'duplicate keys: the last counts',
    given: '{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}',
    read: request(2, undefined),
  },
  {
    name: 'notification',
    given: '{"jsonrpc":"2.0","method":"m"}',
    read: { kind: 'notification', method: 'm', params: undefined },
  },
  {
    name: 'empty method',
    given: '{"jsonrpc":"2.0","method":""}',
    read: { kind: 'notification', method: '', params: undefined },
  },
  {
    name: 'result',
    given: '{"jsonrpc":"2.0","id":1,"result":null}',
    read: { kind: 'result', id: 1, result: null },
  },
  {
    name: 'result beside a null error',
    given: '{"jsonrpc":"2.0","id":1,"result":2,"error":null}',
    read: { kind: 'result', id: 1, result: 2 },
  },
  {
    name: 'error',
    given: '{"jsonrpc":"2.0","id":1,"error":{"code":1}}',
    read: { kind: 'error', id: 1, error: { code: 1 } },
  },
  {
    name: 'error without an id',
    given: '{"jsonrpc":"2.0","error":{"code":1}}',
    read: { kind: 'error', id: undefined, error: { code: 1 } },
  },
  { name: 'no version, lenient', given: '{"id":1,"method":"m"}', lenient: true, read: request(1, undefined) },

  { name: 'not JSON', given: '{"jsonrpc":', read: refused(-32700) },
  { name: 'nothing', given: '', read: refused(-32700) },
  { name: 'two values', given: '{} {}', read: refused(-32700) },
  { name: 'NaN', given: '{"jsonrpc":"2.0","id":NaN,"method":"m"}', read: refused(-32700) },
  { name: 'single quotes', given: "{'jsonrpc':'2.0'}", read: refused(-32700) },
  { name: 'a comma too many', given: '{"jsonrpc":"2.0",}', read: refused(-32700) },
  {
    name: 'a control character in a string',
    given: '{"jsonrpc":"2.0","method":"\u0001"}',
    read: refused(-32700),
  },
  { name: 'byte order mark', given: '\ufeff{"jsonrpc":"2.0","id":1,"method":"m"}', read: refused(-32700) },
  { name: 'batch', given: '[{"jsonrpc":"2.0","id":1,"method":"m"}]', read: refused(-32600) },
  { name: 'empty batch', given: '[]', read: refused(-32600) },
  { name: 'number', given: '42', read: refused(-32600) },
  { name: 'string', given: '"x"', read: refused(-32600) },
  { name: 'null', given: 'null', read: refused(-32600) },
  { name: 'true', given: 'true', read: refused(-32600) },
  { name: 'empty object', given: '{}', read: refused(-32600) },
  { name: 'no version', given: '{"id":1,"method":"m"}', read: refused(-32600, 1) },
  { name: 'version as a number', given: '{"jsonrpc":2.0,"id":1,"method":"m"}', read: refused(-32600, 1) },
  { name: 'version 1.0', given: '{"jsonrpc":"1.0","id":"a","method":"m"}', read: refused(-32600, 'a') },
  {
    name: 'version 1.0, lenient',
    given: '{"jsonrpc":"1.0","id":"a","method":"m"}',
    lenient: true,
    read: refused(-32600, 'a'),
  },
  { name: 'neither method nor id', given: '{"jsonrpc":"2.0"}', read: refused(-32600) },
  { name: 'id alone', given: '{"jsonrpc":"2.0","id":5}', read: refused(-32600, 5) },
  { name: 'method is a number', given: '{"jsonrpc":"2.0","id":5,"method":1}', read: refused(-32600, 5) },
  { name: 'method is null', given: '{"jsonrpc":"2.0","id":5,"method":null}', read: refused(-32600, 5) },
  { name: 'method is an object', given: '{"jsonrpc":"2.0","id":5,"method":{}}', read: refused(-32600, 5) },
  { name: 'fractional id', given: '{"jsonrpc":"2.0","id":1.5,"method":"m"}', read: refused(-32600) },
  {
    name: 'id beyond exact numbers',
    given: '{"jsonrpc":"2.0","id":9007199254740993,"method":"m"}',
    read: refused(-32600),
  },
  { name: 'id is an object', given: '{"jsonrpc":"2.0","id":{},"method":"m"}', read: refused(-32600) },
  { name: 'id is a list', given: '{"jsonrpc":"2.0","id":[1],"method":"m"}', read: refused(-32600) },
  { name: 'id is true', given: '{"jsonrpc":"2.0","id":true,"method":"m"}', read: refused(-32600) },
  {
    name: 'params are a number',
    given: '{"jsonrpc":"2.0","id":1,"method":"m","params":3}',
    read: refused(-32602, 1),
  },
  {
    name: 'params are a string',
    given: '{"jsonrpc":"2.0","id":1,"method":"m","params":"x"}',
    read: refused(-32602, 1),
  },
  {
    name: 'params are false',
    given: '{"jsonrpc":"2.0","id":1,"method":"m","params":false}',
    read: refused(-32602, 1),
  },
  {
    name: 'a notification with bad params',
    given: '{"jsonrpc":"2.0","method":"m","params":3}',
    read: { kind: 'dropped' },
  },
  {
    name: 'too deep',
    given: `{"jsonrpc":"2.0","id":1,"method":"m","params":${'['.repeat(9)}${']'.repeat(9)}}`,
    read: refused(-32600),
  },
  { name: 'a million levels', given: '['.repeat(1_000_000), read: refused(-32600) },
  {
    name: 'envelope in a prototype',
    given: '{"__proto__":{"jsonrpc":"2.0","method":"m","id":1}}',
    read: refused(-32600),
  },
  {
    name: 'a response without a version',
    given: '{"id":1,"result":2}',
    read: { kind: 'error', id: 1, error: { code: -32600, message: 'Member jsonrpc is not "2.0"' } },
  },
];

test.each(cases)('$name', ({ given, read, lenient }) => {
  const envelope = readEnvelope(given, { ...rules, lenient: lenient ?? false });
  expect(summary(envelope)).toEqual(read);
});

const manyNames = Array.from({ length: 100_001 }, (_, at) => `"k${at}":0`).join();

test.each([
  ['a request', `"id":7,"method":"m","params":{${manyNames}}`, { kind: 'refused', id: 7 }],
  ['a request that is its own list', `"id":7,"method":"m",${manyNames}`, { kind: 'refused', id: null }],
  ['a notification', `"method":"m","params":{${manyNames}}`, { kind: 'refused', id: null }],
  ['an answer that nobody waits for', `"id":7,"result":{${manyNames}}`, { kind: 'dropped' }],
])('%s with very many values is not even parsed', (_, members, read) => {
  const text = `{"jsonrpc":"2.0",${members}}`;
  const parse = vi.spyOn(JSON, 'parse');
  const given = readEnvelope(text, { ...rules, awaits: (id) => id === 8 });
  const longest = Math.max(...parse.mock.calls.map(([parsed]) => parsed.length));
  parse.mockRestore();
  expect(given).toMatchObject(read);
  expect(longest).toBeLessThan(1_000);
});

test('an answer that somebody waits for may have very many values', () => {
  const text = `{"jsonrpc":"2.0","id":8,"result":{${manyNames}}}`;
  const given = readEnvelope(text, { ...rules, awaits: (id) => id === 8 });
  expect(given).toMatchObject({ kind: 'result', id: 8 });
});

test.each([
  ['{"jsonrpc":"2.0","id":8}', { kind: 'error', id: 8, error: { code: -32600 } }],
  ['{"jsonrpc":"2.0","id":7}', { kind: 'refused', id: 7 }],
])('an answer without result and error is an error to whoever waits for it: %s', (text, read) => {
  const given = readEnvelope(text, { ...rules, awaits: (id) => id === 8 });
  expect(given).toMatchObject(read);
});

test('a key named __proto__ changes no prototype', () => {
  const text =
    '{"jsonrpc":"2.0","method":"m","params":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}';
  expect(readEnvelope(text, rules).kind).toBe('notification');
  expect(Reflect.get({}, 'polluted')).toBe(undefined);
});

test('messages as they go out', () => {
  expect(encodeNotification('m', { a: 1 })).toBe('{"jsonrpc":"2.0","method":"m","params":{"a":1}}');
  expect(encodeNotification('m')).toBe('{"jsonrpc":"2.0","method":"m"}');
  expect(encodeRequest(7, 'm', [1])).toBe('{"jsonrpc":"2.0","id":7,"method":"m","params":[1]}');
  expect(encodeResult('7', { a: 1 })).toBe('{"jsonrpc":"2.0","id":"7","result":{"a":1}}');
  expect(encodeResult(null, undefined)).toBe('{"jsonrpc":"2.0","id":null,"result":null}');
  expect(encodeError(7, new RpcError(-32601, 'Method not found', { method: 'x' }))).toBe(
    '{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found","data":{"method":"x"}}}',
  );
  expect(encodeError(7, RpcError.raw({ type: 'warning', message: 'm' }))).toBe(
    '{"jsonrpc":"2.0","id":7,"error":{"type":"warning","message":"m"}}',
  );
  expect(encodeError(7, RpcError.raw(null))).toBe('{"jsonrpc":"2.0","id":7,"error":{}}');
});

function request(id: unknown, params: unknown) {
  return { kind: 'request', id, method: 'm', params };
}

function refused(code: number, id: unknown = null) {
  return { kind: 'refused', id, code };
}

function summary(envelope: ReturnType<typeof readEnvelope>): Record<string, unknown> {
  if (envelope.kind === 'refused') return { kind: 'refused', id: envelope.id, code: envelope.error.code };
  return envelope.kind === 'dropped' ? { kind: 'dropped' } : { ...envelope };
}
