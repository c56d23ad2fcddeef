// Sections 3.1, 5.2 and 5.3: what a client lends is used, and given back; what it does
// not lend is done by us.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AcpClient } from '../../kit/acpClient.ts';
import { verifies } from '../acp-agent.ts';
import { editor, selected, shell, spoken, working } from './harness.ts';

interface Call {
  readonly method: string;
  readonly params: {
    readonly path?: string;
    readonly content?: string;
    readonly terminalId?: string;
    readonly command?: string;
    readonly args?: readonly string[];
    readonly cwd?: string;
  };
}

/** Answers every request of the agent with a function of its method, and writes them down. */
function lends(
  client: AcpClient,
  answers: { readonly [method: string]: (params: Call['params']) => unknown },
): readonly Call[] {
  const calls: Call[] = [];
  client.permission = () => selected('allow');
  client.answer = (method, params) => {
    calls.push({ method, params });
    return answers[method]?.(params);
  };
  return calls;
}

const files = { fs: { readTextFile: true, writeTextFile: true } };

test(`ACP: ${verifies('fs.read')}`, async () => {
  const { client, sessionId, cwd } = await working({ clientCapabilities: { fs: { readTextFile: true } } });
  const path = join(cwd, 'buffer.txt');
  writeFileSync(path, 'saved');
  const calls = lends(client, { 'fs/read_text_file': () => ({ content: 'not saved yet' }) });
  await client.prompt(sessionId, 'tool read_file {"path":"buffer.txt"}\nsay {{result}}');
  expect(calls[0]).toMatchObject({ method: 'fs/read_text_file', params: { sessionId, path } });
  expect(spoken(client, sessionId)).toContain('not saved yet');
});

test(`ACP: ${verifies('fs.write')}`, async () => {
  const { client, sessionId, cwd } = await working({ clientCapabilities: files });
  const path = join(cwd, 'written.txt');
  writeFileSync(path, 'old text');
  const calls = lends(client, {
    'fs/read_text_file': () => ({ content: 'unsaved text' }),
    'fs/write_text_file': () => ({}),
  });
  await client.prompt(
    sessionId,
    'tool edit_file {"path":"written.txt","original_content":"unsaved","new_content":"changed"}',
  );
  expect(spoken(client, sessionId)).toContain('edit_file: done.');
  expect(calls.at(-1)).toMatchObject({
    method: 'fs/write_text_file',
    params: { sessionId, path, content: 'changed text' },
  });
  expect(readFileSync(path, 'utf8')).toBe('old text');
});

test(`ACP: ${verifies('fs.fallback')}`, async () => {
  const { client, sessionId, cwd } = await working({ clientCapabilities: files });
  writeFileSync(join(cwd, 'disk.txt'), 'on the disk');
  const calls = lends(client, {
    'fs/read_text_file': () => {
      throw new Error('broken');
    },
    'fs/write_text_file': () => {
      throw new Error('read only');
    },
  });
  await client.prompt(sessionId, 'tool read_file {"path":"disk.txt"}\nsay {{result}}');
  expect(spoken(client, sessionId)).toContain('on the disk');
  await client.prompt(sessionId, 'tool write_file {"path":"refused.txt","content":"x"}');
  expect(calls.at(-1)).toMatchObject({ method: 'fs/write_text_file' });
  expect(spoken(client, sessionId)).toContain('write_file: failed.');
  expect(existsSync(join(cwd, 'refused.txt'))).toBe(false);
});

test(`ACP: ${verifies('terminal.run', 'terminal.release')}`, async () => {
  const { client, sessionId, cwd } = await working({ clientCapabilities: { terminal: true } });
  const calls = lends(client, {
    'terminal/create': () => ({ terminalId: 'term-1' }),
    'terminal/output': () => ({ output: 'said in the editor\n', truncated: false }),
    'terminal/wait_for_exit': () => ({ exitCode: 0, signal: null }),
    'terminal/release': () => ({}),
  });
  await client.prompt(sessionId, `${shell('echo hi > local.txt')}\nsay {{result}}`);
  expect(calls.map(({ method }) => method)).toEqual([
    'terminal/create',
    'terminal/wait_for_exit',
    'terminal/output',
    'terminal/release',
  ]);
  expect(calls[0]?.params).toMatchObject({
    sessionId,
    command: '/bin/sh',
    args: ['-c', 'echo hi > local.txt'],
    cwd,
  });
  expect(spoken(client, sessionId)).toContain('said in the editor');
  expect(existsSync(join(cwd, 'local.txt'))).toBe(false);
  const shown = client
    .updates(sessionId)
    .flatMap((update) =>
      update.sessionUpdate === 'tool_call_update' && update.content ? [update.content] : [],
    );
  expect(shown.at(-1)).toEqual([{ type: 'terminal', terminalId: 'term-1' }]);
});

test(`ACP: ${verifies('terminal.kill')}`, async () => {
  const { client, sessionId } = await working({ clientCapabilities: { terminal: true } });
  let exit = (_: unknown) => {};
  const calls = lends(client, {
    'terminal/create': () => ({ terminalId: 'term-2' }),
    'terminal/wait_for_exit': () =>
      new Promise((resolve) => {
        exit = resolve;
      }),
    'terminal/kill': () => {
      exit({ exitCode: null, signal: 'SIGKILL' });
      return {};
    },
    'terminal/output': () => ({ output: '', truncated: false }),
    'terminal/release': () => ({}),
  });
  const answer = client.prompt(sessionId, shell('sleep 1000'));
  await client.seen(({ method }) => method === 'terminal/wait_for_exit');
  client.peer.notify('session/cancel', { sessionId });
  expect(await answer).toMatchObject({ stopReason: 'cancelled' });
  await expect
    .poll(() => calls.map(({ method }) => method))
    .toEqual(expect.arrayContaining(['terminal/kill', 'terminal/release']));
});

test(`ACP: ${verifies('terminal.others')}`, async () => {
  const { client, sessionId, cwd } = await working({ clientCapabilities: { terminal: true } });
  lends(client, {
    'terminal/create': () => ({ terminalId: 'term-3' }),
    'terminal/output': () => ({ output: 'for all to see\n', truncated: false }),
    'terminal/wait_for_exit': () => ({ exitCode: 0 }),
    'terminal/release': () => ({}),
  });
  const other = await editor({ clientCapabilities: { terminal: true } });
  await client.prompt(sessionId, 'say Hello.');
  await other.call('session/resume', { sessionId, cwd });
  await client.prompt(sessionId, shell('echo x'));
  await other.seen(({ params }) => JSON.stringify(params?.update ?? null).includes('for all to see'));
  expect(JSON.stringify(other.sent)).not.toContain('term-3');
  expect(new Set(other.sent.flatMap(({ method }) => method ?? []))).toEqual(
    new Set(['session/update', 'session/request_permission', '$/cancel_request']),
  );
});
