// Every command that the README and the pages of docs/ show, in a line of text or in a block, run as it
// stands there. Words in capitals are replaced by something real. What needs more than a home is run by the
// test that is named; what cannot run in a test has its reason here.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newHome, said } from '../kit/parley.ts';
import type { Home, Ran } from '../kit/parley.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const root = join(import.meta.dirname, '..', '..');

interface Run {
  /** Default: the words of the command. */
  readonly args?: readonly string[];
  readonly input?: string;
  /** The exit codes that are right. Default: 0. */
  readonly codes?: readonly number[];
  readonly out?: RegExp;
  /** Listens until it is told to end. */
  readonly listens?: true;
  /** What a shell runs instead. */
  readonly script?: string;
}

type How = (() => Run) | { readonly ranBy: string } | { readonly notHere: string };

const measures = 'It measures for minutes; its figures are on the page.';
const suite = 'It is the run that this test is part of.';
const words = 'It names a part of Git, not something to run.';
const machine = 'It needs another machine.';

/** What a command begins with. */
const programs = 'parley|npm|npx|node|git|ssh|curl|docker|kubectl|systemctl|launchctl';

let session = '';
let device = '';

/** What is not simply run. `ranBy` names the test that runs it. */
const special: { readonly [command: string]: How } = {
  'parley COMMAND --help': () => ({ args: ['run', '--help'], out: /^Usage: parley run/m }),
  'parley agents add ID -- COMMAND': () => ({ args: ['agents', 'add', 'one', '--', process.execPath] }),
  'parley agents add ID -- COMMAND ARGS...': () => ({
    args: ['agents', 'add', 'two', '--', process.execPath, '-v'],
  }),
  'parley agents install ID': { ranBy: 'cliEvery' },
  'parley agents install codex': { ranBy: 'installAgents' },
  'parley agents search': { ranBy: 'cliEvery' },
  'parley agents test ID': { ranBy: 'cliEvery' },
  'parley agents update': { ranBy: 'cliEvery' },
  'parley chat --resume': { ranBy: 'chatScreen' },
  'parley chat ID': () => ({ args: ['chat', session], out: /Session / }),
  'parley config schema --markdown > docs/settings.md': () => ({
    args: ['config', 'schema', '--markdown'],
    out: /^# /,
  }),
  'parley devices role': () => ({ args: ['devices', 'role', device, 'observe'] }),
  'parley devices role ID ROLE': () => ({ args: ['devices', 'role', device, 'control'] }),
  'parley devices role ID approve': () => ({ args: ['devices', 'role', device, 'approve'] }),
  // Whether this machine has everything is not the question.
  'parley doctor': () => ({ codes: [0, 1], out: /running \(pid \d+\)/ }),
  'parley doctor --bundle': () => ({ codes: [0, 1], out: /./ }),
  'parley doctor --json': () => ({ codes: [0, 1], out: /^[[{]/ }),
  'parley login': { ranBy: 'cliEvery' },
  'parley login PROVIDER': () => ({ args: ['login', 'openai', '--key-stdin'], input: 'sk-one\n' }),
  'parley login anthropic': () => ({ args: ['login', 'anthropic', '--key-stdin'], input: 'sk-two\n' }),
  'parley mcp login NAME': { ranBy: 'cliEvery' },
  'parley models --refresh': { ranBy: 'models' },
  'parley read-chat': () => ({ args: ['read-chat', '--workspace', home.dir], out: /^\{/ }),
  'parley run': () => ({ args: ['run', '-'], input: 'say From the pipe.', out: /^From the pipe\.\n$/ }),
  'parley run "PROMPT"': () => ({ args: ['run', 'say Prompted.'], out: /^Prompted\.\n$/ }),
  'parley run --auto': () => ({ args: ['run', '--auto', 'say Alone.'], codes: [0, 6], out: /./ }),
  'parley run --auto "Make the tests pass"': () => ({ codes: [0, 6] }),
  'parley run --max-cost 0.50 "PROMPT"': () => ({
    args: ['run', '--max-cost', '0.50', 'say Cheap.'],
    out: /^Cheap\.\n$/,
  }),
  'parley sandbox -- COMMAND': { ranBy: 'sandboxTwo' },
  'parley serve': () => ({ args: ['serve', '--data', 'plain', '--port', '0'], listens: true }),
  'parley serve --host 0.0.0.0': () => ({
    args: ['serve', '--data', 'open', '--port', '0', '--host', '0.0.0.0'],
    listens: true,
  }),
  'parley serve --store file:///FOLDER': () => ({
    args: [
      'serve',
      '--data',
      'apart',
      '--port',
      '0',
      '--store',
      pathToFileURL(join(home.dir, 'stored')).href,
    ],
    listens: true,
  }),
  'parley serve --store postgres://USER@HOST/DATABASE': { ranBy: '../faults/postgres' },
  'parley serve --trace': () => ({
    args: ['serve', '--data', 'traced', '--port', '0', '--trace'],
    listens: true,
  }),
  'parley service install': { ranBy: 'cliSetup' },
  'parley service remove': { ranBy: 'cliSetup' },
  'parley sessions delete': () => ({ args: ['sessions', 'delete', session, '--yes'] }),
  'parley sessions export': () => ({ args: ['sessions', 'export', session, 'kept.jsonl'] }),
  'parley sessions import': () => ({ args: ['sessions', 'import', 'kept.jsonl'] }),
  'parley sessions search': () => ({ args: ['sessions', 'search', 'first', 'words'], out: /first words/i }),
  'parley sessions show': () => ({ args: ['sessions', 'show', session], out: /First words\./ }),
  'parley sessions show ID': () => ({ args: ['sessions', 'show', session], out: /First words\./ }),
  'parley setup EDITOR --print': () => ({ args: ['setup', 'zed', '--print'], out: /agent_servers/ }),
  'parley setup EDITOR --remove': () => ({ args: ['setup', 'zed', '--remove', '--yes'] }),
  'parley setup emacs': () => ({ args: ['setup', 'emacs', '--yes'] }),
  'parley setup jetbrains': () => ({ args: ['setup', 'jetbrains', '--yes'] }),
  'parley setup nvim': () => ({ args: ['setup', 'nvim', '--yes'] }),
  'parley setup vscode': () => ({ args: ['setup', 'vscode', '--yes'] }),
  'parley setup zed': () => ({ args: ['setup', 'zed', '--yes'] }),
  'parley store copy FROM TO': () => ({
    args: ['store', 'copy', ...['stored', 'copied'].map((name) => pathToFileURL(join(home.dir, name)).href)],
  }),
  'parley store compact': () => ({
    args: ['store', 'compact', pathToFileURL(join(home.dir, 'copied')).href],
  }),
  'parley trust': () => ({ args: ['trust', '--yes'] }),
  'PARLEY_HOME=/tmp/try parley serve': () => ({
    args: ['serve', '--data', 'try', '--port', '0'],
    listens: true,
  }),
  'PARLEY_HOME=~/parley-work parley': () => ({
    script: 'export PARLEY_HOME=$PWD/parley-work; parley --no-open && parley stop',
    out: /Parley is running\./,
  }),
  'git diff | parley run "Review this change" -': () => ({
    script: `git init -q . && echo a > diffed && git add -N diffed
git diff | parley run "Review this change" -`,
    out: /^You said: Review this change\n\ndiff --git/,
  }),
  'npm start': () => ({ script: `cd '${root}' && npm start -- --no-open`, out: /Parley is running\./ }),
  'npm run gallery': { ranBy: '../visual/visual' },
  'npm pack': { ranBy: 'package' },
  'npm install -g': { ranBy: 'package' },
  'npm uninstall -g parley': { notHere: 'It would change this machine.' },
  'npm start --': { notHere: 'It is the begin of commands; `npm start` is run.' },
  'npm run structure': { notHere: '`npm test` begins with its check.' },
  'npm run build': {
    notHere: 'Tests at the same time use what it would replace. `npm test` begins with it.',
  },
  ...all('It replaces the files that a test compares with.', [
    'GOLDEN=write npx vitest run src/doors/eca/outbound/entries',
    'GOLDEN=write npx vitest run src/agents/native/models/wires/golden',
  ]),
  'npm run pictures': { notHere: 'It replaces the pictures that a test compares with.' },
  'npm audit signatures': { notHere: 'It asks the registry of npm.' },
  'npm run agents:matrix': { ranBy: '../realAgents/matrix' },
  ...all('It installs programs of others.', [
    'PARLEY_MATRIX_AGENTS=claude,kilo,kimi,pi npx vitest run test/realAgents/asking.test.ts',
  ]),
  'npm run faults:pipe': { ranBy: '../faults/pipe' },
  'npm run faults:pipe -- --rounds 100 --seed 1': { ranBy: '../faults/pipe' },
  'npm run faults:kill -- --rounds 500': { ranBy: '../faults/kill' },
  'npm run faults:kill -- --rounds 100 --seed 20261119': { ranBy: '../faults/kill' },
  'npm run faults:kill -- --rounds 500 --seed 20261119': { ranBy: '../faults/kill' },
  'npm run faults:kill -- --rounds 500 --seed 20261121': { ranBy: '../faults/kill' },
  'npm run fuzz:commands -- --lines 20000 --seed 20261119': { ranBy: '../attacks/commandFuzz' },
  'npm run fuzz:commands -- --lines 100000 --seed 20261122': { ranBy: '../attacks/commandFuzz' },
  'npm run fuzz:commands -- --lines 25000 --seed N': { ranBy: '../attacks/commandFuzz' },
  'npm run faults:soak -- --minutes 30': { ranBy: '../faults/soak' },
  'npm run faults:soak -- --minutes 30 --seed 20261119': { ranBy: '../faults/soak' },
  'npm run faults:postgres -- --part suite': { ranBy: '../faults/postgres' },
  'npm run faults:postgres -- --part doors --hosts 3 --sessions 67 --minutes 10': {
    ranBy: '../faults/manyHosts',
  },
  'npm ci': { ranBy: '../attacks/sandboxWork' },
  'git commit': { ranBy: '../attacks/sandboxWork' },
  ...all('It is an example of what a rule is about.', ['npm i', 'npm install']),
  ...all(suite, [
    'npm test',
    'CI=1 npm test',
    'PARLEY_KILL_ROUNDS=100 PARLEY_SEED=N npx vitest run test/faults/kill.test.ts',
    'PARLEY_SOAK_MINUTES=30 PARLEY_SEED=1 npx vitest run test/faults/soak.test.ts',
    'npx vitest run PATH',
    'npx vitest run test/architecture.test.ts',
    'npx vitest run test/attacks test/faults',
    'npx vitest run test/attacks/sandboxWork.test.ts',
    'npx vitest run test/attacks/requirements.test.ts test/faults/requirements.test.ts',
    'npx vitest run test/contracts/languageModel.test.ts',
    'npx vitest run test/faults/memory.test.ts',
    'npx vitest run test/contracts/tools.test.ts',
  ]),
  ...all(measures, [
    'npm run bench',
    'npm run bench -- agentMemory --check',
    'npm run bench -- consolePages',
    'npm run bench -- sandbox',
    'npm run bench -- start',
    'node scripts/bench.mjs chat',
    'node scripts/bench.mjs disk',
    'node scripts/bench.mjs open.bench',
    'node scripts/bench.mjs open.bench --check',
    'node scripts/bench.mjs postgres',
    'node scripts/bench.mjs postgres search --check',
    'node scripts/bench.mjs start.bench commit prompt delta --check',
    'node scripts/bench.mjs start.bench many.bench',
    'node scripts/bench.mjs start.bench many.bench stream chat restart commit',
    'node scripts/bench.mjs start.bench restart stream open.bench many.bench',
  ]),
  ...all(words, ['git -c', 'git config', 'git diff', 'git status', 'git rebase', 'node -e']),
  ...all(words, ['git rebase --abort', 'git rebase --continue', 'git rebase --edit-todo']),
  ...all(machine, ['ssh -L 4517:127.0.0.1:4517 HOST', 'ssh -L 4517:127.0.0.1:4517 me@workstation']),
};

function all(notHere: string, commands: readonly string[]): { readonly [command: string]: How } {
  return Object.fromEntries(commands.map((command) => [command, { notHere }]));
}

/** What removes something, or ends the host, comes last; what makes something for others comes first. */
const order = (command: string) =>
  / (?:serve|export|chat|copy)\b/.test(command)
    ? -2
    : [/ (?:untrust|delete|remove|--remove)\b/, / rotate\b/, / stop\b/, / --standalone\b/].findIndex((last) =>
        last.test(command),
      );

const commands = [...new Set(['README.md', ...pagesOfDocs()].flatMap(commandsOf))].toSorted(
  (a, b) => order(a) - order(b),
);

function pagesOfDocs(): readonly string[] {
  return readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name));
}

/** What a page writes in blocks, by language; commands have `sh`. */
function blocksOf(page: string): readonly { readonly language: string; readonly text: string }[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^ *```(\w*)\n([^]*?)^ *```$/gm)].map(([, language = '', block = '']) => ({
    language,
    text: block,
  }));
}

/** The commands in a line of text, and those in blocks; a block that begins with `set -e` is one script. */
function commandsOf(page: string): readonly string[] {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/^ *```[^]*?^ *```$/gm, '');
  const written = new RegExp(`\`((?:[A-Z_]+=\\S+ )*(?:${programs}) [^\`\\n]+)\``, 'g');
  const inline = [...text.matchAll(written)].map(([, command = '']) => command);
  const blocks = blocksOf(page)
    .filter(({ language }) => language === 'sh')
    .flatMap((block) => (block.text.startsWith('set -e') ? [block.text] : block.text.trim().split('\n')));
  return [...inline, ...blocks].map((command) => command.replace(/ {2,}#.*$/, '').trim());
}

let home: Home;
beforeAll(async () => {
  home = newHome();
  for (const name of Object.keys(home.env)) if (/_API_(?:KEY|URL)$/.test(name)) delete home.env[name];
  const bin = join(home.dir, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'parley'), `#!/bin/sh\nexec "${process.execPath}" "${home.program}" "$@"\n`, {
    mode: 0o755,
  });
  Object.assign(home.env, { BROWSER: 'none', PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin` });
  mkdirSync(join(home.dir, '.parley'));
  writeFileSync(
    join(home.dir, '.parley', 'config.jsonc'),
    '{ "modes": { "review": { "description": "Looks only", "tools": ["read_file"] } } }\n',
  );
  await home.serve();
  await home.run('run', 'say First words.').done;
  const { out } = await home.run('sessions', 'list', '--json').done;
  session = (JSON.parse(out) as { id: string }[])[0]?.id ?? '';
  const link = new URL(/http\S+code=\S+/.exec((await home.run('devices', 'add').done).out)?.[0] ?? '');
  await fetch(new URL('/sign-in', link), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: link.searchParams.get('code') }),
  });
  const devices = (await home.run('devices', 'list', '--json').done).out;
  device = (JSON.parse(devices) as { id: string }[])[0]?.id ?? '';
});
afterAll(() => home.dispose());

/** Without a language nobody knows what is a command. */
test.each(['README.md', ...pagesOfDocs()])('the blocks of %s say what they are', (page) => {
  expect(blocksOf(page).filter(({ language }) => language === '')).toEqual([]);
});

test('there are many, and none of the exceptions is stale', () => {
  expect(commands.length).toBeGreaterThan(100);
  expect(Object.keys(special).filter((command) => !commands.includes(command))).toEqual([]);
  const others = Object.values(special).flatMap((how) => ('ranBy' in how ? [how.ranBy] : []));
  expect(others.filter((name) => !existsSync(join(import.meta.dirname, `${name}.test.ts`)))).toEqual([]);
});

test('what is not run here names scripts and files that exist', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
  const parts = commands.filter((command) => !isRun(command)).join(' ');
  const names = [...parts.matchAll(/npm run (\S+)/g)].map(([, name = '']) => name);
  expect(names.filter((name) => !(name in scripts))).toEqual([]);
  const files = [...parts.matchAll(/\b(?:scripts|test)\/\S+/g)].map(([path]) => path);
  expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

function isRun(command: string): boolean {
  const how = special[command];
  return how === undefined || typeof how === 'function';
}

describe('is run', () => {
  test.each(commands.filter(isRun))('%s', async (command) => {
    const how = special[command];
    const run = typeof how === 'function' ? how() : {};
    const isPlain = run.args !== undefined || (command.startsWith('parley ') && run.script === undefined);
    const { child, done } = isPlain
      ? home.run(...(run.args ?? wordsOf(command).slice(1)))
      : inShell(run.script ?? command);
    if (run.listens) {
      await said(child, 'is listening on');
      child.kill('SIGTERM');
    }
    child.stdin?.end(run.input ?? '');
    const { code, out, err } = await done;
    expect({ code, out, err }).toMatchObject({
      code: expect.toSatisfy((found: number) => (run.codes ?? [0]).includes(found)),
      out: expect.stringMatching(run.out ?? /^/),
    });
    expect(err).not.toMatch(/\n {4}at |Error:/);
  });
});

function inShell(script: string): Ran {
  const child = spawn('sh', ['-c', script], { cwd: home.dir, env: home.env });
  const collected = { out: '', err: '' };
  child.stdout.on('data', (bytes: Buffer) => (collected.out += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (collected.err += bytes.toString()));
  return {
    child,
    done: once(child, 'close').then(([code]: number[]) => ({ code: code ?? null, ...collected })),
  };
}

/** As a shell would split it. */
function wordsOf(command: string): readonly string[] {
  return execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' })
    .trim()
    .split('\n');
}
