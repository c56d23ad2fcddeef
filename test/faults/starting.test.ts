// Starts that fail leave nothing behind and say why; a signal ends the host whatever blocks it.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { contentLength } from '../../src/rpc/framing/contentLength.ts';
import { ndjson } from '../../src/rpc/framing/ndjson.ts';
import { spawned } from '../kit/clients.ts';
import { pause } from '../kit/living.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import { freePort } from '../kit/freePort.ts';
import { wire } from '../kit/wire.ts';
import { expectWithin } from '../kit/timeLimit.ts';

let home: Home;
beforeEach(() => {
  home = newHome();
});
afterEach(() => home.dispose());

const inHome = (name: string) => join(String(home.env['PARLEY_HOME']), name);
const noSuchAddress = 'This machine has no address 192.0.2.1.';

function writeSettings(settings: object): void {
  mkdirSync(String(home.env['PARLEY_HOME']), { recursive: true });
  writeFileSync(inHome('config.jsonc'), JSON.stringify(settings));
}

test('a host whose port is taken exits with 1 and leaves the data directory free', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { child, done } = home.run('serve', '--port', String(port));
  const said = await new Promise<number>((resolve) => {
    child.stderr?.once('data', () => resolve(performance.now()));
  });
  expect(await done).toMatchObject({ code: 1, err: expect.stringContaining(`Port ${port} is in use.`) });
  await expectWithin(2_000, said);
  other.close();
  await (await home.serve()).kill('SIGTERM');
});

test('a host that is told to end as soon as it listens ends in good order', async () => {
  const port = await freePort();
  const { child, done } = home.run('serve', '--port', String(port));
  while (!(await listens(port))) await pause(1);
  child.kill('SIGTERM');
  expect(await done).toMatchObject({ code: 0 });
});

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

const failures: { readonly [name: string]: { readonly arrange: () => void; readonly says: string } } = {
  'an address that the machine does not have': {
    arrange: () => writeSettings({ server: { host: '192.0.2.1', insecure: true } }),
    says: noSuchAddress,
  },
  'a private socket that cannot be made': {
    arrange: () => mkdirSync(inHome('host.sock/x'), { recursive: true }),
    says: 'host.sock',
  },
  'a token that cannot be written': {
    arrange: () => mkdirSync(inHome('token/x'), { recursive: true }),
    says: 'token',
  },
  'a pipe in place of the token': { arrange: () => putPipe('token'), says: 'token is not a regular file' },
  'a pipe in place of the devices': {
    arrange: () => putPipe('devices.json'),
    says: 'devices.json is not a regular file',
  },
  'a device in place of the devices': {
    arrange: () => putDevice('devices.json'),
    says: 'devices.json is not a regular file',
  },
  'a device in place of the lock': {
    arrange: () => putDevice('lock.db'),
    says: 'lock.db is not a regular file',
  },
};

function putPipe(name: string): void {
  mkdirSync(String(home.env['PARLEY_HOME']), { recursive: true });
  execFileSync('mkfifo', [inHome(name)]);
}

function putDevice(name: string): void {
  mkdirSync(String(home.env['PARLEY_HOME']), { recursive: true });
  symlinkSync('/dev/zero', inHome(name));
}

test.each(Object.entries(failures))('%s ends the start with code 1', async (_, { arrange, says }) => {
  arrange();
  expect(await home.run('serve').done).toMatchObject({ code: 1, err: expect.stringContaining(says) });
});

test('a damaged lock file does not keep the host from starting', async () => {
  mkdirSync(String(home.env['PARLEY_HOME']), { recursive: true });
  writeFileSync(inHome('lock.db'), 'garbage '.repeat(1_000));
  const first = await home.serve();
  expect(await home.run('serve').done).toMatchObject({ code: 3 });
  await first.kill('SIGTERM');
});

test.each([
  ['a pipe', putPipe],
  ['a device', putDevice],
] as const)('%s in place of what a host can do without does not keep it from starting', async (_, put) => {
  const { mode } = statSync('/dev/zero');
  const names = ['host.json', 'lock.json', 'push.json', 'secrets.json', 'config.jsonc', 'log.db.seal'];
  names.forEach((name) => put(name));
  await (await home.serve()).kill('SIGTERM');
  expect(statSync('/dev/zero').mode).toBe(mode);
});

test('a pipe in place of the output of the host ends the wait of an editor at once', async () => {
  putPipe('host.log');
  const { child, done } = home.run('acp');
  child.stdin?.end();
  expect(await done).toMatchObject({ err: expect.stringContaining('host.log is not a regular file') });
});

const pipes = [
  { command: 'acp', framing: ndjson, hello: { protocolVersion: 1 }, next: 'session/new' },
  {
    command: 'server',
    framing: contentLength,
    hello: { processId: null, workspaceFolders: [] },
    next: 'chat/prompt',
  },
  { command: 'ahp', framing: ndjson, hello: { channel: 'ahp-root://', protocolVersions: ['1.0.0'] } },
];

test.each(pipes)('parley $command tells its client why there is no host', async ({ command, ...pipe }) => {
  writeSettings({ server: { host: '192.0.2.1', insecure: true } });
  const client = wire(spawned(home, [command], pipe.framing));
  // An editor's handshake is answered while the host starts; then the next request gets the reason.
  if (pipe.next !== undefined) await client.request('initialize', pipe.hello);
  await expect(client.request(pipe.next ?? 'initialize', pipe.hello)).rejects.toThrow(noSuchAddress);
  expect(await home.run(command).done).toMatchObject({
    code: 1,
    err: expect.stringContaining(noSuchAddress),
  });
});

/** Reports the files of ours and the modules of Node that a process has loaded when it ends. */
function reportsLoaded(report: string): string {
  const script = join(home.dir, 'report.cjs');
  writeFileSync(
    script,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(report)}, ` +
      'JSON.stringify([...Object.keys(require.cache), ...process.moduleLoadList])));',
  );
  return script;
}

test.each(pipes)('parley $command loads one file of ours and no schema', async ({ command, ...pipe }) => {
  const host = await home.serve();
  const report = join(home.dir, 'loaded.json');
  home.env['NODE_OPTIONS'] = `--require ${reportsLoaded(report)}`;
  const client = wire(spawned(home, [command], pipe.framing));
  await client.request('initialize', { ...pipe.hello, clientId: 'c' });
  await client.close();
  await expect.poll(() => existsSync(report)).toBe(true);
  await expect.poll(() => readFileSync(report, 'utf8')).toContain(']');
  const loaded = JSON.parse(readFileSync(report, 'utf8')) as readonly string[];
  const ours = loaded.filter((name) => /dist[\\/][^\\/]+\.cjs$/.test(name));
  expect(ours.map((name) => basename(name))).toEqual(['parley.cjs']);
  expect(ours.filter((name) => readFileSync(name, 'utf8').includes('invalid_type'))).toEqual([]);
  expect(
    loaded.filter((name) => /crypto|child_process|http|parse_args/.test(name) && !name.includes('Binding')),
  ).toEqual([]);
  // To parse it is most of what a start costs.
  expect(ours.map((name) => statSync(name).size).filter((size) => size > 36_000)).toEqual([]);
  await host.kill('SIGTERM');
});

test('a file of the program finds each other one once', () => {
  const dist = join(import.meta.dirname, '..', '..', 'dist');
  const asking = readdirSync(dist)
    .filter((name) => name.endsWith('.cjs'))
    .map((name) => [name, readFileSync(join(dist, name), 'utf8').split('require("./').length - 1] as const);
  // Node resolves such a request each time. The one is in the function that keeps what it has found.
  expect(asking.filter(([, requests]) => requests > 1)).toEqual([]);
});

/** Waits until there is a file, and reports the files of ours that are loaded at the first answer. */
function reportsFirstAnswer(report: string, file: string): string {
  const script = join(home.dir, 'report.cjs');
  writeFileSync(
    script,
    `const { existsSync, writeFileSync } = require('node:fs');
     while (!existsSync(${JSON.stringify(file)}));
     const write = process.stdout.write;
     process.stdout.write = function (...given) {
       process.stdout.write = write;
       writeFileSync(${JSON.stringify(report)}, JSON.stringify(Object.keys(require.cache)));
       return write.apply(this, given);
     };`,
  );
  return script;
}

test.each(pipes.slice(0, 2))(
  'parley $command --standalone answers the handshake before it loads the host',
  async ({ command, framing, hello }) => {
    const [report, sent] = [join(home.dir, 'loaded.json'), join(home.dir, 'sent')];
    home.env['NODE_OPTIONS'] = `--require ${reportsFirstAnswer(report, sent)}`;
    const client = wire(spawned(home, [command, '--standalone'], framing));
    const answer = client.request('initialize', hello);
    writeFileSync(sent, '');
    await answer;
    await client.close();
    const loaded = JSON.parse(readFileSync(report, 'utf8')) as readonly string[];
    expect(loaded.filter((name) => /^(?:host|door)-/.test(basename(name)))).toEqual([]);
  },
);

const questions = ['sessions', 'sessions search words', 'devices', 'permissions', 'token', 'run hi'];

test.each(questions)('parley %s loads neither the host nor the terminal client', async (line) => {
  const host = await home.serve();
  const report = join(home.dir, 'loaded.json');
  home.env['NODE_OPTIONS'] = `--require ${reportsLoaded(report)}`;
  await home.run(...line.split(' ')).done;
  const loaded = JSON.parse(readFileSync(report, 'utf8')) as readonly string[];
  expect(loaded.filter((name) => /^(?:host|chat)-/.test(basename(name)))).toEqual([]);
  await host.kill('SIGTERM');
});

test('a host whose data directory is in use ends with code 3, before it has loaded itself', async () => {
  const first = await home.serve();
  const report = join(home.dir, 'loaded.json');
  home.env['NODE_OPTIONS'] = `--require ${reportsLoaded(report)}`;
  expect(await home.run('serve', '--port', '0').done).toMatchObject({
    code: 3,
    err: expect.stringContaining(`(pid ${first.pid})`),
  });
  const loaded = JSON.parse(readFileSync(report, 'utf8')) as readonly string[];
  const ours = loaded.filter((name) => /dist[\\/][^\\/]+\.cjs$/.test(name)).map((name) => basename(name));
  expect(ours.filter((name) => /^(?:host|serveLocked)-/.test(name))).toEqual([]);
  expect(loaded.filter((name) => name.endsWith('NativeModule http'))).toEqual([]);
  await first.kill('SIGTERM');
});

/** Blocks the event loop of every process that loads it while a file exists; the file lists the blocked. */
function blockedWhile(file: string): string {
  const script = join(home.dir, 'block.cjs');
  const name = JSON.stringify(file);
  writeFileSync(
    script,
    `const { appendFileSync, existsSync } = require('node:fs');
     const block = () => {
       if (existsSync(${name})) appendFileSync(${name}, process.pid + '\\n');
       while (existsSync(${name}));
     };
     if (require('node:worker_threads').isMainThread) setInterval(block, 20).unref();`,
  );
  return script;
}

test('a pipe says that a blocked host does not answer, and SIGTERM ends it in five seconds', async () => {
  const file = join(home.dir, 'block');
  home.env['NODE_OPTIONS'] = `--require ${blockedWhile(file)}`;
  const host = await home.serve();
  delete home.env['NODE_OPTIONS'];
  writeFileSync(file, '');
  await expect.poll(() => readFileSync(file, 'utf8')).toBe(`${host.pid}\n`);
  const { child, done } = home.run('acp');
  child.stdin?.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n');
  await once(child.stderr ?? child, 'data');
  const began = performance.now();
  await host.kill('SIGTERM');
  await expectWithin(5_000, began);
  expect((await done).err).toContain('The host has not answered yet.');
});

test('SIGTERM ends a pipe with a host of its own in five seconds, although it is blocked', async () => {
  const file = join(home.dir, 'block');
  home.env['NODE_OPTIONS'] = `--require ${blockedWhile(file)}`;
  const { child, done } = home.run('acp', '--standalone');
  child.stdin?.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n');
  await once(child.stdout ?? child, 'data');
  child.stdin?.write('{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}\n');
  await once(child.stdout ?? child, 'data');
  // The thread that looks after signals starts with the host.
  await pause(3_000);
  writeFileSync(file, '');
  await expect.poll(() => readFileSync(file, 'utf8')).toContain(`${child.pid}\n`);
  const began = performance.now();
  child.kill('SIGTERM');
  expect((await done).err).toContain('was killed because it did not stop in time');
  await expectWithin(6_000, began);
});

/** Lets every process that loads it wait for the address of a name for ever; the file says that it does. */
function unresolvedNames(file: string): string {
  const script = join(home.dir, 'names.cjs');
  writeFileSync(
    script,
    `require('node:dns').lookup = () => {
       require('node:fs').writeFileSync(${JSON.stringify(file)}, '');
       setInterval(() => {}, 1_000);
     };`,
  );
  return script;
}

test('SIGTERM ends a host in five seconds that waits for the address of its name', async () => {
  const file = join(home.dir, 'asked');
  home.env['NODE_OPTIONS'] = `--require ${unresolvedNames(file)}`;
  const { child, done } = home.run('serve', '--host', 'some.test', '--insecure', '--port', '0');
  await expect.poll(() => existsSync(file)).toBe(true);
  const began = performance.now();
  child.kill('SIGTERM');
  expect((await done).err).toContain('was killed because it did not stop in time');
  await expectWithin(6_000, began);
});
