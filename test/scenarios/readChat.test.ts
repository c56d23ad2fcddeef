// `parley read-chat` of the real program: the lines that scripts and hooks of ECA users read, beside a
// running host and without one.
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ecaClient } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import type { Loose } from '../kit/wire.ts';

let home: Home;
beforeEach(() => (home = newHome()));
afterEach(() => home.dispose());

const data = () => join(home.dir, 'home');
const read = (...args: readonly string[]) => home.run('read-chat', ...args).done;

async function lines(...args: readonly string[]): Promise<readonly Loose[]> {
  const { code, out, err } = await read(...args);
  expect([code, err]).toEqual([0, '']);
  return out
    .split('\n')
    .filter(Boolean)
    .map((line): Loose => JSON.parse(line));
}

test('lists chats and prints their messages, whether a host runs or not', async () => {
  const served = await home.serve();
  const eca = await ecaClient(home);
  for (const [chatId, message] of [
    ['one', 'say First'],
    ['two', 'tool shell_command {"command":"echo hi"}'],
  ] as const) {
    await eca.request('chat/prompt', { chatId, message, trust: true });
    await eca.wait(({ params }) => params?.chatId === chatId && params.content?.state === 'finished');
  }
  const [first] = await lines('--workspace', home.workspace, '--chat-id', 'one', '--role', 'user');
  await eca.request('chat/addFlag', { chatId: 'one', contentId: first['content-id'], text: 'Here' });
  await eca.request('chat/update', { chatId: 'one', title: 'Named' });
  await eca.close();
  for (const running of [true, false]) {
    if (!running) await served.kill('SIGTERM');
    const chats = await lines('--workspace', home.workspace);
    expect(chats.map(({ id }) => id as string)).toEqual(['two', 'one']);
    expect(chats[1]).toEqual({
      id: 'one',
      title: 'Named',
      status: 'idle',
      model: 'scripted/scripted',
      'created-at': expect.any(Number) as number,
      'updated-at': expect.any(Number) as number,
      'user-prompt-count': 1,
    });
    expect(await lines('--db-cache-path', data(), '--chat-id', 'one')).toEqual([
      {
        role: 'user',
        content: [{ type: 'text', text: 'say First' }],
        'content-id': first['content-id'],
        'created-at': expect.any(Number) as number,
      },
      {
        role: 'flag',
        content: { text: 'Here' },
        'content-id': expect.any(String) as string,
        'created-at': expect.any(Number) as number,
      },
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'First\n' }],
        'created-at': expect.any(Number) as number,
      },
    ]);
  }
  const [call, output] = [
    await lines('--db-cache-path', data(), '--chat-id', 'two', '--role', 'tool_call'),
    await lines('--db-cache-path', data(), '--chat-id', 'two', '--role', 'tool_call_output'),
  ].flat();
  expect(call.content).toMatchObject({
    id: output.content.id,
    name: 'shell_command',
    server: 'eca',
    'full-name': 'eca__shell_command',
    arguments: { command: 'echo hi' },
  });
  expect(output.content).toMatchObject({
    name: 'shell_command',
    error: false,
    'total-time-ms': expect.any(Number) as number,
    output: { contents: expect.arrayContaining([{ type: 'text', text: 'Stdout:\nhi' }]) as object },
  });
});

test('narrows by time and by folder', async () => {
  const [here, there] = [home.dir, join(home.dir, 'elsewhere')];
  mkdirSync(there);
  expect((await home.run('run', '--standalone', 'say Hello').done).code).toBe(0);
  const count = async (...args: readonly string[]) =>
    (await lines('--db-cache-path', data(), ...args)).length;
  const [{ id, 'updated-at': at }] = (await lines('--db-cache-path', data())) as [Loose];
  const moment = (ms: number) => new Date(ms).toISOString();
  expect([
    await count('--since', '1h'),
    await count('--until', '1h'),
    await count('--since', moment(at)),
    await count('--until', moment(at)),
    await count('--since', '2020-01-01', '--until', '2020-01-02'),
  ]).toEqual([1, 0, 1, 0, 0]);
  expect([
    await count('--chat-id', id, '--since', '1d'),
    await count('--chat-id', id, '--until', '1d'),
  ]).toEqual([2, 0]);
  expect([
    (await lines('--workspace', here)).length,
    (await lines('--workspace', there)).length,
    (await lines('--workspace', there, '--workspace', here)).length,
  ]).toEqual([1, 0, 1]);
});

test('ends in good order when nobody reads on', async () => {
  expect((await home.run('run', '--standalone', `say ${'long '.repeat(20_000)}`).done).code).toBe(0);
  const [{ id }] = (await lines('--db-cache-path', data())) as [Loose];
  const ran = home.run('read-chat', '--db-cache-path', data(), '--chat-id', String(id));
  ran.child.stdout?.once('data', () => ran.child.stdout?.destroy());
  expect(await ran.done).toMatchObject({ code: 0, err: '' });
});

test('what is wrong is said on standard error, and nothing is printed', async () => {
  expect((await home.run('run', '--standalone', 'say Hello').done).code).toBe(0);
  const wrong: readonly (readonly [code: number, words: string, args: readonly string[]])[] = [
    [2, 'Missing --workspace DIR', []],
    [2, 'not both', ['--workspace', home.workspace, '--db-cache-path', data()]],
    [2, '--role needs --chat-id', ['--workspace', home.workspace, '--role', 'user']],
    [2, 'Invalid time "soon" for --since', ['--workspace', home.workspace, '--since', 'soon']],
    [2, 'is not a folder', ['--workspace', join(home.dir, 'nowhere')]],
    [2, 'Unexpected argument', ['--workspace', home.workspace, 'more']],
    [2, '--what', ['--what']],
    [1, 'No chats in', ['--db-cache-path', join(home.dir, 'nowhere')]],
    [1, 'Chat "nope" not found', ['--workspace', home.dir, '--chat-id', 'nope']],
  ];
  for (const [code, words, args] of wrong) {
    const ran = await read(...args);
    expect([ran.code, ran.out]).toEqual([code, '']);
    expect(ran.err).toContain(words);
  }
});

test('a link named eca says its version as that program does, and serves like it', async () => {
  const link = join(home.dir, 'eca');
  symlinkSync(home.program, link);
  const called = newHome(link);
  expect(await called.run('--version').done).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^eca \d+\.\d+\.\d+\n$/) as string,
  });
  const eca = await ecaClient(called, { args: ['--standalone'] });
  await eca.wait(({ method }) => method === 'config/updated');
  await eca.close();
  await called.dispose();
});
