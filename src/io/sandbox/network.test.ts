// The network of a confined program by name: a real sandbox, a real proxy, and servers on this machine that
// count as public here.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect, createServer as createPlainServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { begunProgram } from '../../../test/kit/begunProgram.ts';
import { hasHost, hostLabel, remoteHosts } from '../../host/policy/knownHosts.ts';
import type { ReachNetwork } from '../../host/ports.ts';
import { isOfThisNetwork, openNetworkProxy, proxySocket } from './networkProxy.ts';
import type { NetworkProxy } from './networkProxy.ts';
import { wrapped } from './innerVariables.ts';
import { openSandbox } from './sandbox.ts';
import type { Confined } from './sandbox.ts';

let server: Server;
let port: number;
let heard: string[];
let proxy: NetworkProxy | undefined;

beforeEach(async () => {
  heard = [];
  server = createServer((asked, answer) => {
    heard.push(`${asked.headers.host} ${asked.url}`);
    answer.end('hello');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  port = typeof address === 'object' && address ? address.port : 0;
});
afterEach(() => {
  proxy?.close();
  proxy = undefined;
  server.close();
});

const everybody: ReachNetwork = () => Promise.resolve({ allowed: true });

/** What a client of the proxy gets for raw text. */
function ask(text: string): Promise<string> {
  return new Promise((resolve) => {
    let said = '';
    const socket = connect(join(proxy?.folder ?? '', proxySocket), () => socket.write(text));
    socket.setEncoding('utf8').on('data', (piece: string) => (said += piece));
    socket.once('close', () => resolve(said)).once('error', () => resolve(said));
  });
}

const plain = (host: string) =>
  ask(`GET http://${host}/x?y HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`);
const tunnel = (host: string) =>
  ask(
    `CONNECT ${host} HTTP/1.1\r\nHost: evil.example\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  );

describe('the proxy', () => {
  test('connects by name, to the address that it has checked, and passes everything on', async () => {
    proxy = openNetworkProxy({
      reach: everybody,
      resolve: () => Promise.resolve(['127.0.0.1']),
      isPublic: () => true,
    });
    expect(await plain(`pages.example:${port}`)).toMatch(/^HTTP\/1.1 200[^]*hello/);
    expect(await tunnel(`pages.example:${port}`)).toMatch(/^HTTP\/1.1 200 Connection Established[^]*hello/);
    // The host that the request names elsewhere does not count.
    expect(heard).toEqual([`pages.example:${port} /x?y`, 'a /']);
  });

  test.each([
    'localhost',
    '127.0.0.1',
    '[::1]',
    '10.0.0.1',
    '192.168.1.1',
    '169.254.169.254',
    'metadata.google.internal',
    '100.100.100.200',
    '168.63.129.16',
    '[fd00:ec2::254]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    '2130706433',
    '0x7f.1',
    'printer.local',
  ])('never reaches %s, and asks nobody', async (host) => {
    let asked = 0;
    proxy = openNetworkProxy({
      reach: () => {
        asked += 1;
        return Promise.resolve({ allowed: true });
      },
    });
    expect(await tunnel(`${host}:${port}`)).toMatch(/^HTTP\/1.1 403/);
    expect(await plain(`${host}:${port}`)).toMatch(/^HTTP\/1.1 403/);
    expect([asked, heard]).toEqual([0, []]);
  });

  test('never reaches a public name with an address of this machine, also beside a public one', async () => {
    for (const addresses of [['127.0.0.1'], ['93.184.215.14', '169.254.169.254'], ['::1']]) {
      proxy = openNetworkProxy({ reach: everybody, resolve: () => Promise.resolve(addresses) });
      expect(await tunnel(`rebind.example:${port}`)).toContain('address of this machine');
      proxy.close();
    }
    expect(heard).toEqual([]);
  });

  test.each([
    ['npmjs.org', '10.0.0.8', ['resolved npmjs.org']],
    ['pypi.org', '169.254.169.254', ['resolved pypi.org']],
    // A server would learn of a name that the program has made up.
    ['made-up.example', '10.0.0.8', ['asked made-up.example', 'resolved made-up.example']],
  ])(
    'asks nobody about a registry that is refused in any case: %s at %s',
    async (name, address, expected) => {
      const events: string[] = [];
      const stopped: string[] = [];
      proxy = openNetworkProxy({
        reach: (target) => {
          events.push(`asked ${target.name}`);
          return Promise.resolve({ allowed: true });
        },
        resolve: (wanted) => {
          events.push(`resolved ${wanted}`);
          return Promise.resolve([address]);
        },
        refused: (what, by) => stopped.push(`${by}: ${what}`),
      });
      expect(await tunnel(`${name}:443`)).toContain('address of this machine');
      expect(events).toEqual(expected);
      expect(stopped).toEqual([
        `sandbox: a connection to ${name}:443: it is an address of this machine or its network`,
      ]);
    },
  );

  test('connects to the port that a client names, also that of plain pages', async () => {
    const asked: string[] = [];
    proxy = openNetworkProxy({
      reach: (target) => {
        asked.push(`${target.name}:${target.port}`);
        return Promise.resolve({ allowed: false, reason: 'no' });
      },
    });
    for (const host of ['a.example:80', 'a.example:443', 'a.example', 'a.example:22']) await tunnel(host);
    expect(asked).toEqual(['a.example:80', 'a.example:443', 'a.example:443', 'a.example:22']);
  });

  test.each([
    ['8.8.8.8', false],
    ['203.0.114.9', true],
    ['203.0.114.77', true],
    ['203.0.115.1', false],
    ['2a00:1::5', true],
    ['2a00:1::ffff', true],
    ['2a00:2::5', false],
  ])('%s is of the network of this machine: %s', (address, expected) => {
    const common = { netmask: '', mac: '', internal: false, scopeid: 0 };
    const interfaces = {
      one: [{ ...common, address: '203.0.114.9', family: 'IPv4', cidr: '203.0.114.9/24' } as const],
      two: [{ ...common, address: '2a00:1::5', family: 'IPv6', cidr: '2a00:1::5/64' } as const],
      all: [{ ...common, address: '198.51.7.1', family: 'IPv4', cidr: '198.51.7.1/0' } as const],
    };
    expect(isOfThisNetwork(address, interfaces)).toBe(expected);
  });

  test('connects to a server of this machine that is known, on its port alone, and to no metadata service', async () => {
    const known = [
      { name: 'localhost', port },
      { name: '169.254.169.254', port: 80 },
      { name: 'model.example', port: 80 },
    ];
    proxy = openNetworkProxy({
      reach: everybody,
      known,
      resolve: () => Promise.resolve(['169.254.169.254']),
    });
    expect(await tunnel(`127.0.0.1:${port}`)).toMatch(/^HTTP\/1.1 200 Connection Established[^]*hello/);
    expect(await tunnel(`localhost:${port}`)).toMatch(/^HTTP\/1.1 200 Connection Established[^]*hello/);
    for (const host of [
      `127.0.0.1:${port + 1}`,
      `127.0.0.2:${port}`,
      '169.254.169.254:80',
      'model.example:80',
    ])
      expect(await tunnel(host)).toMatch(/^HTTP\/1.1 403/);
  });

  test('resolves no name that is not allowed', async () => {
    const resolved: string[] = [];
    proxy = openNetworkProxy({
      reach: () => Promise.resolve({ allowed: false, reason: 'the user has not allowed it' }),
      resolve: (name) => {
        resolved.push(name);
        return Promise.resolve(['127.0.0.1']);
      },
      isPublic: () => true,
    });
    expect(await tunnel(`secret-in-the-name.example:${port}`)).toContain('the user has not allowed it');
    expect(resolved).toEqual([]);
  });

  test.each([
    {
      what: 'a request that announces a trailer',
      more: 'Trailer: x\r\nContent-Length: 0\r\n',
      says: '200 OK\r\n',
    },
    { what: 'an answer that announces a trailer', says: '200 OK\r\nTrailer: x\r\n' },
    { what: 'an answer without a valid number', says: '099 No\r\n', code: 502 },
    { what: 'an answer that breaks off', says: '200 OK\r\nContent-Length: 900\r\nX: y\r\n\r\nshort' },
    {
      what: 'an answer that changes the protocol',
      says: '101 No\r\nConnection: upgrade\r\nUpgrade: x\r\n',
      code: 502,
    },
  ])('answers the program after $what', async ({ more = '', says, code = 200 }) => {
    const odd = createPlainServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(`HTTP/1.1 ${says}Content-Length: 0\r\n\r\n`));
    });
    await new Promise<void>((resolve) => {
      odd.listen(0, '127.0.0.1', resolve);
    });
    const { port: at } = odd.address() as AddressInfo;
    proxy = openNetworkProxy({ reach: everybody, known: [{ name: '127.0.0.1', port: at }] });
    const head = `GET http://127.0.0.1:${at}/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`;
    expect(await ask(`${head}${more}\r\n`)).toMatch(`HTTP/1.1 ${code}`);
    odd.close();
  });

  test('takes no more connections than one program needs', async () => {
    proxy = openNetworkProxy({ reach: everybody });
    const path = join(proxy.folder, proxySocket);
    let closed = 0;
    const sockets = Array.from({ length: 300 }, () =>
      connect(path)
        .on('error', () => {})
        .on('close', () => (closed += 1)),
    );
    await expect.poll(() => closed).toBe(300 - 256);
    for (const socket of sockets) socket.destroy();
  });

  test.each([
    'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
    'CONNECT  HTTP/1.1\r\n\r\n',
    'GET ftp://a/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  ])('refuses %j', async (text) => {
    proxy = openNetworkProxy({ reach: everybody });
    setTimeout(() => proxy?.close(), 500);
    expect(await ask(text)).toMatch(/^(?:HTTP\/1.1 40[03]|$)/);
  });

  test('lies where each confined program has a folder of its own', () => {
    const usual = process.env['TMPDIR'];
    process.env['TMPDIR'] = '/var/lib';
    try {
      proxy = openNetworkProxy({ reach: everybody });
      expect(proxy.folder).toMatch(/^\/tmp\/pn-/);
    } finally {
      if (usual === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = usual;
    }
  });

  test('says that it waits, and tells whoever decides that the program has gone', async () => {
    let gone = false;
    proxy = openNetworkProxy({
      reach: (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            gone = true;
            resolve({ allowed: false, reason: 'gone' });
          });
        }),
    });
    const socket = connect(join(proxy.folder, proxySocket));
    socket.on('error', () => {});
    socket.write('CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => proxy?.waits()).toBe(true);
    socket.destroy();
    await expect.poll(() => gone).toBe(true);
  });
});

describe.runIf(process.platform === 'linux')('a confined program', () => {
  test('reaches the proxy alone, and is asked about by name', async () => {
    const base = mkdtempSync(join(tmpdir(), 'parley-net-'));
    const work = join(base, 'work');
    mkdirSync(work);
    const sandbox = openSandbox({ env: process.env, directory: join(base, 'box'), own: [] });
    const names: string[] = [];
    const words = [
      '/bin/sh',
      '-c',
      `${fetching('http://pages.example/')}; ${straight(port)}; echo end; exit 7`,
    ];
    const begin = () =>
      sandbox.confine(words, work, {
        write: [work],
        network: 'ask',
        scratch: 's',
        reach: ({ name, port: at }) => {
          names.push(`${name}:${at}`);
          return Promise.resolve({ allowed: false, reason: 'no' });
        },
      });
    const { code, said } = await begunProgram(begin, (confined) => run(confined, work));
    rmSync(base, { recursive: true, force: true });
    expect(said).toContain("Parley's sandbox did not connect to http://pages.example/: no.");
    expect(said).toContain('straight: refused');
    expect({ names, code, heard }).toEqual({ names: ['pages.example:80'], code: 7, heard: [] });
  });

  test('reaches a known server of this machine as if it were inside', async () => {
    const base = mkdtempSync(join(tmpdir(), 'parley-net-'));
    const sandbox = openSandbox({ env: process.env, directory: join(base, 'box'), own: [] });
    const begin = () =>
      sandbox.confine(['/bin/sh', '-c', `${getting(port)}; echo end >&2; exit 5`], '/', {
        write: [],
        network: 'ask',
        scratch: 's',
        known: [{ name: '127.0.0.1', port }],
      });
    const { code, said } = await begunProgram(begin, (confined) => run(confined, '/'));
    rmSync(base, { recursive: true, force: true });
    expect({ code, said, heard }).toEqual({ code: 5, said: 'helloend\n', heard: [`127.0.0.1:${port} /`] });
  });
});

/** A client that uses the proxy that it is told of. */
function fetching(url: string): string {
  const script = `const p=new URL(process.env.HTTP_PROXY);require('http').get({host:p.hostname,port:p.port,path:'${url}'},r=>r.pipe(process.stdout))`;
  return `${process.execPath} -e "${script}"`;
}

function getting(from: number): string {
  return `${process.execPath} -e "require('http').get('http://127.0.0.1:${from}/',r=>r.pipe(process.stdout))"`;
}

function straight(to: number): string {
  const script = `require('net').connect(${to},'127.0.0.1').on('connect',()=>console.log('straight: reached')).on('error',()=>console.log('straight: refused'))`;
  return `${process.execPath} -e "${script}"`;
}

function run(
  { words: [command = '', ...words], variables }: Confined,
  cwd: string,
): Promise<{ readonly code: number | null; readonly said: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, words, { cwd, env: wrapped(variables({ PATH: '/usr/bin:/bin' })) });
    let said = '';
    for (const pipe of [child.stdout, child.stderr])
      pipe.setEncoding('utf8').on('data', (text: string) => (said += text));
    child.once('close', (code) => resolve({ code, said }));
  });
}

describe('known names', () => {
  test('are registries and remotes, by their whole name', () => {
    const remotes = remoteHosts(
      '[remote "origin"]\n\turl = git@code.example:a/b.git\n[remote "x"]\n  url = https://me@Other.example:8443/a\n',
    );
    expect(remotes).toEqual(['code.example', 'other.example']);
    expect(hostLabel('code.example', remotes)).toBe('a remote of this repository');
    expect(hostLabel('pypi.org', remotes)).toBe('the package registry of Python');
    expect(hostLabel('pypi.org.evil.example', remotes)).toBeUndefined();
  });

  test.each([
    [['a.example'], 'a.example:443', true],
    [['a.example'], 'a.example:80', true],
    [['a.example'], 'a.example:22', false],
    [['a.example:22'], 'a.example:22', true],
    [['a.example:22'], 'a.example:443', false],
    [['a.example'], 'b.a.example:443', false],
    [['*.a.example'], 'b.a.example:443', true],
    [['*.a.example'], 'b.a.example:25', false],
    [['*.a.example'], 'a.example:443', false],
    [['*.a.example'], 'evila.example:443', false],
  ])('%j has %s: %s', (patterns, target, expected) => {
    const [name = '', digits] = target.split(':');
    expect(hasHost(patterns, { name, port: Number(digits) })).toBe(expected);
  });
});
