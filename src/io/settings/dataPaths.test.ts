// The places of each platform as data, and a socket address that every caller computes alike.
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { dataPaths, directories, pipeName, socketPath } from './dataPaths.ts';
import type { Directories, Machine } from './dataPaths.ts';
import { privateDirectory, privateDirectoryInPublic, privateFile } from '../files/privateFiles.ts';

const cleanup: (() => void)[] = [];
afterEach(() => cleanup.splice(0).forEach((clean) => clean()));

describe('directories', () => {
  check(
    { platform: 'linux', home: '/home/u' },
    {},
    {
      data: '/home/u/.local/share/parley',
      config: '/home/u/.config/parley',
      state: '/home/u/.local/state/parley',
    },
  );
  check(
    { platform: 'linux', home: '/home/u' },
    { XDG_DATA_HOME: '/d', XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' },
    { data: '/d/parley', config: '/c/parley', state: '/s/parley' },
  );
  check(
    { platform: 'linux', home: '/home/u' },
    { XDG_DATA_HOME: 'relative', XDG_CONFIG_HOME: '' },
    {
      data: '/home/u/.local/share/parley',
      config: '/home/u/.config/parley',
      state: '/home/u/.local/state/parley',
    },
  );
  check(
    { platform: 'freebsd', home: '/home/u' },
    {},
    {
      data: '/home/u/.local/share/parley',
      config: '/home/u/.config/parley',
      state: '/home/u/.local/state/parley',
    },
  );
  check(
    { platform: 'darwin', home: '/Users/u' },
    { XDG_DATA_HOME: '/d' },
    {
      data: '/Users/u/Library/Application Support/Parley',
      config: '/Users/u/Library/Application Support/Parley',
      state: '/Users/u/Library/Logs/Parley',
    },
  );
  check(
    { platform: 'win32', home: 'C:\\Users\\u' },
    { LOCALAPPDATA: 'D:\\Local', APPDATA: 'D:\\Roaming' },
    {
      data: 'D:\\Local\\Parley\\Data',
      config: 'D:\\Roaming\\Parley',
      state: 'D:\\Local\\Parley\\State',
    },
  );
  check(
    { platform: 'win32', home: 'C:\\Users\\u' },
    {},
    {
      data: 'C:\\Users\\u\\AppData\\Local\\Parley\\Data',
      config: 'C:\\Users\\u\\AppData\\Roaming\\Parley',
      state: 'C:\\Users\\u\\AppData\\Local\\Parley\\State',
    },
  );
  for (const platform of ['linux', 'darwin'] as const)
    check(
      { platform, home: '/home/u' },
      { PARLEY_HOME: '/own', XDG_DATA_HOME: '/d' },
      { data: '/own', config: '/own', state: '/own' },
    );

  function check(machine: Machine, env: Record<string, string>, expected: Directories): void {
    test(`${machine.platform} ${JSON.stringify(env)}`, () => {
      expect(directories(env, machine)).toEqual(expected);
    });
  }
});

test('a data directory has its files in known places', () => {
  expect(dataPaths({ PARLEY_HOME: '/own' })).toEqual({
    directory: '/own',
    info: '/own/host.json',
    token: '/own/token',
    devices: '/own/devices.json',
    secrets: '/own/secrets.json',
    cert: '/own/tls.crt',
    key: '/own/tls.key',
    agents: '/own/agents.json',
    log: '/own/host.ndjson',
    traces: '/own/traces',
    launcher: '/own/bin/parley',
    installedAgents: '/own/agents',
    registry: '/own/registry.json',
    push: '/own/push.json',
  });
});

describe('the private socket', () => {
  test('lies in the data directory', () => {
    expect(socketPath({ PARLEY_HOME: '/own' })).toBe('/own/host.sock');
  });

  test('moves to a short private place where the data directory is too long, and can be listened on', async () => {
    const home = join(temporary(), 'long'.repeat(40));
    const path = socketPath({ PARLEY_HOME: home });
    cleanup.push(() => rmSync(dirname(path), { recursive: true }));
    expect(Buffer.byteLength(path)).toBeLessThanOrEqual(100);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(socketPath({ PARLEY_HOME: home })).toBe(path);
    expect(socketPath({ PARLEY_HOME: `${home}/` })).toBe(path);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    await new Promise((resolve) => server.close(resolve));
  });

  test('is never put into a place that somebody else prepared', () => {
    const home = join(temporary(), 'l'.repeat(150));
    const trap = dirname(socketPath({ PARLEY_HOME: home }));
    rmSync(trap, { recursive: true });
    const elsewhere = temporary();
    symlinkSync(elsewhere, trap);
    cleanup.push(() => rmSync(trap));
    expect(() => socketPath({ PARLEY_HOME: home })).toThrow('is not a directory');
  });

  test('has a name of its own for every user and directory on Windows', () => {
    const names = [pipeName('C:\\a', 'u'), pipeName('C:\\b', 'u'), pipeName('C:\\a', 'v')];
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^\\\\\.\\pipe\\parley-[0-9a-f]{20}$/);
  });
});

describe('private places', () => {
  test("a new directory and its parents are the owner's alone", () => {
    const path = join(temporary(), 'a', 'b');
    privateDirectory(path);
    expect([path, dirname(path)].map((dir) => statSync(dir).mode & 0o777)).toEqual([0o700, 0o700]);
  });

  test('a directory that others may enter is closed to them', () => {
    const path = temporary();
    chmodSync(path, 0o755);
    privateDirectory(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  test('a linked directory is fine at home and a trap in public', () => {
    const [real, link] = [temporary(), join(temporary(), 'link')];
    symlinkSync(real, link);
    privateDirectory(link);
    expect(() => privateDirectoryInPublic(link)).toThrow('is not a directory');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  test('a file is created closed, or closed when it was open', () => {
    const directory = temporary();
    mkdirSync(join(directory, 'sub'));
    const path = join(directory, 'file');
    privateFile(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, 0o644);
    privateFile(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(() => privateFile(join(directory, 'nowhere', 'file'))).toThrow('ENOENT');
  });
});

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), 'parley-paths-'));
  cleanup.push(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
