// Drives the built host with the official TypeScript client of AHP, and fails at the first thing that is not
// as a user expects it. The built-in demo model answers.
//   node test/clients/ahp/run.mjs FOLDER      with the sources of github.com/microsoft/agent-host-protocol
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { WebSocket } from 'ws';

const [folder = '.'] = process.argv.slice(2);
const sources = join(folder, 'clients', 'typescript', 'src');
if (!existsSync(sources)) {
  process.stdout.write(
    `Skipped: ${resolve(sources)} does not exist. It is to be had from github.com/microsoft/agent-host-protocol.\n`,
  );
  process.exit(0);
}

const patience = 60_000;
const repository = join(import.meta.dirname, '..', '..', '..');
const program = join(repository, 'bin', 'parley.js');
const home = mkdtempSync(join(tmpdir(), 'parley-ahp-'));
const workspace = join(home, 'work');
const session = 'ahp-session:/official';
const env = { ...process.env, HOME: home, PARLEY_HOME: join(home, 'home') };
// Of Node the client expects what browsers have.
globalThis.WebSocket ??= WebSocket;

let host;
let lastSeq = 0;
/** Everything that the client has told of, in order. */
const heard = [];
try {
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'hello.js'), 'const a = 1;\n');
  await runAll(await built());
  process.stdout.write('all steps passed\n');
} finally {
  host?.kill('SIGKILL');
  await delay(200);
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });
}
process.exit(0);

async function runAll({ AhpClient, AhpStateMirror, WebSocketTransport }) {
  let address = await startHost();
  const connect = async () => {
    const client = new AhpClient(await WebSocketTransport.connect(address));
    client.connect();
    return client;
  };
  const first = await connect();
  await step('a version that the host does not speak is refused with those that it does', async () => {
    const offer = { clientId: 'official', protocolVersions: ['0.5.0'] };
    await assert.rejects(first.initialize(offer), ({ code, data }) => {
      assert.deepEqual([code, Array.isArray(data?.supportedVersions)], [-32005, true]);
      return true;
    });
    await first.shutdown();
  });

  let client = await connect();
  const mirror = new AhpStateMirror();
  let chat;
  await step('a session is created, and the mirror of the client has it', async () => {
    const hello = await client.initialize({
      clientId: 'official',
      protocolVersions: ['1.0.0'],
      initialSubscriptions: ['ahp-root://'],
    });
    for (const snapshot of hello.snapshots) mirror.applySnapshot(snapshot);
    await client.request('createSession', {
      channel: session,
      workingDirectories: [pathToFileURL(workspace).href],
    });
    const { result } = await follow(client, session);
    mirror.applySnapshot(result.snapshot);
    chat = mirror.getSession(session).defaultChat;
    await follow(client, chat);
  });

  await step('a prompt is answered in a stream, and the session is in the list', async () => {
    const from = heard.length;
    prompt(client, chat, { turnId: 'one', text: 'what is in this folder' });
    await action('chat/turnComplete', from);
    const pieces = heard.slice(from).filter(({ type }) => type === 'chat/delta');
    assert.ok(pieces.length > 2, `the answer came in ${pieces.length} pieces`);
    assert.match(pieces.map(({ content }) => content).join(''), /hello\.js/);
    const { items } = await client.request('listSessions', { channel: 'ahp-root://' });
    assert.ok(
      items.some(({ resource }) => resource === session),
      'the list has the session',
    );
  });

  await step('a command is shown whole, approved, and runs', async () => {
    const text = `echo ${'a'.repeat(200)} > made`;
    const { ready } = await approved(client, chat, { turnId: 'two', command: text });
    assert.match(JSON.stringify(ready), new RegExp(`a{200} > made`));
    await action('chat/turnComplete');
    assert.ok(existsSync(join(workspace, 'made')));
  });

  await step('a running turn is stopped', async () => {
    await approved(client, chat, { turnId: 'three', command: 'touch begun && sleep 600' });
    await until(() => existsSync(join(workspace, 'begun')), 'the command runs');
    const from = heard.length;
    client.dispatch(chat, { type: 'chat/turnCancelled', turnId: 'three', duration: 1 });
    await action('chat/turnCancelled', from);
  });

  await step('after a kill of the host the client reconnects and goes on', async () => {
    const ended = once(host, 'exit');
    host.kill('SIGKILL');
    await ended;
    await client.shutdown().catch(() => {});
    address = await startHost();
    client = await connect();
    const subscriptions = ['ahp-root://', session, chat];
    for (const uri of subscriptions) void listen(client.attachSubscription(uri));
    const seen = lastSeq;
    const back = await client.reconnect({ clientId: 'official', lastSeenServerSeq: seen, subscriptions });
    assert.equal(back.type, 'replay');
    assert.deepEqual(
      back.actions.filter(({ serverSeq }) => serverSeq <= seen),
      [],
    );
    const from = heard.length;
    prompt(client, chat, { turnId: 'four', text: 'read hello.js' });
    await action('chat/turnComplete', from);
  });
  await client.shutdown();
}

/** Compiles a copy of the client; its own build puts the types of the protocol beside it, too. */
async function built() {
  const copy = join(home, 'client');
  cpSync(sources, join(copy, 'src'), { recursive: true });
  cpSync(join(folder, 'types'), join(copy, 'src', 'types'), { recursive: true });
  for (const name of ['messages.test.ts', 'reducers.test.ts', 'tsconfig.json'])
    rmSync(join(copy, 'src', 'types', name), { force: true });
  writeFileSync(join(copy, 'package.json'), JSON.stringify({ type: 'module' }));
  const compilerOptions = { target: 'ES2022', module: 'NodeNext', rootDir: 'src', outDir: 'dist', types: [] };
  writeFileSync(
    join(copy, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...compilerOptions, noCheck: true }, include: ['src/**/*.ts'] }),
  );
  const tsc = join(repository, 'node_modules', '.bin', 'tsc');
  execFileSync(tsc, ['-p', copy], { stdio: 'inherit' });
  const load = (path) => import(pathToFileURL(join(copy, 'dist', path)).href);
  return { ...(await load('client/index.js')), ...(await load('ws/index.js')) };
}

async function startHost() {
  host = spawn(process.execPath, [program, 'serve', '--port', '0'], { env, cwd: home, stdio: 'pipe' });
  let out = '';
  host.stdout.on('data', (chunk) => (out += chunk));
  await until(() => out.includes('is listening on'), 'the host listens');
  const { port } = JSON.parse(readFileSync(join(env.PARLEY_HOME, 'host.json'), 'utf8'));
  const token = readFileSync(join(env.PARLEY_HOME, 'token'), 'utf8').trim();
  return `ws://127.0.0.1:${port}/ahp?tkn=${token}`;
}

async function follow(client, uri) {
  const { result, subscription } = await client.subscribe(uri);
  void listen(subscription);
  return { result };
}

async function listen(subscription) {
  for await (const event of subscription) {
    if (event.type !== 'action') continue;
    assert.equal(event.params.rejectionReason, undefined);
    lastSeq = Math.max(lastSeq, event.params.serverSeq);
    heard.push(event.params.action);
  }
}

function prompt(client, chat, { turnId, text }) {
  const message = { text, origin: { kind: 'user' } };
  client.dispatch(chat, { type: 'chat/turnStarted', turnId, startedAt: new Date().toISOString(), message });
}

/** Sends a command of the demo model and allows it. */
async function approved(client, chat, { turnId, command }) {
  const from = heard.length;
  prompt(client, chat, { turnId, text: `run ${command}` });
  const ready = await action('chat/toolCallReady', from);
  client.dispatch(chat, {
    type: 'chat/toolCallConfirmed',
    turnId,
    toolCallId: ready.toolCallId,
    approved: true,
    confirmed: 'user-action',
  });
  return { ready };
}

/** The first action of a type, from one that was heard on; without it, from now on. */
async function action(type, from = heard.length) {
  const find = () => heard.slice(from).find((each) => each.type === type);
  await until(find, type);
  return find();
}

async function until(holds, what) {
  const end = Date.now() + patience;
  while (!holds()) {
    assert.ok(Date.now() < end, `nothing came of this: ${what}`);
    await delay(20);
  }
}

async function step(name, run) {
  try {
    await run();
  } catch (error) {
    throw new Error(`not so: ${name}`, { cause: error });
  }
  process.stdout.write(`${name}\n`);
}
