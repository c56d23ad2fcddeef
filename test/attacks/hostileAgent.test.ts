// A hostile external agent in the sandbox gets nothing; outside it gets all of it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { catalogue } from '../../src/agents/acp/catalogue.ts';
import { hiddenInHome } from '../../src/io/sandbox/places.ts';
import { bundle } from '../kit/bundle.ts';
import type { Bundle } from '../kit/bundle.ts';
import type { WantedPlaces } from '../kit/hostileAgent.ts';
import { newHome, visibleBase } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';

test('the folders of every agent that we know are hidden from all others', () => {
  const folders = catalogue.flatMap(({ needs }) => needs?.folders ?? []);
  expect(folders.filter((path) => !hiddenInHome.includes(path.slice(2)))).toEqual([]);
  expect(catalogue.filter(({ needs }) => !needs)).toEqual([]);
});

describe.runIf(process.platform === 'linux')('a hostile agent', () => {
  let agent: Bundle;
  let home: Home;
  let servers: Server[] = [];

  beforeAll(async () => {
    agent = await bundle(join(import.meta.dirname, '../kit/hostileAgent.ts'));
  });
  afterAll(() => agent.dispose());
  afterEach(async () => {
    await home.dispose();
    for (const server of servers) server.close();
    servers = [];
  });

  test('in the sandbox gets nothing', { timeout: 120_000 }, async () => {
    const { loot, wanted } = await attack('auto');
    expect(loot).toEqual([]);
    expect(
      wanted.write.filter((path) => existsSync(path) && readFileSync(path, 'utf8').includes('evil')),
    ).toEqual([]);
  });

  test('that always runs in the sandbox gets nothing in another mode', { timeout: 120_000 }, async () => {
    const { loot } = await attack('on', '--mode', 'ask');
    expect(loot).toEqual([]);
  });

  test('outside gets everything that it asks nobody for', { timeout: 120_000 }, async () => {
    const { loot, wanted } = await attack('off');
    expect(loot).toEqual(
      expect.arrayContaining([
        ...wanted.read.map((path) => `read ${path}`),
        ...wanted.write.map((path) => `wrote ${path}`),
        ...wanted.connect
          .filter((address) => !unreachable.includes(address))
          .map((address) => `connected to ${address}`),
        `read the environment of ${wanted.pid}`,
        'sees other processes',
      ]),
    );
  });

  async function attack(sandbox: 'on' | 'auto' | 'off', ...mode: readonly string[]) {
    home = newHome(undefined, visibleBase());
    const person = join(home.dir, 'person');
    home.env['HOME'] = person;
    const keys = ['.ssh/id_rsa', '.aws/credentials', '.codex/auth.json', '.codex/config.toml', '.npmrc'];
    for (const path of [...keys, '.bashrc']) put(join(person, path), 'SECRET');
    put(join(home.workspace, '.vscode', 'settings.json'), '{}');
    const sockets = ['docker.sock', '.ssh/agent.sock'].map((name) => join(person, name));
    for (const path of sockets) await listen(path);
    const { pid } = await home.serve();
    const own = join(home.dir, 'home');
    const wanted: WantedPlaces = {
      read: [...keys.map((name) => join(person, name)), join(own, 'token')],
      write: [
        join(person, '.bashrc'),
        join(person, 'outside.txt'),
        join(home.workspace, '.vscode', 'settings.json'),
        join(own, 'config.jsonc'),
      ],
      connect: [...sockets, join(own, 'host.sock'), await listen(0), ...unreachable],
      pid,
    };
    const add = ['agents', 'add', 'hostile', '--sandbox', sandbox, '--', process.execPath, visible(agent)];
    expect((await home.run(...add).done).err).toBe('');
    const flags = mode.length > 0 ? mode : ['--auto'];
    const { out, err } = await home.run(
      'run',
      ...[...flags, '--agent', 'hostile', '--cwd', home.workspace, '--json', JSON.stringify(wanted)],
    ).done;
    const file = join(home.workspace, 'loot.json');
    expect(existsSync(file), `${out}${err}`).toBe(true);
    return { wanted, loot: JSON.parse(readFileSync(file, 'utf8')) as readonly string[] };
  }

  /** A copy outside the temporary folder. */
  function visible({ path }: Bundle): string {
    const copy = join(home.dir, 'hostile.cjs');
    writeFileSync(copy, readFileSync(path));
    return copy;
  }

  /** The address of a server that answers. */
  function listen(at: string | number): Promise<string> {
    const server = createServer((socket) => socket.end());
    servers.push(server);
    return new Promise((resolve) => {
      const ready = () => {
        const address = server.address();
        resolve(typeof address === 'object' && address ? `127.0.0.1:${address.port}` : String(at));
      };
      if (typeof at === 'string') server.listen(at, ready);
      else server.listen(at, '127.0.0.1', ready);
    });
  }
});

/** Not everywhere is something at these addresses: a metadata service, a name server, any public name. */
const unreachable = ['169.254.169.254:80', '168.63.129.16:80', '9.9.9.9:53', 'example.com:443'];

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
