// A confined `npm ci` from a registry needs one answer, through the real program and the real npm. The host
// runs in a network of its own, in which the name of the registry leads to a server of this test.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createChildTransport } from '../../src/rpc/transports/child.ts';
import { ndjson } from '../../src/rpc/framing/ndjson.ts';
import { acpOver } from '../kit/acpClient.ts';
import { newHome, visibleBase } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';

const registry = 'npmjs.org';

/** An address in a network of its own that no interface has: the host sees no address of its machine. */
const route = (address: string) => `ip link set lo up && ip route add local ${address}/32 dev lo`;

const mayMakeNetworks =
  process.platform === 'linux' &&
  spawnSync('unshare', ['-nm', 'sh', '-c', `${route('104.16.1.35')} && openssl version`]).status === 0;

test.runIf(mayMakeNetworks).each([
  ['104.16.1.35', `$ npm ci wants to connect to ${registry} (the package registry of npm).`, true],
  [
    '10.20.30.40',
    `$ npm ci failed, and the sandbox had stopped a connection to ${registry}:443: ` +
      'it is an address of this machine or its network.',
    false,
  ],
])(
  'npm installs from a registry at %s with one answer',
  { timeout: 240_000 },
  async (address, question, isConfined) => {
    const home = newHome(undefined, visibleBase());
    try {
      layOut(home, address);
      const { client, asked } = editorIn(home, address);
      await client.initialize({ clientCapabilities: { elicitation: { form: {} } } });
      const sessionId = await client.newSession({ cwd: home.workspace });
      await client.prompt(sessionId, `tool shell_command ${JSON.stringify({ command: 'npm ci' })}`);
      expect(asked).toEqual([question]);
      expect(existsSync(join(home.workspace, 'node_modules', 'small', 'index.js'))).toBe(true);
      const told = client.updates(sessionId).map(({ _meta }) => _meta?.['sandbox']);
      expect(told.filter(Boolean).at(-1)).toMatchObject({ confined: isConfined });
      await client.close();
    } finally {
      await home.dispose();
    }
  },
);

/** Answers each question with the first choice. */
function editorIn(home: Home, address: string) {
  const { PARLEY_STORE: _, ...env } = home.env;
  const hosts = join(home.dir, 'hosts');
  const script = `${route(address)} && mount --bind "$1" /etc/hosts && shift && exec "$@"`;
  const client = acpOver(
    createChildTransport({
      command: 'unshare',
      args: [
        ...['-nm', 'sh', '-c', script, 'sh', hosts],
        ...[process.execPath, join(home.dir, 'registry.cjs'), home.program, 'acp'],
      ],
      cwd: home.dir,
      env,
      framing: ndjson,
    }),
  );
  const asked: string[] = [];
  client.answer = (_method, { message, requestedSchema: { properties } }: Elicitation) => {
    asked.push(message);
    const chosen = Object.entries(properties).map(([id, { oneOf }]) => [id, oneOf[0]?.const]);
    return { action: 'accept', content: Object.fromEntries(chosen) };
  };
  return { client, asked };
}

interface Elicitation {
  readonly message: string;
  readonly requestedSchema: {
    readonly properties: Readonly<Record<string, { readonly oneOf: readonly { readonly const: string }[] }>>;
  };
}

function layOut(home: Home, address: string): void {
  const inDir = (name: string) => join(home.dir, name);
  mkdirSync(inDir('home'), { recursive: true });
  mkdirSync(inDir('package'));
  writeFileSync(inDir('home/config.jsonc'), JSON.stringify({ permissions: { mode: 'auto' } }));
  writeFileSync(inDir('hosts'), `127.0.0.1 localhost\n${address} ${registry}\n`);
  writeFileSync(inDir('registry.cjs'), server);
  const small = { name: 'small', version: '1.0.0' };
  writeFileSync(inDir('package/package.json'), JSON.stringify(small));
  writeFileSync(inDir('package/index.js'), 'module.exports = 1;\n');
  execFileSync('tar', ['-czf', 'small-1.0.0.tgz', 'package'], { cwd: home.dir });
  const digest = createHash('sha512').update(readFileSync(inDir('small-1.0.0.tgz')));
  const integrity = `sha512-${digest.digest('base64')}`;
  execFileSync(
    'openssl',
    [
      ...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2'.split(' '),
      ...['-subj', `/CN=${registry}`, '-addext', `subjectAltName=DNS:${registry}`],
      ...['-keyout', 'key.pem', '-out', 'workspace/ca.pem'],
    ],
    { cwd: home.dir, stdio: 'ignore' },
  );
  const resolved = `https://${registry}/small/-/small-1.0.0.tgz`;
  const root = { name: 'x', version: '1.0.0' };
  const dependencies = { small: '1.0.0' };
  const packages = {
    '': { ...root, dependencies },
    'node_modules/small': { version: '1.0.0', resolved, integrity },
  };
  const inWork = (name: string, text: string) => writeFileSync(join(home.workspace, name), text);
  inWork('package.json', JSON.stringify({ ...root, dependencies }));
  inWork('package-lock.json', JSON.stringify({ ...root, lockfileVersion: 3, packages }));
  // Whatever registry the user of this machine has.
  inWork('.npmrc', `registry=https://${registry}/\ncafile=${join(home.workspace, 'ca.pem')}\n`);
}

/** Serves one package, and starts the program beside it. */
const server = `
const { spawn } = require('node:child_process');
const { readFileSync } = require('node:fs');
const [, , ...command] = process.argv;
const read = (name) => readFileSync(require('node:path').join(__dirname, name));
const options = { key: read('key.pem'), cert: read('workspace/ca.pem') };
require('node:https').createServer(options, (asked, answer) => {
  if (!asked.url.endsWith('/small-1.0.0.tgz')) return answer.writeHead(404).end();
  answer.end(read('small-1.0.0.tgz'));
}).listen(443, () => {
  spawn(process.execPath, command, { stdio: 'inherit' }).on('exit', (code) => process.exit(code ?? 1));
});
`;
