// Sections 2, 7.8 and 8: what passes over stdin and stdout, byte by byte.
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { verifies } from '../acp-agent.ts';
import { place, stranger, working } from './harness.ts';
import { expectWithin } from '../../kit/timeLimit.ts';

interface Line {
  readonly id?: unknown;
  readonly result?: { readonly sessionId?: string; readonly sessions?: readonly unknown[] };
  readonly error?: { readonly code: number };
}

const hello = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}\n';

/**
 * Writes to `parley acp`, ends its input once it has said so many lines, and returns
 * every line of its output.
 */
async function raw(
  input: string,
  lines: number,
): Promise<{ readonly lines: readonly Line[]; readonly code: number | null }> {
  const { child, done } = place().run('acp');
  let heard = '';
  child.stdout?.on('data', (chunk: Buffer) => (heard += chunk.toString()));
  child.stdin?.write(input);
  while (heard.split('\n').length <= lines) await once(child.stdout ?? child, 'data');
  child.stdin?.end();
  const { code, out } = await done;
  expect(out.endsWith('\n')).toBe(true);
  return {
    code,
    lines: out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line),
  };
}

test(`ACP: ${verifies('wire.lines', 'wire.envelope')}`, async () => {
  const cwd = JSON.stringify(place().workspace);
  const { lines, code } = await raw(
    `${hello}{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":${cwd},"mcpServers":[]}}\n{"jsonrpc":"2.0","id":2,"method":"x"}\n`,
    3,
  );
  const answers = lines.filter(({ id }) => id !== undefined);
  expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([0, 1, 2]));
  expect(answers.length).toBe(3);
  for (const line of answers) expect('result' in line !== 'error' in line).toBe(true);
  expect(code).toBe(0);
});

test(`ACP: ${verifies('wire.crlf')}`, async () => {
  const { lines } = await raw(
    `${hello.trimEnd()}\r\n{"jsonrpc":"2.0","id":1,"method":"session/list"}\r\n`,
    2,
  );
  expect(lines[1]).toMatchObject({ id: 1, result: { sessions: expect.any(Array) } });
});

test(`ACP: ${verifies('wire.ids')}`, async () => {
  const ids = [7, 'seven', null, '7', -1];
  const { lines } = await raw(
    `${hello}${ids.map((id) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'session/list' })}\n`).join('')}`,
    1 + ids.length,
  );
  expect(lines.slice(1).map(({ id }) => id)).toEqual(ids);
});

test(`ACP: ${verifies('wire.batch', 'wire.parse')}`, async () => {
  const bad = [
    '[{"jsonrpc":"2.0","id":9,"method":"session/list"}]',
    '{"jsonrpc":',
    '7',
    '{"jsonrpc":"2.0","id":3,"method":"session/list"}',
  ];
  const { lines } = await raw(`${hello}${bad.join('\n')}\n`, 5);
  expect(lines.slice(1)).toMatchObject([
    { id: null, error: { code: -32600 } },
    { id: null, error: { code: -32700 } },
    { id: null, error: { code: -32600 } },
    { id: 3, result: { sessions: expect.any(Array) } },
  ]);
});

test(`ACP: ${verifies('wire.unknown-request', 'wire.unknown-notification')}`, async () => {
  const { client, sessionId } = await working();
  for (const method of ['nothing/known', '_vendor/extension', 'session/cancel'])
    expect(await client.failure(method, { sessionId })).toMatchObject({ code: -32601 });
  const before = client.sent.length;
  for (const method of [
    'nothing/known',
    '_vendor/extension',
    'session/prompt',
    'session/cancel',
    '$/cancel_request',
  ])
    client.peer.notify(method, { wrong: true });
  await client.call('session/list');
  expect(client.sent.slice(before)).toMatchObject([{ result: { sessions: expect.any(Array) } }]);
});

test(`ACP: ${verifies('wire.eof')}`, async () => {
  const { client, sessionId } = await working();
  const lost = client.prompt(sessionId, 'pause 300\nsay I went on.').catch((error: Error) => error.message);
  await client.seen(({ params }) => params?.update?.sessionUpdate === 'session_info_update');
  const started = performance.now();
  await client.close();
  await expectWithin(5_000, started);
  expect(await lost).toBe('Connection closed');
  const other = stranger();
  await other.initialize();
  await other.call('session/load', { sessionId, cwd: place().workspace, mcpServers: [] });
  await other.seen(({ params }) => JSON.stringify(params?.update ?? null).includes('on.'));
});

test(`ACP: ${verifies('wire.root-keys')}`, async () => {
  const { client, sessionId } = await working();
  client.permission = () => ({ outcome: { outcome: 'selected', optionId: 'allow' } });
  await client.prompt(
    sessionId,
    'reason Hm.\nusage 10 5\ntool shell_command {"command":"echo hi"}\nsay Done.',
  );
  expect(client.sent.length).toBeGreaterThan(8);
  expect(client.problems).toEqual([]);
});
