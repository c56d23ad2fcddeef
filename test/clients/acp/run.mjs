// Runs ACP clients of others, as they are in the npm registry, against the built host, and fails at the first
// thing that is not as a user expects it. The built-in demo model answers.
//   node test/clients/acp/run.mjs [CLIENT...]     all clients without a name; see `clients` below
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const parley = join(import.meta.dirname, '..', '..', '..', 'bin', 'parley.js');
const home = mkdtempSync(join(tmpdir(), 'parley-acp-'));
const env = { ...process.env, HOME: home, PARLEY_HOME: join(home, 'home') };
const workspace = join(home, 'work');

const clients = {
  'sdk-0.4': {
    package: '@zed-industries/agent-client-protocol@0.4.5',
    run: (folder) => runConnection(folder, { name: '@zed-industries/agent-client-protocol' }),
  },
  'sdk-0.21': {
    package: '@agentclientprotocol/sdk@0.21.1',
    run: (folder) =>
      runConnection(folder, { name: '@agentclientprotocol/sdk', clientInfo: { name: 'run', version: '1' } }),
  },
  'sdk-2.4': { package: '@agentclientprotocol/sdk@2.4.0', run: runApp },
  'sdk-2.4-v2': { package: '@agentclientprotocol/sdk@2.4.0', run: runApp2 },
  acpx: { package: 'acpx@0.19.1', run: runAcpx },
};

mkdirSync(workspace);
writeFileSync(join(workspace, 'hello.js'), 'const a = 1;\n');
try {
  // On a slow machine a client whose host is starting is told so on standard error.
  execFileSync(process.execPath, [parley, 'sessions'], { env, stdio: 'ignore' });
  const wanted = process.argv.slice(2);
  for (const name of wanted.length > 0 ? wanted : Object.keys(clients)) {
    const client = clients[name];
    if (!client) throw new Error(`There is no client ${name}. Known: ${Object.keys(clients).join(', ')}`);
    await client.run(install(name, client.package));
    process.stdout.write(`${name} (${client.package}): passed\n`);
  }
} finally {
  execFileSync(process.execPath, [parley, 'stop'], { env, stdio: 'ignore' });
  await delay(200);
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });
}

function install(name, spec) {
  const folder = join(home, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  // The user's own npm settings, such as a proxy, are needed here.
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', spec], {
    cwd: folder,
    stdio: 'ignore',
    shell: process.platform === 'win32',
  });
  return folder;
}

/** An import as it is from inside the folder. */
function load(folder, name, entry = '') {
  const { exports, module, main } = JSON.parse(
    readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'),
  );
  const exported = exports?.[entry === '' ? '.' : `./${entry}`];
  const file = (typeof exported === 'string' ? exported : exported?.import) ?? module ?? main;
  return import(pathToFileURL(join(folder, 'node_modules', name, file)).href);
}

/** The program as an editor starts it; standard error must stay empty. */
function agent() {
  const child = spawn(process.execPath, [parley, 'acp'], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => (said += chunk));
  return {
    input: Writable.toWeb(child.stdin),
    output: Readable.toWeb(child.stdout),
    async end() {
      child.stdin.destroy();
      await new Promise((resolve) => child.once('close', resolve));
      assert.equal(said, '');
    },
  };
}

/** What the library writes to the console is a message that it rejected. */
function watchConsole() {
  const errors = [];
  const { error } = console;
  console.error = (...args) => errors.push(args.map(String).join(' '));
  return () => {
    console.error = error;
    assert.deepEqual(errors, []);
  };
}

/** Libraries in which a client is a `ClientSideConnection`. */
async function runConnection(folder, { name, clientInfo }) {
  const { ClientSideConnection, ndJsonStream } = await load(folder, name);
  const quiet = watchConsole();
  const program = agent();
  const updates = [];
  const asked = [];
  const connection = new ClientSideConnection(
    () => ({
      sessionUpdate: async ({ update }) => void updates.push(update),
      requestPermission: async (request) => {
        asked.push(request);
        return { outcome: { outcome: 'selected', optionId: request.options[0].optionId } };
      },
    }),
    ndJsonStream(program.input, program.output),
  );
  const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false } };
  await connection.initialize({ protocolVersion: 1, clientCapabilities, ...(clientInfo && { clientInfo }) });
  const { sessionId } = await connection.newSession({ cwd: workspace, mcpServers: [] });
  const ended = await connection.prompt({ sessionId, prompt: text('run echo made > made.txt') });
  assert.equal(ended.stopReason, 'end_turn');
  checkTurn(asked, updates);
  await connection.loadSession({ sessionId, cwd: workspace, mcpServers: [] });
  await program.end();
  quiet();
}

/** The library of today, in version 1. */
async function runApp(folder) {
  const sdk = await load(folder, '@agentclientprotocol/sdk');
  const { updates, asked, app } = appOf(sdk);
  const program = agent();
  await app.connectWith(sdk.ndJsonStream(program.input, program.output), async (context) => {
    const { initialize, session } = sdk.methods.agent;
    const clientInfo = { name: 'run', version: '1' };
    const hello = await context.request(initialize, {
      protocolVersion: 1,
      clientInfo,
      clientCapabilities: {},
    });
    assert.equal(hello.protocolVersion, 1);
    const { sessionId } = await context.request(session.new, { cwd: workspace, mcpServers: [] });
    const ended = await context.request(session.prompt, {
      sessionId,
      prompt: text('run echo made > made.txt'),
    });
    assert.equal(ended.stopReason, 'end_turn');
    checkTurn(asked, updates);
  });
  await program.end();
}

/** The same library, in the draft of version 2. */
async function runApp2(folder) {
  const sdk = await load(folder, '@agentclientprotocol/sdk', 'experimental/v2');
  const { updates, asked, app } = appOf(sdk);
  const program = agent();
  await app.connectWith(sdk.ndJsonStream(program.input, program.output), async (context) => {
    const { initialize, session } = sdk.methods.agent;
    const hello = await context.request(initialize, {
      protocolVersion: 2,
      info: { name: 'run', version: '1' },
      capabilities: {},
    });
    assert.equal(hello.protocolVersion, 2);
    const { sessionId } = await context.request(session.new, { cwd: workspace, mcpServers: [] });
    const prompt = text('run echo made > made.txt');
    const { messageId } = await context.request(session.prompt, { sessionId, prompt });
    const ended = () => updates.find((update) => update.stopReason !== undefined);
    for (let waited = 0; !ended() && waited < 30_000; waited += 50) await delay(50);
    assert.equal(ended()?.stopReason, 'end_turn');
    assert.ok(updates.some((update) => update.messageId === messageId));
    checkTurn(asked, updates);
  });
  await program.end();
}

function appOf({ client, methods }) {
  const updates = [];
  const asked = [];
  const app = client({ name: 'run' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params);
      return { outcome: { outcome: 'selected', optionId: params.options[0].optionId } };
    });
  return { updates, asked, app };
}

/** One question about the whole command, one call, words of the agent, and the file that the command made. */
function checkTurn(asked, updates) {
  assert.equal(asked.length, 1);
  assert.match(asked[0].title ?? asked[0].toolCall.title, /echo made > made\.txt/);
  const kinds = new Set(updates.map((update) => update.sessionUpdate));
  assert.ok(kinds.has('tool_call_update') && kinds.has('agent_message_chunk'), [...kinds].join());
  assert.equal(readFileSync(join(workspace, 'made.txt'), 'utf8'), 'made\n');
  rmSync(join(workspace, 'made.txt'));
}

/** acpx starts agents with an environment of its own, so a script carries ours. */
async function runAcpx(folder) {
  const program = join(folder, 'agent.sh');
  const variables = ['HOME', 'PARLEY_HOME'].map((name) => `export ${name}='${env[name]}'\n`).join('');
  writeFileSync(program, `#!/bin/sh\n${variables}exec '${process.execPath}' '${parley}' acp\n`);
  chmodSync(program, 0o755);
  const cli = join(folder, 'node_modules', 'acpx', 'dist', 'cli.js');
  const run = (...args) =>
    execFileSync(process.execPath, [cli, '--agent', program, '--cwd', workspace, ...args], {
      env,
      encoding: 'utf8',
    });
  run('--approve-all', 'exec', 'run echo made > made.txt');
  assert.ok(existsSync(join(workspace, 'made.txt')));
  assert.throws(() => run('--deny-all', 'exec', 'run echo made > denied.txt'), { status: 5 });
  assert.ok(!existsSync(join(workspace, 'denied.txt')));
}

function text(words) {
  return [{ type: 'text', text: words }];
}
