// Agents of a registry, installed through the real program: packages of npm, of Python and archives, from
// servers on this machine.
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tarGzOf, zipOf } from '../kit/archives.ts';
import { ahpClient } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import type { Loose } from '../kit/wire.ts';

let home: Home;
let server: Server;
let base: string;
const served = new Map<string, Buffer | string>();
const requests: string[] = [];

/** Answers the handshake, which is what `agents test` asks for. */
const agent = (version: string) => `#!/usr/bin/env node
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const result = method === 'initialize'
    ? { protocolVersion: 1, agentCapabilities: {}, authMethods: [], agentInfo: { name: 'made', version: '${version}' } }
    : {};
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
});
`;

beforeAll(async () => {
  home = newHome();
  server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').split('?')[0] ?? '';
    requests.push(path);
    const body = served.get(path);
    response.writeHead(body === undefined ? 404 : 200);
    response.end(body ?? '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  home.env['npm_config_registry'] = base;
  // Nothing but this machine is reached.
  Object.assign(home.env, { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1' });
  publish('@made/agent', '1.0.0', { node: '>=18' });
  publish('future', '1.0.0', { node: '>=99' });
  publish('npm', '99.0.0', { node: '>=18' });
  serveRegistry('1.0.0');
});
afterAll(async () => {
  await home.dispose();
  server.close();
});

/** A package as an npm registry has it. */
function publish(name: string, version: string, engines: object): void {
  const tarball = tarGzOf(
    {
      name: 'package/package.json',
      text: JSON.stringify({ name, version, engines, bin: { made: 'run.js' } }),
    },
    { name: 'package/run.js', text: agent(version), mode: 0o755 },
  );
  const path = `/${name}/-/${version}.tgz`;
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  served.set(path, tarball);
  const manifest = {
    name,
    version,
    engines,
    bin: { made: 'run.js' },
    dist: { tarball: `${base}${path}`, integrity },
  };
  served.set(
    `/${name}`,
    JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: manifest } }),
  );
}

/** These start many programs, some of them several times. */
const patient = 120_000;

const platforms = ['linux-x86_64', 'linux-aarch64', 'darwin-x86_64', 'darwin-aarch64'];

function serveRegistry(version: string): void {
  const archive = tarGzOf({ name: 'dist/made', text: agent(version), mode: 0o755 });
  served.set('/made.tar.gz', archive);
  served.set('/made.zip', zipOf({ name: 'made', text: agent(version), mode: 0o100_755 }));
  served.set('/evil.tar.gz', tarGzOf({ name: '../../evil', text: 'x' }));
  const sha256 = createHash('sha256').update(archive).digest('hex');
  const binary = (path: string, cmd: string, more: object = {}) => ({
    binary: Object.fromEntries(platforms.map((each) => [each, { archive: `${base}${path}`, cmd, ...more }])),
  });
  const entry = (id: string, distribution: object) => ({
    id,
    name: id,
    version,
    description: `The ${id}.`,
    distribution,
  });
  const agents = [
    entry('codex-acp', binary('/made.tar.gz', './dist/made', { sha256, env: { A: '1' } })),
    entry('zipped', binary('/made.zip', './made')),
    entry('packaged', { npx: { package: `@made/agent@${version}`, args: ['--acp'] } }),
    entry('future', { npx: { package: 'future@1.0.0' } }),
    entry('missing', { npx: { package: '@made/missing@1.0.0' } }),
    entry('snake', { uvx: { package: `snake@${version}` } }),
    entry('evil', binary('/evil.tar.gz', './evil')),
    entry('parley', binary('/made.zip', './made')),
    entry('hollow', binary('/made.tar.gz', './dist')),
    entry('tampered', binary('/made.zip', './made', { sha256 })),
    entry('elsewhere', binary('/made.zip', '../../made')),
    entry('plain', {
      binary: Object.fromEntries(
        platforms.map((each) => [each, { archive: 'http://example.com/x', cmd: 'x' }]),
      ),
    }),
    entry('nowhere', { binary: { 'plan9-mips': { archive: 'https://x', cmd: 'x' } } }),
  ];
  served.set('/registry.json', JSON.stringify({ version: '1.0.0', agents, extensions: [] }));
}

const agents = async (...args: readonly string[]) => {
  const { code, out, err } = await home.run('agents', ...args).done;
  return { code, out: out.replaceAll(home.dir, '~'), err: err.replaceAll(home.dir, '~') };
};
const from = () => ['--registry', `${base}/registry.json`];
const installs = join('home', 'agents');

test('the registry is searched, and fetched once', async () => {
  const { out } = await agents('search', 'CODEX', ...from());
  expect(out).toMatch(/^codex +1\.0\.0 +codex-acp: The codex-acp\.\n/);
  expect(JSON.parse((await agents('search', 'zip', '--json', ...from())).out)).toEqual([
    {
      id: 'zipped',
      registryId: 'zipped',
      name: 'zipped',
      description: 'The zipped.',
      version: '1.0.0',
      kinds: ['binary'],
    },
  ]);
  expect(requests.filter((path) => path === '/registry.json')).toHaveLength(1);
  expect((await agents('install', 'zip', ...from())).err).toContain(
    'has no agent "zip". Did you mean zipped?',
  );
});

test(
  'an archive is installed with its checksum, keeps our quirks, is tested, updated and removed',
  async () => {
    const { out, code } = await agents('install', 'codex-acp', ...from());
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^Installed codex-acp 1\.0\.0 as codex\.\n.*\n {2}checksum {2}[0-9a-f]{64}\n/),
    ]);
    const listed = async () =>
      (JSON.parse((await agents('list', '--json')).out) as Loose[]).find(({ id }) => id === 'codex');
    expect(await listed()).toMatchObject({
      name: 'Codex',
      source: 'installed',
      version: '1.0.0',
      disabled: false,
    });
    expect((await agents('test', 'codex')).out).toContain('made 1.0.0');
    expect((await agents('install', 'codex', ...from())).out).toBe('codex 1.0.0 is already installed.\n');
    publish('@made/agent', '2.0.0', {});
    serveRegistry('2.0.0');
    // The registry was fetched within the hour.
    expect((await agents('update')).out).toBe('codex 1.0.0 is the newest version.\n');
    const newer = join(home.dir, 'newer.json');
    writeFileSync(newer, served.get('/registry.json') ?? '');
    expect((await agents('update', 'codex', '--registry', 'newer.json')).out).toBe(
      'codex was updated from 1.0.0 to 2.0.0.\n',
    );
    expect((await agents('test', 'codex')).out).toContain('made 2.0.0');
    const kept = readFileSync(join(home.dir, installs, 'codex', 'installed.json'), 'utf8');
    expect(JSON.parse(kept)).toMatchObject({ registry: newer });
    // The registry from which it came has an older one now.
    writeFileSync(newer, String(served.get('/registry.json')).replaceAll('"2.0.0"', '"1.5.0"'));
    expect((await agents('update')).out).toBe(
      'codex 2.0.0 is newer than 1.5.0 of the registry. To go back: parley agents install codex --registry ~/newer.json\n',
    );
    writeFileSync(newer, served.get('/registry.json') ?? '');
    expect(await agents('remove', 'codex')).toMatchObject({
      code: 0,
      out: 'Removed the installation of codex.\n',
    });
    expect(await listed()).toMatchObject({ source: 'known' });
    expect(existsSync(join(home.dir, installs, 'codex'))).toBe(false);
  },
  patient,
);

test(
  'packages are installed by npm and uv, and what they need is checked before',
  async () => {
    const newer = join(home.dir, 'newer.json');
    const { out, err } = await agents('install', 'packaged', '--json', '--registry', newer);
    expect(err).toBe('');
    expect(JSON.parse(out)).toMatchObject({
      id: 'packaged',
      version: '2.0.0',
      checksum: expect.stringMatching(/^sha512-/) as string,
      args: ['--acp'],
    });
    expect((await agents('test', 'packaged')).out).toContain('made 2.0.0');
    const refused = await agents('install', 'future', '--registry', newer);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining('It needs Node >=99; the node on the PATH is'),
    ]);
    expect((await agents('install', 'snake', '--registry', newer)).err).toContain(
      'It needs uv, which was not found',
    );
    const bin = join(home.dir, 'bin');
    mkdirSync(bin);
    writeFileSync(
      join(bin, 'uv'),
      `#!/bin/sh\n[ "$*" = "tool install --force snake==2.0.0" ] || exit 1\nprintf '#!/bin/sh\\n' > "$UV_TOOL_BIN_DIR/snake"\nchmod +x "$UV_TOOL_BIN_DIR/snake"\n`,
    );
    chmodSync(join(bin, 'uv'), 0o755);
    home.env['PATH'] = `${bin}:${home.env['PATH']}`;
    expect((await agents('install', 'snake', '--registry', newer)).out).toContain(
      'Installed snake 2.0.0 as snake.',
    );
  },
  patient,
);

test(
  'what cannot be trusted or used is refused, and leaves nothing behind',
  async () => {
    const newer = join(home.dir, 'newer.json');
    const before = readdirSync(join(home.dir, installs)).toSorted();
    const problem = async (id: string, ...more: readonly string[]) => {
      const { code, err } = await agents('install', id, '--registry', newer, ...more);
      expect(code).toBe(1);
      return err;
    };
    expect(await problem('evil')).toContain('outside its folder');
    expect(await problem('parley')).toContain('is the built-in agent');
    expect(await problem('tampered')).toContain('has the checksum');
    expect(await problem('zipped', '--sha256', 'f'.repeat(64))).toContain('not ffff');
    expect(await problem('packaged', '--sha256', 'f'.repeat(64))).toContain('has no SHA-256');
    expect(await problem('hollow')).toContain('has no program');
    expect(await problem('elsewhere')).toContain('names a program outside the archive');
    expect(await problem('plain')).toContain('is not an https address');
    const missing = await problem('missing');
    expect(missing).toMatch(/^parley: npm failed: 404 Not Found - GET http:\S+missing\n404  The requested /);
    expect(missing).not.toMatch(/New major version of npm|Note that|complete log/);
    expect(await problem('nowhere')).toContain('is not available for');
    expect((await agents('update', 'nobody')).err).toContain('"nobody" is not installed.');
    expect((await agents('remove', 'nobody')).err).toContain('neither installed by Parley nor in');
    const added = readdirSync(join(home.dir, installs)).filter((name) => !before.includes(name));
    expect(added.flatMap((name) => readdirSync(join(home.dir, installs, name)))).toEqual([]);
    expect(existsSync(join(home.dir, 'home', 'evil'))).toBe(false);
  },
  patient,
);

test('without a connection the list is the one that comes with Parley', async () => {
  const { out, err } = await home.run('agents', 'search', 'claude').done;
  expect(err).toContain('The list is the one that comes with Parley.');
  expect(out).toMatch(/^claude +\d/);
});

test('a client of the host installs and removes, sees the progress, and the host offers the agent', async () => {
  // The host may use what was fetched from the public registry.
  const url = 'https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json';
  const cached = { url, at: Date.now(), text: served.get('/registry.json') };
  writeFileSync(join(home.dir, 'home', 'registry.json'), JSON.stringify(cached));
  const ahp = await ahpClient(await home.serve());
  const ask = (method: string, params: object): Promise<Loose> =>
    ahp.request(`x-parley/agents/${method}`, params);
  const row = async () => ((await ask('registry', {})).agents as Loose[]).find(({ id }) => id === 'zipped');
  expect(await row()).toMatchObject({ registryId: 'zipped', version: '2.0.0' });
  expect(await ask('install', { agent: 'zipped' })).toBe(null);
  await expect.poll(async () => (await row())?.installed, { timeout: 100_000 }).toBe('2.0.0');
  const offered = async () => ((await ask('list', {})) as Loose[]).find(({ id }) => id === 'zipped');
  expect(await offered()).toMatchObject({ source: 'installed', version: '2.0.0' });
  await ask('install', { agent: 'evil' });
  await expect
    .poll(async () => ((await ask('registry', {})).agents as Loose[]).find(({ id }) => id === 'evil')?.job, {
      timeout: 100_000,
    })
    .toMatchObject({ problem: expect.stringContaining('outside its folder') as string });
  await expect(ask('install', { agent: 'none' })).rejects.toThrow(/has no agent "none"/);
  expect(await ask('uninstall', { agent: 'zipped' })).toBe(null);
  await expect(ask('uninstall', { agent: 'zipped' })).rejects.toThrow('is not installed by Parley');
  expect(await offered()).toBe(undefined);
  await ahp.close();
});
