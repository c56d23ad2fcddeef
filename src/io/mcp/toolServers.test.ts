import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '../../../test/kit/bundle.ts';
import type { Bundle } from '../../../test/kit/bundle.ts';
import { untilGone } from '../../../test/kit/living.ts';
import { mcpSseServer } from '../../../test/kit/mcpSseServer.ts';
import type { OpenServers, ServerCall, ServerView, ToolServers } from '../../host/tools/toolServers.ts';
import type { ToolServer } from '../../host/workspace/workbench.ts';
import { openToolServers } from './toolServers.ts';
import type { ToolServersOptions } from './toolServers.ts';
import { eventually } from '../../../test/kit/patience.ts';

const roots = [realpathSync(tmpdir())];
let raw: Bundle;
let sdk: Bundle;
let servers: ToolServers | undefined;
const children: ChildProcess[] = [];

beforeAll(async () => {
  [raw, sdk] = await Promise.all([
    bundle(fileURLToPath(new URL('../../../test/kit/mcpRawServer.ts', import.meta.url))),
    bundle(fileURLToPath(new URL('../../../test/kit/mcpSdkServer.ts', import.meta.url))),
  ]);
});
afterAll(() => {
  raw.dispose();
  sdk.dispose();
});
afterEach(async () => {
  await servers?.close();
  servers = undefined;
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function open(
  given: ToolServer | readonly ToolServer[],
  more: Partial<ToolServersOptions> = {},
): OpenServers {
  const list = 'name' in given ? [given] : given;
  servers = openToolServers({
    env: { ...process.env, SOME_API_KEY: 'secret' },
    version: '0',
    ...more,
    times: { again: 20, ...more.times },
  });
  return servers.open({ roots, given: () => list });
}

function program(bundled: Bundle, ...args: readonly string[]): ToolServer {
  return {
    type: 'process',
    name: 'one',
    command: process.execPath,
    args: [bundled.path, ...args],
    env: { OWN: 'mine' },
  };
}

async function until(
  fits: (view: ServerView | undefined) => boolean,
  group: OpenServers,
): Promise<ServerView> {
  return eventually(() => group.list().slice(0, 1).find(fits), `${fits.toString()} of a server`);
}

const isRunning = (view: ServerView | undefined) => view?.status === 'running';

function call(
  group: OpenServers,
  tool: string,
  more: Partial<ServerCall> = {},
): ReturnType<OpenServers['call']> {
  return group.call({ server: 'one', tool, input: {}, signal: new AbortController().signal, ...more });
}

async function listening(...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [sdk.path, 'http', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [port] = (await once(child.stdout ?? child, 'data')) as [Buffer];
  return `http://127.0.0.1:${port.toString().trim()}/mcp`;
}

describe.each(['stdio', 'http'] as const)('a server made with the official library, over %s', (how) => {
  test('shows all it has, and its tools can be called', async () => {
    const group = open(
      how === 'stdio'
        ? program(sdk)
        : { type: 'http', name: 'one', url: await listening('k'), headers: { 'x-key': 'k' } },
    );
    expect(group.list()[0]).toMatchObject({ name: 'one', status: 'starting', tools: [] });
    const view = await until(isRunning, group);
    expect(view.tools.map(({ name, title, description }) => [name, title, description])).toEqual([
      ['add', 'Add', 'Adds two numbers.'],
      ['picture', undefined, 'Draws.'],
      ['fail', undefined, 'Fails.'],
      ['wait', undefined, 'Waits.'],
      ['need', undefined, 'Needs help.'],
    ]);
    expect(view.tools[0]?.parameters).toMatchObject({
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    });
    expect(view.prompts).toEqual([
      { name: 'greet', description: 'Greets.', arguments: [{ name: 'who', required: true }] },
    ]);
    expect(view.resources).toEqual([
      { uri: 'note://one', name: 'note', description: 'A note.', mediaType: 'text/plain' },
    ]);
    expect(view.instructions).toBe('Add before you multiply.');
    expect(await call(group, 'add', { input: { a: 1, b: 2 } })).toEqual({
      status: 'done',
      content: [{ type: 'text', text: '1 and 2 make 3' }],
    });
    expect(await call(group, 'picture')).toEqual({
      status: 'done',
      content: [{ type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' }],
    });
    expect(await call(group, 'fail')).toEqual({
      status: 'failed',
      content: [{ type: 'text', text: 'No luck today.' }],
      error: 'No luck today.',
    });
    expect(await call(group, 'add', { input: { a: 'x' } })).toMatchObject({ status: 'failed' });
  });
});

test.each([[''], ['shy'], ['chatty']])('an old server with the habit "%s" is understood', async (habit) => {
  const group = open(program(raw, habit));
  expect((await until(isRunning, group)).instructions).toBe('Speak softly.');
  expect(await call(group, 'echo', { input: { a: [1] } })).toEqual({
    status: 'done',
    content: [{ type: 'text', text: '{"a":[1]}' }],
  });
});

test('it knows the workspace and what it was given, and none of our secrets', async () => {
  const group = open(program(raw));
  expect(await call(group, 'env')).toMatchObject({
    content: [{ text: JSON.stringify({ cwd: roots[0], own: 'mine' }) }],
  });
  expect(await call(group, 'roots')).toMatchObject({
    content: [{ text: expect.stringContaining(`"uri":"file://${roots[0]}"`) }],
  });
});

test('a server that asks is given the answer of whoever called', async () => {
  const group = open(program(raw), { times: { call: 2_000 } });
  const asked: unknown[] = [];
  const ask: ServerCall['ask'] = async (message, questions) => {
    asked.push(message, questions);
    // People take longer than servers may.
    await new Promise((resolve) => {
      setTimeout(resolve, 3_000);
    });
    return { kind: 'fields', values: { colour: 'red', count: '2' } };
  };
  expect(await call(group, 'ask', { ask })).toMatchObject({
    status: 'done',
    content: [{ text: '{"action":"accept","content":{"colour":"red","count":2}}' }],
  });
  expect(asked).toEqual([
    'Which one?',
    [
      {
        id: 'colour',
        message: 'Colour',
        title: 'Colour',
        required: true,
        answer: {
          type: 'one',
          choices: [
            { id: 'red', label: 'red' },
            { id: 'blue', label: 'blue' },
          ],
        },
      },
      { id: 'count', message: 'count', required: false, answer: { type: 'integer' } },
    ],
  ]);
  expect(await call(group, 'ask')).toMatchObject({ content: [{ text: '{"action":"cancel"}' }] });
});

test('a server of the older kind over HTTP is found out, called, and asked for progress', async () => {
  const older = await mcpSseServer(raw.path);
  try {
    const group = open({ type: 'http', name: 'one', url: `${older.url}/sse`, headers: {} });
    expect((await until(isRunning, group)).instructions).toBe('Speak softly.');
    const said: string[] = [];
    expect(await call(group, 'slow', { progress: (text) => said.push(text) })).toMatchObject({
      status: 'done',
    });
    expect(said).toEqual(['step 1', 'step 2', 'step 3']);
    expect(
      await call(group, 'ask', {
        ask: () => Promise.resolve({ kind: 'fields', values: { colour: 'blue' } }),
      }),
    ).toMatchObject({ content: [{ text: '{"action":"accept","content":{"colour":"blue"}}' }] });
  } finally {
    older.close();
  }
});

test('new tools appear when the server says so', async () => {
  const group = open(program(raw));
  expect((await until(isRunning, group)).tools.map(({ name }) => name)).not.toContain('grown');
  await call(group, 'grow');
  await until((view) => view?.tools.some(({ name }) => name === 'grown') ?? false, group);
});

test('a call that hangs ends with its time, one that shows progress does not, and a stopped one ends at once', async () => {
  const group = open(program(raw), { times: { call: 1_500 } });
  const said: string[] = [];
  expect(await call(group, 'slow', { progress: (text) => said.push(text) })).toMatchObject({
    status: 'done',
    content: [{ text: 'Done at last.' }],
  });
  expect(said).toEqual(['step 1', 'step 2', 'step 3']);
  expect(await call(group, 'hang')).toMatchObject({
    status: 'failed',
    error: 'The server did not answer within 1.5 seconds. It may still be running the call.',
  });
  const stop = new AbortController();
  const stopped = call(group, 'hang', { signal: stop.signal });
  stop.abort();
  expect(await stopped).toMatchObject({ status: 'failed', error: 'The call was stopped.' });
  expect(await call(group, 'echo')).toMatchObject({ status: 'done' });
});

test('a huge result is cut', async () => {
  const group = open(program(raw));
  expect(await call(group, 'huge')).toMatchObject({
    content: [
      {
        text: expect.stringMatching(
          /^x{200000}\n\[OUTPUT TRUNCATED\] 800000 characters were left out here\.$/,
        ),
      },
    ],
  });
});

test('after a crash it is started again, and given up after five', async () => {
  const group = open(program(raw));
  for (let count = 1; count <= 4; count += 1) {
    expect(await call(group, 'crash')).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('Its last output: I fell.'),
    });
    expect(await call(group, 'echo')).toMatchObject({ status: 'done' });
  }
  await call(group, 'crash');
  expect(await until((view) => view?.status === 'failed', group)).toMatchObject({
    tools: [],
    problem: expect.stringContaining('5 times'),
  });
  expect(await call(group, 'echo')).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('is not running'),
  });
  expect(group.start('one')).toBe(true);
  expect(await call(group, 'echo')).toMatchObject({ status: 'done' });
});

test('what cannot be used says why', async () => {
  const check = async (server: ToolServer, expected: Partial<ServerView>, connect = 60_000) => {
    const group = open(server, { times: { connect } });
    expect(await until((view) => view?.status !== 'starting', group)).toMatchObject(expected);
    await servers?.close();
  };
  await check(
    { type: 'process', name: 'one', command: '/no/such/program', args: [], env: {} },
    { status: 'failed', problem: expect.stringContaining('could not be started') },
  );
  await check(
    program(raw, 'mute'),
    { status: 'failed', problem: 'The server did not answer within 2 seconds.' },
    1_500,
  );
  await check(program(raw, 'broken'), {
    status: 'failed',
    problem: expect.stringContaining('Its last output: I never work.'),
  });
  await check(
    { type: 'http', name: 'one', url: 'http://127.0.0.1:5/', headers: {} },
    { status: 'failed', problem: expect.stringMatching(/^The server could not be reached: .*ECONNREFUSED/) },
  );
  await check(
    { type: 'http', name: 'one', url: await listening('k'), headers: {} },
    { status: 'requires-auth' },
  );
});

test('nothing is left of it, nor of its children, when the last place has let go', async () => {
  const group = open(program(raw));
  const other = servers?.open({ roots, given: () => [program(raw)] });
  const words = async (tool: string) => JSON.stringify(await call(group, tool)).match(/(\d+)/)?.[1];
  const pids = [await words('child'), await words('name')].map(Number);
  expect(servers?.list()).toHaveLength(1);
  other?.close();
  expect(await call(group, 'echo')).toMatchObject({ status: 'done' });
  group.close();
  await servers?.close();
  await Promise.all(pids.map(untilGone));
});

test('it is stopped and started on demand', async () => {
  const group = open(program(raw));
  await until(isRunning, group);
  expect(group.stop('one')).toBe(true);
  await until((view) => view?.status === 'stopped', group);
  group.start('one');
  await until(isRunning, group);
  expect(group.stop('two')).toBe(false);
});

test('what a server returns comes in our words, whatever kind it is', async () => {
  const group = open(program(raw));
  expect((await call(group, 'kinds')).content).toEqual([
    { type: 'text', text: 'T' },
    { type: 'image', mediaType: 'image/png', data: 'aWNvbg==' },
    { type: 'text', text: '[An audio recording (audio/wav) that cannot be heard here.]' },
    { type: 'link', uri: 'book://sea', name: 'sea', mediaType: 'text/plain' },
    { type: 'text', text: 'book://lake:\nDeep.' },
    { type: 'link', uri: 'book://pond', mediaType: 'image/png' },
    { type: 'text', text: '[A picture that is too large was left out.]' },
  ]);
});

test('what a server says about its work is shown with the call that runs, and keeps it alive', async () => {
  const group = open(program(raw), { times: { call: 2_000 } });
  const said: string[] = [];
  expect(await call(group, 'talk', { progress: (text) => said.push(text) })).toMatchObject({
    status: 'done',
    content: [{ text: 'Talked.' }],
  });
  expect(said).toEqual(['info (raw): Begun.', 'warning (raw): {"left":3}', 'error (raw): Nearly.']);
});

test('tools that are written wrongly are mended or left out, and the others stay', async () => {
  const group = open(program(raw, 'sloppy'));
  const { tools } = await until(isRunning, group);
  expect(tools.map(({ name, parameters }) => [name.slice(0, 20), parameters])).toEqual([
    ['echo', { type: 'object', properties: {} }],
    ['echo', { type: 'object', properties: {} }],
    ['ümläut / and blanks', { type: 'object', properties: { a: {} } }],
    ['x'.repeat(20), { type: 'object', properties: {} }],
  ]);
  expect(await call(group, 'echo', { input: { a: 1 } })).toMatchObject({ status: 'done' });
});

test('a storm of news about tools costs a few questions', async () => {
  const group = open(program(raw));
  await call(group, 'storm');
  const asked = await call(group, 'asked');
  expect(Number(asked.content[0]?.type === 'text' ? asked.content[0].text : '')).toBeLessThan(10);
});

test('a server on the network that was started anew is reached again, and the call is made once', async () => {
  const url = await listening();
  const group = open({ type: 'http', name: 'one', url, headers: {} }, { times: { later: 100 } });
  await until(isRunning, group);
  const [child] = children;
  child?.kill('SIGKILL');
  await once(child ?? process, 'exit');
  expect(await call(group, 'add', { input: { a: 1, b: 2 } })).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/^The server one /),
  });
  const { port } = new URL(url);
  children.push(spawn(process.execPath, [sdk.path, 'http', '', port], { stdio: 'ignore' }));
  await until(isRunning, group);
  expect(await call(group, 'add', { input: { a: 1, b: 2 } })).toMatchObject({ status: 'done' });
});
