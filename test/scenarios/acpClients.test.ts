// Clients that others wrote, on the real program: acpx as a command line, and the SDK of both generations.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { client, methods, ndJsonStream } from '@agentclientprotocol/sdk';
import type { ClientContext } from '@agentclientprotocol/sdk';
import { ClientSideConnection, ndJsonStream as oldStream } from '@zed-industries/agent-client-protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkedTraces } from '../kit/acpSchema.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import type { Loose } from '../kit/wire.ts';

const parley = join(import.meta.dirname, '..', '..', 'bin', 'parley.js');
const require = createRequire(import.meta.url);
const acpxProgram = join(dirname(require.resolve('acpx/package.json')), 'dist', 'cli.js');
let home: Home;

beforeAll(async () => {
  home = newHome();
  mkdirSync(join(home.dir, 'user'));
  await home.serve('--trace');
});

afterAll(() => home.dispose());

const shell = (command: string) => `tool shell_command ${JSON.stringify({ command })}`;

describe('acpx', () => {
  /** acpx starts agents with an environment of its own, so a script carries ours. */
  function agent(): string {
    const path = join(home.dir, 'agent.sh');
    const variables = ['PARLEY_HOME', 'PARLEY_SCRIPTED'].map(
      (name) => `export ${name}='${home.env[name] ?? ''}'`,
    );
    writeFileSync(
      path,
      ['#!/bin/sh', ...variables, `exec '${process.execPath}' '${parley}' acp`, ''].join('\n'),
      { mode: 0o755 },
    );
    return path;
  }

  async function acpx(...args: readonly string[]): Promise<{ code: number | null; out: string }> {
    const command = [acpxProgram, '--agent', agent(), '--cwd', home.workspace, ...args];
    const child = spawn(process.execPath, command, {
      env: { ...home.env, HOME: join(home.dir, 'user') },
      cwd: home.dir,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (out += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, out };
  }

  test('runs a prompt, with and without its own files and terminals', async () => {
    expect(await acpx('--approve-all', 'exec', 'say Hello to acpx.')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Hello to acpx.'),
    });
    for (const [flags, file] of [
      [[], 'with.txt'],
      [['--no-terminal', '--no-fs'], 'without.txt'],
    ] as const) {
      const ran = await acpx('--approve-all', ...flags, 'exec', shell(`echo made > ${file}; echo and said`));
      expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('shell_command: done.') });
      expect(readFileSync(join(home.workspace, file), 'utf8')).toBe('made\n');
    }
  });

  test('denies, and nothing is run', async () => {
    const { code, out } = await acpx('--deny-all', 'exec', shell('echo no > denied.txt'));
    expect([code, out.includes('The user refused.'), existsSync(join(home.workspace, 'denied.txt'))]).toEqual(
      [5, true, false],
    );
  });

  test('prints strict JSON', async () => {
    const { code, out } = await acpx(
      '--approve-all',
      '--format',
      'json',
      '--json-strict',
      'exec',
      'say Strictly.',
    );
    expect(code).toBe(0);
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line): Loose => JSON.parse(line));
    expect(
      lines
        .filter(({ method }) => method === 'session/update')
        .map(({ params }) => params.update.sessionUpdate),
    ).toContain('agent_message_chunk');
    expect(lines.at(-1)).toMatchObject({ result: { stopReason: 'end_turn' } });
  });

  test('keeps a session over several runs and comes back to it', async () => {
    expect(await acpx('--approve-all', 'sessions', 'new', '--name', 'lab')).toMatchObject({ code: 0 });
    expect(await acpx('--approve-all', 'prompt', '-s', 'lab', 'say First.')).toMatchObject({
      code: 0,
      out: expect.stringContaining('First.'),
    });
    expect(await acpx('--approve-all', 'prompt', '-s', 'lab', 'say Second.')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Second.'),
    });
    expect((await acpx('sessions', 'history', 'lab')).out).toMatch(/First\.[^]*Second\./);
    expect(await acpx('sessions', 'close', 'lab')).toMatchObject({ code: 0 });
  });
});

interface Program {
  readonly input: WritableStream<Uint8Array>;
  readonly output: ReadableStream<Uint8Array>;
  end(): Promise<void>;
}

function acp(): Program {
  const { child, done } = home.run('acp');
  if (!child.stdin || !child.stdout) throw new Error('no pipes');
  const { stdin, stdout } = child;
  return {
    input: Writable.toWeb(stdin),
    output: Readable.toWeb(stdout) as ReadableStream<Uint8Array>,
    async end() {
      stdin.destroy();
      await done;
    },
  };
}

test('the SDK of autumn 2025 drives every method it has, and switches models', async () => {
  const program = acp();
  const updates: Loose[] = [];
  const asked: Loose[] = [];
  const old = new ClientSideConnection(
    () => ({
      sessionUpdate: (params) => Promise.resolve(void updates.push(params.update)),
      requestPermission: (params) => {
        asked.push(params);
        return Promise.resolve({
          outcome: { outcome: 'selected', optionId: params.options[0]?.optionId ?? '' },
        });
      },
      readTextFile: () => Promise.resolve({ content: 'from the buffer' }),
      writeTextFile: () => Promise.resolve({}),
    }),
    oldStream(program.input, program.output),
  );
  expect(
    await old.initialize({
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: false }, terminal: false },
    }),
  ).toMatchObject({ protocolVersion: 1, agentCapabilities: { loadSession: true } });
  await expect(old.authenticate({ methodId: 'none' })).rejects.toMatchObject({ code: -32602 });
  const made = await old.newSession({ cwd: home.workspace, mcpServers: [] });
  expect(made.models).toMatchObject({ currentModelId: 'scripted/scripted' });
  await old.setSessionModel({ sessionId: made.sessionId, modelId: 'demo/demo' });
  await old.setSessionModel({ sessionId: made.sessionId, modelId: 'scripted/scripted' });
  await expect(old.setSessionMode({ sessionId: made.sessionId, modeId: 'none' })).rejects.toMatchObject({
    code: -32602,
  });
  await expect(old.extMethod('_example/none', {})).rejects.toMatchObject({ code: -32601 });
  await old.extNotification('_example/none', {});
  const text = `${shell('echo old')}\nsay Said.`;
  expect(await old.prompt({ sessionId: made.sessionId, prompt: [{ type: 'text', text }] })).toMatchObject({
    stopReason: 'end_turn',
  });
  expect(asked.length).toBe(1);
  const hanging = old.prompt({ sessionId: made.sessionId, prompt: [{ type: 'text', text: 'hang' }] });
  await old.cancel({ sessionId: made.sessionId });
  expect(await hanging).toMatchObject({ stopReason: 'cancelled' });
  updates.length = 0;
  await old.loadSession({ sessionId: made.sessionId, cwd: home.workspace, mcpServers: [] });
  expect(JSON.stringify(updates)).toContain('Said.');
  await program.end();
});

test('the newest SDK drives every method of the agent', async () => {
  const program = acp();
  const cwd = home.workspace;
  const text = await client({ name: 'newest' })
    .onNotification(methods.client.session.update, () => {})
    .onRequest(methods.client.session.requestPermission, ({ params }) => ({
      outcome: { outcome: 'selected', optionId: params.options[0]?.optionId ?? '' },
    }))
    .connectWith(ndJsonStream(program.input, program.output), (agent) => everyMethod(agent, cwd));
  expect(text).toBe('cancelled');
  await program.end();
});

async function everyMethod(agent: ClientContext, cwd: string): Promise<string> {
  const call = methods.agent;
  await agent.request(call.initialize, {
    protocolVersion: 1,
    clientInfo: { name: 'newest', version: '2.4.0' },
    clientCapabilities: {},
  });
  const { sessionId, configOptions } = await agent.request(call.session.new, { cwd, mcpServers: [] });
  expect(configOptions?.map(({ id }) => id)).toContain('model');
  expect(
    await agent.request(call.session.setConfigOption, {
      sessionId,
      configId: 'model',
      value: 'scripted/scripted',
    }),
  ).toMatchObject({ configOptions: expect.any(Array) });
  expect(
    await agent.request(call.session.prompt, {
      sessionId,
      prompt: [{ type: 'text', text: `${shell('echo new')}\nsay Said.` }],
    }),
  ).toMatchObject({ stopReason: 'end_turn' });
  expect((await agent.request(call.session.list, { cwd })).sessions.map((row) => row.sessionId)).toContain(
    sessionId,
  );
  await agent.request(call.session.close, { sessionId });
  await agent.request(call.session.load, { sessionId, cwd, mcpServers: [] });
  await agent.request(call.session.close, { sessionId });
  await agent.request(call.session.resume, { sessionId, cwd });
  const hanging = agent.request(call.session.prompt, { sessionId, prompt: [{ type: 'text', text: 'hang' }] });
  await agent.notify(call.session.cancel, { sessionId });
  const { stopReason } = await hanging;
  await agent.request(call.session.delete, { sessionId });
  await expect(agent.request(call.authenticate, { methodId: 'none' })).rejects.toMatchObject({
    code: -32602,
  });
  expect(await agent.request(call.logout, {})).toEqual({});
  return stopReason;
}

test('all that these clients were told holds against the schema', async () => {
  const traces = join(home.dir, 'home', 'traces');
  await expect.poll(() => checkedTraces(traces).sent.length).toBeGreaterThan(80);
  expect(checkedTraces(traces).problems).toEqual([]);
});
