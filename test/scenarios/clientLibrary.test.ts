// The client library of the package: the examples of its page as programs, and what they do not show.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type * as library from '../../client/node.ts';
import { newHome } from '../kit/parley.ts';
import type { Home, Served } from '../kit/parley.ts';

const root = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

let home: Home;
let host: Served;
let client: typeof library;

beforeAll(async () => {
  home = newHome();
  // The demo model, which reads the folder and asks before it writes.
  delete home.env['PARLEY_SCRIPTED'];
  host = await home.serve();
  mkdirSync(join(home.workspace, 'node_modules'));
  symlinkSync(root, join(home.workspace, 'node_modules', 'parley'));
  client = (await import(join(root, 'dist', 'client', 'node.mjs'))) as typeof library;
});

afterAll(() => home.dispose());

const connect = () =>
  client.connect({ url: `http://127.0.0.1:${host.port}`, token: host.token, name: 'Test' });

describe('the examples of docs/api.md run', () => {
  const page = readFileSync(join(root, 'docs', 'api.md'), 'utf8');
  const examples = [...page.matchAll(/```js\n([^]*?)```/g)].map(([, code = '']) => code);
  const output = async (at: number, token = host.token) => {
    const file = join(home.workspace, `example${at}.mjs`);
    writeFileSync(file, examples[at] ?? '');
    const env = { ...home.env, PARLEY_URL: `http://127.0.0.1:${host.port}`, PARLEY_TOKEN: token };
    return (await run(process.execPath, [file], { env, cwd: home.workspace, timeout: 100_000 })).stdout;
  };

  test('all of them are known here', () => expect(examples.length).toBe(4));
  test('a question is answered', async () => expect(await output(0)).toMatch(/node_modules|example/));
  test('sessions are listed', async () => expect(await output(1)).toMatch(/^idle /m));
  test('a wrong token is named, without a page of the library above it', async () => {
    const { stderr } = (await output(1, 'wrong').catch((error: unknown) => error)) as { stderr: string };
    expect(stderr).toContain('Error: The host refuses this token.');
    expect(stderr.indexOf('Error: The host')).toBeLessThan(1000);
  });
  test('an approval is given', async () => {
    expect(await output(2)).toMatch(/^allowed: .*notes\.md[^]*complete/);
    expect(readFileSync(join(home.workspace, 'notes.md'), 'utf8')).toMatch(/^Hello/);
  });
  test('sessions are followed and searched', async () => {
    expect(await output(3)).toMatch(/^\d sessions\n[^]*notes\.md/i);
  });
});

test('the page in a browser imports a build that is there, and every event of a turn has its row', async () => {
  const page = readFileSync(join(root, 'docs', 'api.md'), 'utf8');
  const build: object = await import(join(root, 'dist', 'client', 'browser.js'));
  expect(build).toHaveProperty('connect');
  const types = readFileSync(join(root, 'dist', 'client', 'index.d.ts'), 'utf8');
  const [, events = ''] = /type TurnEvent =([^]*?);\s*\n(?:export|$)/.exec(types) ?? [];
  const named = [...events.matchAll(/type: '(\w+)'/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(3);
  const rows = /\| Event of a turn[^]*?\n\n/.exec(page)?.[0] ?? '';
  expect([...named, 'approval', 'question'].filter((name) => !rows.includes(`\`${name}\``))).toEqual([]);
});

/** What the page says that the client sends is sent, and the host answers in the recorded order. */
test('the recorded exchanges hold', async () => {
  const page = readFileSync(join(root, 'docs', 'api.md'), 'utf8');
  const recorded = page.split('\n').filter((line) => /^[<>] \{/.test(line));
  const { child } = home.run('ahp');
  const got: string[] = [];
  const reader = createInterface({ input: child.stdout ?? Readable.from([]) });
  reader.on('line', (line) => got.push(line));
  let at = 0;
  const until = async (part: RegExp) => {
    await expect.poll(() => got.slice(at).findIndex((line) => part.test(line))).not.toBe(-1);
    at += got.slice(at).findIndex((line) => part.test(line)) + 1;
    return got[at - 1] ?? '';
  };
  const folder = pathToFileURL(home.workspace).href;
  let call = '';
  for (const line of recorded) {
    const [, id] = /"id":(\d+),"result"/.exec(line) ?? [];
    const [, type = ''] = /"type":"(chat\/\w+)"/.exec(line) ?? [];
    if (line.startsWith('>'))
      child.stdin?.write(
        `${line.slice(2).replace('file:///home/me/bakery', folder).replace('9803699b', call)}\n`,
      );
    else if (id !== undefined) await until(new RegExp(`"id":${id},"result"`));
    else if (type === 'chat/toolCallReady')
      call = /"toolCallId":"([^"]+)/.exec(await until(/toolCallReady.*"options"/))?.[1] ?? '';
    else await until(new RegExp(`"type":"${type}"`));
  }
  expect(recorded.length).toBeGreaterThan(15);
  expect(readFileSync(join(home.workspace, 'hours.md'), 'utf8')).toMatch(/^Open/);
  child.stdin?.end();
});

test('a denied call does not run, and a second prompt at the same time is refused', async () => {
  const parley = await connect();
  const session = await parley.create({ folder: home.workspace, permissions: 'ask' });
  const turn = session.prompt('create denied.md with Hello');
  const seen: string[] = [];
  for await (const event of turn) {
    seen.push(event.type);
    if (event.type !== 'approval') continue;
    expect(session.waiting().map(({ id }) => id)).toEqual([event.id]);
    await expect(session.prompt('another').result).rejects.toThrow(/./);
    await event.deny('not now');
    await expect(event.allow()).rejects.toThrow(/./);
  }
  expect(seen).toEqual(expect.arrayContaining(['tool', 'approval', 'text']));
  expect(await turn.result).toMatchObject({ state: 'complete', prompt: 'create denied.md with Hello' });
  expect(existsSync(join(home.workspace, 'denied.md'))).toBe(false);
  expect(session.info()).toMatchObject({ folder: home.workspace, status: 'idle', archived: false });
  await parley.delete(session.id);
  parley.close();
});

test('the title of an approval says the whole command, however long', async () => {
  const parley = await connect();
  const session = await parley.create({ folder: home.workspace, permissions: 'ask' });
  const command = `printf %s ${'a'.repeat(80)} && echo the-very-end`;
  const titles: string[] = [];
  for await (const event of session.prompt(`run ${command}`)) {
    if (event.type !== 'approval') continue;
    titles.push(event.title);
    await event.deny();
  }
  expect(titles).toEqual([`$ ${command}`]);
  await parley.delete(session.id);
  parley.close();
});

test('what cannot be is said: no host, a wrong token, an unknown session, an unknown mode', async () => {
  await expect(client.connect({ socket: join(home.dir, 'none.sock'), timeout: 300 })).rejects.toThrow(
    /in time/,
  );
  await expect(client.connect({ url: `ws://127.0.0.1:${host.port}`, token: 'wrong' })).rejects.toThrow(
    'refuses this token',
  );
  await expect(client.connect({ url: 'ftp://127.0.0.1' })).rejects.toThrow(/is not the address of a host/);
  const parley = await connect();
  await expect(parley.open('none')).rejects.toThrow(/./);
  const session = await parley.create({ folder: home.workspace });
  await expect(session.setPermissions('dance')).rejects.toThrow(/./);
  await expect(parley.create({ folder: home.workspace, permissions: 'dance' })).rejects.toThrow(
    'permissions: not an allowed value',
  );
  const careful = await parley.create({ folder: home.workspace, permissions: 'plan' });
  await careful.prompt('create planned.md with Hello').result;
  expect(existsSync(join(home.workspace, 'planned.md'))).toBe(false);
  parley.close();
});

test('a connection survives its host, and a session shows what happened', async () => {
  const parley = await connect();
  const seen: string[] = [];
  parley.onConnection((status) => seen.push(status));
  const session = await parley.create({ folder: home.workspace });
  await session.prompt('what is in this folder').result;
  await host.killAlone();
  host = await home.serve('--port', String(host.port));
  await vi.waitFor(() => expect(seen.slice(1)).toEqual(expect.arrayContaining(['reconnecting', 'online'])), {
    timeout: 100_000,
  });
  expect(session.turns().map(({ state }) => state)).toEqual(['complete']);
  expect((await session.prompt('say it again').result).state).toBe('complete');
  expect(session.turns()).toHaveLength(2);
  parley.close();
});
