// The first answer of `parley server` waits for nothing: not for models, servers of tools, plugins,
// settings or a large folder.
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { contentLength } from '../../src/rpc/framing/contentLength.ts';
import { spawned } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import { wire } from '../kit/wire.ts';

let home: Home;
const leave: (() => void)[] = [];

afterEach(async () => {
  for (const each of leave.splice(0)) each();
  await home.dispose();
});

/** A provider that takes every connection and never says a word. */
async function silentProvider(): Promise<string> {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  leave.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const hello = () => ({
  processId: process.pid,
  capabilities: { codeAssistant: { chat: true } },
  workspaceFolders: [{ name: 'w', uri: `file://${home.workspace}` }],
});

test.each([
  ['through the host', []],
  ['in one process', ['--standalone']],
])('initialize is answered while models, servers of tools and settings hang: %s', async (_, flags) => {
  home = newHome();
  delete home.env['PARLEY_SCRIPTED'];
  const url = await silentProvider();
  Object.assign(home.env, {
    OPENAI_API_KEY: 'k',
    OPENAI_API_URL: url,
    OLLAMA_API_URL: url,
    XDG_CONFIG_HOME: join(home.dir, 'config'),
  });
  // Whoever reads this file waits for a writer that never comes.
  mkdirSync(join(home.workspace, '.eca'), { recursive: true });
  execFileSync('mkfifo', [join(home.workspace, '.eca', 'config.json')]);
  mkdirSync(join(home.dir, 'config', 'eca'), { recursive: true });
  writeFileSync(
    join(home.dir, 'config', 'eca', 'config.json'),
    JSON.stringify({ mcpServers: { slow: { command: 'sleep', args: ['600'] } } }),
  );
  for (let at = 0; at < 300; at += 1) {
    mkdirSync(join(home.workspace, `folder-${at}`, 'deep'), { recursive: true });
    writeFileSync(join(home.workspace, `folder-${at}`, 'deep', 'AGENTS.md'), 'Words.\n');
  }
  const eca = wire(spawned(home, ['server', ...flags], contentLength));
  const answer = await eca.request('initialize', hello());
  expect(answer).toMatchObject({
    chatWelcomeMessage: expect.any(String) as string,
    serverInfo: { name: 'parley' },
  });
  // Nothing is told before the client listens; then every task ends, whatever still hangs.
  expect(eca.said).toEqual([]);
  eca.notify('initialized', {});
  await eca.wait(
    ({ method, params }) =>
      method === 'tool/serverUpdated' && params.name === 'slow' && params.status === 'starting',
  );
  await eca.wait(
    ({ method, params }) => method === '$/progress' && params.taskId === 'models' && params.type === 'finish',
  );
  const tasks = eca.said
    .filter(({ method }) => method === '$/progress')
    .map(({ params }) => `${params.taskId} ${params.type}`);
  expect(
    tasks
      .filter((task) => task.endsWith('start'))
      .map((task) => task.replace('start', 'finish'))
      .toSorted(),
  ).toEqual(tasks.filter((task) => task.endsWith('finish')).toSorted());
  expect(await eca.request('shutdown', null)).toBe(null);
  eca.notify('exit', null);
  await eca.peer.closed;
});

test.each([
  ['through the host', []],
  ['in one process', ['--standalone']],
])('a welcome of the configuration is in the first answer: %s', async (_, flags) => {
  home = newHome();
  home.env['XDG_CONFIG_HOME'] = join(home.dir, 'config');
  const put = (folder: string, text: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'config.json'), text);
  };
  const welcome = async (initializationOptions: object = {}) => {
    const eca = wire(spawned(home, ['server', ...flags], contentLength));
    const answer: unknown = await eca.request('initialize', { ...hello(), initializationOptions });
    await eca.close();
    return answer;
  };
  const mine = { welcomeMessage: 'Hello ${env:WHO}' };
  home.env['WHO'] = 'Ada';
  put(join(home.dir, 'config', 'eca'), JSON.stringify(mine));
  const greets = (text: string) => ({ chatWelcomeMessage: text, serverInfo: { name: 'parley' } });
  // The second client finds the host that the first one has started.
  expect([await welcome(), await welcome({ 'welcome-message': 'Client' })]).toMatchObject([
    greets('Hello Ada'),
    greets('Hello Ada'),
  ]);
  put(join(home.dir, 'config', 'eca'), '{}');
  put(join(home.workspace, '.eca'), '{ "welcomeMessage": "Theirs" }');
  expect(await welcome({ welcomeMessage: 'Client' })).toMatchObject(greets('Client'));
  expect(await home.run('trust', home.workspace, '--yes').done).toMatchObject({ code: 0 });
  expect(await welcome()).toMatchObject(greets('Theirs'));
});
