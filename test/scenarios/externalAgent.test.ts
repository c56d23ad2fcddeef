// External agents through the real program: set up, listed, tried, used, taken up while the host runs, and
// gone when it is killed.
import { join } from 'node:path';
import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, expect, test } from 'vitest';
import { untilGone, pause } from '../kit/living.ts';
import { ahpClient } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import { addReference, disposeReference, referenceBundle } from '../kit/reference/program.ts';
import { eventually } from '../kit/patience.ts';

let home: Home;

afterAll(disposeReference);
afterEach(() => home.dispose());

async function parley(
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  return home.run(...args).done;
}

test('an agent is added, listed, tried and removed', async () => {
  home = newHome();
  await addReference(home, {
    can: ['load', 'list', 'images'],
    quirks: ['greets-on-stdout'],
    authMethods: [{ id: 'a', name: 'By letter' }],
  });
  const { out } = await parley('agents', 'list', '--json');
  const listed = JSON.parse(out) as { id: string; source: string }[];
  expect(listed[0]).toMatchObject({
    id: 'ref',
    name: 'The reference',
    source: 'configured',
    path: process.execPath,
    disabled: false,
  });
  expect(listed.find(({ id }) => id === 'claude')).toMatchObject({
    source: 'known',
    install: expect.stringContaining('npm install') as string,
  });
  expect((await parley('agents')).out).toMatch(/^Agents:\n {2}ref {2}The reference {2}configured/);
  const tried = await parley('agents', 'test', 'ref');
  expect(tried.out).toMatch(/^The reference answers as reference 1\.0\.0\.\n/);
  expect(tried.out).toMatch(
    /time +\d+ ms until its first answer\n {2}protocol +version 1\n {2}prompts +text, links, images\n {2}sessions +load, list\n {2}tool servers process\n {2}history +0 conversations in this folder\n {2}sign-in +By letter\n {2}warning +sent 2 messages/,
  );
  expect([
    tried.code,
    (await parley('agents', 'remove', 'ref')).code,
    (await parley('agents', 'remove', 'ref')).code,
  ]).toEqual([0, 0, 1]);
});

test('a folder that only sets variables is trusted, and what agents get and do not get is shown', async () => {
  home = newHome();
  await addReference(home, {});
  const direnv = join(home.dir, 'bin', 'direnv');
  mkdirSync(join(home.dir, 'bin'));
  writeFileSync(direnv, `#!/bin/sh\necho '{"DATABASE":"test","ANTHROPIC_API_KEY":"other"}'\n`, {
    mode: 0o755,
  });
  writeFileSync(join(home.dir, '.envrc'), '');
  Object.assign(home.env, {
    PATH: `${join(home.dir, 'bin')}:${home.env['PATH']}`,
    SOME_TOKEN: 's',
    CURL_CA_BUNDLE: 'c',
  });
  const tested = async () =>
    (JSON.parse((await parley('agents', 'test', 'ref', '--json')).out) as { environment: object })
      .environment;
  expect(await tested()).toMatchObject({
    secrets: expect.arrayContaining(['SOME_TOKEN']) as unknown,
    others: [],
    project: [],
    untrusted: ['.envrc'],
  });
  expect((await parley('agents', 'test', 'ref')).out).toContain(
    '  not used     .envrc: you do not trust this folder; see parley trust\n',
  );
  expect(await parley('trust', '--yes')).toMatchObject({
    code: 0,
    out: expect.stringContaining('  variables for external agents: .envrc\n') as unknown,
  });
  expect(await tested()).toMatchObject({ project: ['DATABASE'], untrusted: [], problems: [] });
});

test('a call that an agent tells of and then asks about is one line of a run', async () => {
  home = newHome();
  await addReference(home, {});
  const { out } = await parley('run', '--agent', 'ref', '--json', '--allow', '*', 'shell echo printed');
  const calls = out.split('\n').filter((line) => line.includes('"tool-start"'));
  expect(calls.map((line) => JSON.parse(line) as object)).toMatchObject([
    { name: 'execute', title: 'echo printed', input: { command: 'echo printed' } },
  ]);
  const { err } = await parley('run', '--agent', 'ref', '--allow', '*', 'shell echo printed');
  expect(err.split('\n').filter((line) => line === '> echo printed')).toHaveLength(1);
});

test('an agent that never asks is refused under every name, with its exit code and what would allow it', async () => {
  home = newHome();
  const { path } = await referenceBundle();
  const program = join(home.dir, 'pi-acp');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${path}'\n`, { mode: 0o700 });
  await parley('agents', 'add', 'mypi', '--name', 'My pi', '--', 'env', program);
  const refused = await parley('run', '--agent', 'mypi', 'say done');
  expect([refused.code, refused.out]).toEqual([4, '']);
  expect(refused.err).toContain('refused: Not allowed. Add --allow unasked_mypi, --full or a rule in');
  expect(refused.err).toContain('parley: My pi never asks before it changes files or runs commands');
  const { out } = await parley('run', '--agent', 'mypi', '--output', 'json', 'say done');
  expect(JSON.parse(out)).toMatchObject({ status: 'denied', exitCode: 4, error: { code: 'denied' } });
  for (const flags of [['--allow', 'unasked_mypi'], ['--allow', '*'], ['--full']]) {
    const { code, out: said } = await parley('run', '--agent', 'mypi', ...flags, 'say done');
    expect([flags, code, said]).toEqual([flags, 0, 'done\n']);
  }
});

test('an agent comes from a file of the public registry', async () => {
  home = newHome();
  const file = join(home.dir, 'registry.json');
  writeFileSync(
    file,
    JSON.stringify({
      version: '1.0.0',
      agents: [
        {
          id: 'some',
          name: 'Some',
          version: '1.0.0',
          description: 'Does.',
          distribution: { npx: { package: 'some@1', args: ['--acp'] } },
        },
      ],
    }),
  );
  expect((await parley('agents', 'add', 'some', '--registry', file)).code).toBe(0);
  expect(JSON.parse((await parley('agents', 'list', '--json')).out)).toMatchObject([
    { id: 'some', name: 'Some', command: 'npx', args: ['-y', 'some@1', '--acp'] },
    {},
    {},
    {},
    {},
    {},
    {},
    {},
    {},
    {},
    {},
  ]);
  expect((await parley('agents', 'add', 'other', '--registry', file)).err).toBe(
    `parley: ${file} has no agent "other". It has: some.\n`,
  );
});

test('what is said wrong is answered with what to do', async () => {
  home = newHome();
  const wrong = [
    ['frob'],
    ['add'],
    ['add', 'x'],
    ['add', 'parley', '--', 'x'],
    ['add', 'a b', '--', 'x'],
    ['test', 'nobody'],
    ['add', 'x', '--env', 'A', '--', 'y'],
  ];
  const answers = await Promise.all(wrong.map((args) => parley('agents', ...args)));
  expect(answers.map(({ code, err }) => [code, err.trim()])).toEqual([
    [
      2,
      'parley: Unknown command "parley agents frob". Try list, search, install, update, add, remove or test.',
    ],
    [2, 'parley: Missing agent ID.'],
    [2, 'parley: Missing command for x. Usage: parley agents add x -- COMMAND ARGS...'],
    [2, 'parley: "parley" is the built-in agent. Choose another ID.'],
    [2, 'parley: Invalid agent ID "a b". Use letters, digits, dots, dashes and underscores.'],
    [1, 'parley: Unknown agent "nobody". Try: parley agents'],
    [2, 'parley: Invalid value "A". Use NAME=VALUE.'],
  ]);
});

test('an agent that is added while the host runs is used at once, and ends with a host that is killed', async () => {
  home = newHome();
  const host = await home.serve();
  await addReference(home, { quirks: ['ignores-end', 'ignores-cancel'] });
  let said = { code: 1 as number | null, out: '', err: '' };
  for (let tries = 0; said.code !== 0 && tries < 50; tries += 1) {
    await pause(100);
    said = await parley('run', '--agent', 'ref', 'say Hello from outside');
  }
  expect([said.code, said.out.trim()]).toEqual([0, 'Hello from outside']);
  const working = home.run('run', '--agent', 'ref', '--json', 'process\nhang');
  let heard = '';
  working.child.stdout?.on('data', (chunk: Buffer) => (heard += chunk.toString()));
  await eventually(() => /pid (\d+)/.test(heard), 'the process id of the agent');
  const pid = Number(/pid (\d+)/.exec(heard)?.[1]);
  expect(pid).toBeGreaterThan(0);
  await host.kill('SIGKILL');
  await untilGone(pid);
  await working.done;
});

test(
  'twenty sessions that are over share one process, which the list of agents shows',
  { timeout: 120_000 },
  async () => {
    home = newHome();
    await addReference(home, { directory: join(home.dir, 'reference'), can: ['resume'] });
    const ahp = await ahpClient(await home.serve());
    const answer = async (session: string) => {
      const workingDirectories = [`file://${home.workspace}`];
      await ahp.request('createSession', { channel: session, provider: 'ref', workingDirectories });
      const { defaultChat } = await ahp.subscribe(session);
      await ahp.subscribe(defaultChat);
      const message = { text: 'process', origin: { kind: 'user' } };
      ahp.dispatch(defaultChat, { type: 'chat/turnStarted', turnId: 't', startedAt: '', message });
      const { turns } = await ahp.until(defaultChat, ({ turns: all }) => all.length === 1);
      return Number(/pid (\d+)/.exec(JSON.stringify(turns))?.[1]);
    };
    const [pid, ...others] = await Promise.all(
      Array.from({ length: 20 }, (_, index) => answer(`ref:/over${index}`)),
    );
    expect(new Set(others)).toEqual(new Set([pid]));
    await ahp.close();
    const listed = JSON.parse((await parley('agents', 'list', '--json')).out) as readonly {
      readonly running: readonly object[];
    }[];
    expect(listed.flatMap(({ running }) => running)).toMatchObject([
      { agent: 'ref', pid, sessions: 20, busy: false },
    ]);
  },
);
