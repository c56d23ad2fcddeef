// What deploy/compose.yaml and deploy/kubernetes.yaml start, started here without containers: PostgreSQL, two
// hosts and the proxy. A client comes through the proxy, its host is killed, and the other one goes on.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import type { LookupFunction } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { parseAllDocuments } from 'yaml';
import { ownCertificate } from '../../src/io/http/certificate.ts';
import { expectKept, send, spokenOf } from '../faults/shownIsKept.ts';
import { ahpOn } from '../kit/clients.ts';
import type { AhpClient } from '../kit/clients.ts';
import { composeServices, deployFolder, isHealthy, Places, startHost, started } from '../kit/composed.ts';
import type { Service, Started } from '../kit/composed.ts';
import { pause } from '../kit/living.ts';
import { eventually } from '../kit/patience.ts';
import { startPostgres } from '../kit/postgres.ts';
import type { PostgresServer } from '../kit/postgres.ts';
import type { Loose } from '../kit/wire.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const name = 'parley.example';
const folder = mkdtempSync(join(tmpdir(), 'parley-deploy-'));
/** Each service has an address of its own, as a container has; two runs of this test have others. */
const network = `127.${(process.pid % 200) + 20}.${Math.floor(Math.random() * 250)}`;
const proxyAddress = `${network}.10`;
const running = new Map<string, Started>();
let database: PostgresServer;
let services: Readonly<Record<string, Service>>;
let places: Places;
let ca: string;

beforeAll(async () => {
  database = await startPostgres();
  services = composeServices({ POSTGRES_PASSWORD: database.password, PARLEY_NAME: name });
  const { POSTGRES_USER, POSTGRES_DB } = services['database']?.environment ?? {};
  if (POSTGRES_USER !== 'parley') throw new Error('The server of the tests has another user.');
  database.database(String(POSTGRES_DB));
  places = new Places(folder, {
    database: `127.0.0.1:${database.port}`,
    host1: `${network}.1`,
    host2: `${network}.2`,
    'parley-0': `${network}.3`,
  });
  const tls = places.volume('./tls');
  ca = ownCertificate({ cert: join(tls, 'tls.crt'), key: join(tls, 'tls.key') }, [name]).cert;
});
afterAll(async () => {
  for (const { child, exited } of running.values()) {
    child.kill('SIGKILL');
    await exited;
  }
  await database.dispose();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

test('the services of the compose file start, and a host that is killed is replaced by the other', async () => {
  const server = { ...process.env, PGHOST: '127.0.0.1', PGPORT: String(database.port) };
  const check = () => isHealthy(serviceOf('database'), server);
  await eventually(check, 'the health check of the database');
  for (const host of ['host1', 'host2']) start(host, serviceOf(host));
  startProxy();

  const session = 'parley:/deployed';
  const first = await eventually(() => client().catch(() => undefined), 'a client behind the proxy');
  const workspace = places.volume('workspaces');
  await first.request('createSession', { channel: session, workingDirectories: [`file://${workspace}`] });
  const { defaultChat: chat } = await first.subscribe(session);
  await first.subscribe(chat);
  send(first, chat, ['one', 'stream 5 word\npause 20\n'.repeat(1_000)]);
  const shown = await reach(first, chat, (state) => spokenOf(state.activeTurn ?? noTurn).length > 100);

  const killed = ownerOf('deployed');
  await kill(killed);
  await first.peer.closed;
  const second = await eventually(() => reopened(session), 'the session behind the proxy');
  await second.subscribe(chat);
  const after = await reach(second, chat, ({ activeTurn }) => activeTurn === undefined);
  expectKept(first.states.get(chat) ?? shown, after, 'after the kill');
  send(second, chat, ['two', 'say We go on.']);
  const last = await reach(second, chat, ({ turns }) => turns.length > after.turns.length);
  expect(spokenOf(last.turns.at(-1))).toContain('We go on.');
  expect([killed, ownerOf('deployed')].toSorted()).toEqual(['host1', 'host2']);
  await second.close();

  // `restart: unless-stopped`
  start(killed, serviceOf(killed));
  await eventually(async () => (await statusAt(places.address(killed))) === 200, 'the killed host again');
});

test('the pod of the Kubernetes file is ready by its own probes, and stops in its time', async () => {
  const documents = parseAllDocuments(readFileSync(join(deployFolder, 'kubernetes.yaml'), 'utf8'));
  const set: Loose = documents.map((each) => each.toJS()).find(({ kind }: Loose) => kind === 'StatefulSet');
  const { containers, terminationGracePeriodSeconds } = set.spec.template.spec;
  const [container] = containers;
  expect(container.env.map(({ name: variable }: Loose) => variable)).toEqual(['PARLEY_STORE']);
  const pod = start('parley-0', {
    command: container.args,
    volumes: container.volumeMounts.map(({ name: volume, mountPath }: Loose) =>
      volume === 'tls' ? `./tls:${mountPath}` : `${volume}:${mountPath}`,
    ),
    // The secret has the address of the database with its password.
    environment: {
      PARLEY_STORE: `postgres://parley:${encodeURIComponent(database.password)}@database/parley`,
    },
  });
  const { path, port, scheme, httpHeaders } = container.readinessProbe.httpGet;
  expect(scheme).toBe('HTTPS');
  const headers = Object.fromEntries(httpHeaders.map(({ name: key, value }: Loose) => [key, value]));
  const probe = () => statusAt(places.address('parley-0'), { path, port, headers });
  await eventually(async () => (await probe()) === 200, 'the readiness of the pod');
  expect(await answers(places.address('parley-0'), container.livenessProbe.tcpSocket.port)).toBe(true);
  pod.child.kill('SIGTERM');
  const late = pause(terminationGracePeriodSeconds * 1_000).then(() => 'late');
  expect(await Promise.race([pod.exited, late])).toBe(0);
});

const noTurn = { responseParts: [] };

function serviceOf(service: string): Service {
  const found = services[service];
  if (!found) throw new Error(`The file has no service ${service}.`);
  return found;
}

function start(service: string, as: Service): Started {
  // The prompts of this test are answered by the agent that follows a script.
  const env = { ...process.env, HOME: folder, PARLEY_SCRIPTED: '1', PARLEY_PRICES_URL: 'off' };
  const host = startHost(service, as, { places, env });
  running.set(service, host);
  return host;
}

/** The image of the proxy starts it with the file that is mounted. */
function startProxy(): void {
  const { volumes = [], environment } = serviceOf('proxy');
  const [file = ''] = volumes[0]?.split(':') ?? [];
  const text = readFileSync(join(deployFolder, file), 'utf8')
    .replaceAll(
      /^(\s+server \S+ )(\w+):/gm,
      (_, words: string, host: string) => `${words}${places.address(host)}:`,
    )
    .replace('bind :', `bind ${proxyAddress}:`);
  const changed = join(folder, 'haproxy.cfg');
  writeFileSync(changed, text);
  running.set(
    'proxy',
    started('/usr/sbin/haproxy', ['-db', '-f', changed], { ...process.env, ...environment }),
  );
}

async function kill(service: string): Promise<void> {
  const host = running.get(service);
  host?.child.kill('SIGKILL');
  await host?.exited;
}

interface Asked {
  readonly path?: string;
  readonly port?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The status of an answer; undefined if there is none. */
async function statusAt(address: string, asked: Asked = {}): Promise<number | undefined> {
  return (await ask(address, asked))?.status;
}

function ask(
  host: string,
  { path = '/healthz', port = 4517, headers = { host: `${name}:4517` } }: Asked,
): Promise<{ readonly status: number | undefined; readonly body: string } | undefined> {
  return new Promise((resolve) => {
    const asking = request({ host, port, path, headers, ca, servername: name, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => (body += part));
      response.on('end', () => resolve({ status: response.statusCode, body }));
    });
    asking.on('error', () => resolve(undefined));
    asking.end();
  });
}

function ownerOf(session: string): string {
  const owner = database.sql(
    'SELECT h.name FROM parley.hosts h JOIN parley.sessions s ON s.owner = h.id ' +
      `WHERE s.id = '${session}'`,
    'parley',
  );
  return ['host1', 'host2'].find((host) => owner.endsWith(places.volume(host))) ?? `none (${owner})`;
}

/** Asks for the public name, as a client does, at the address of the proxy. */
async function client(): Promise<AhpClient> {
  const lookup: LookupFunction = (_, options, found) =>
    options.all ? found(null, [{ address: proxyAddress, family: 4 }]) : found(null, proxyAddress, 4);
  // Each host knows the owners of the others, so the token of one is enough.
  const token = readFileSync(join(places.volume('host1'), 'token'), 'utf8').trim();
  return ahpOn(new WebSocket(`wss://${name}:4517/ahp?tkn=${token}`, { ca, lookup }));
}

/** Until the proxy has noticed and the lease has run out, there is no answer or a refusal. */
async function reopened(session: string): Promise<AhpClient | undefined> {
  const ahp = await client().catch(() => undefined);
  try {
    await ahp?.subscribe(session);
    return ahp;
  } catch {
    await ahp?.close();
    return undefined;
  }
}

function reach(ahp: AhpClient, chat: string, holds: (state: Loose) => boolean): Promise<Loose> {
  return eventually<Loose>(() => {
    ahp.last();
    const state = ahp.states.get(chat);
    return state && holds(state) ? state : undefined;
  }, `a state of ${chat}`);
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
