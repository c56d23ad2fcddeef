// Every command of the program that the README and the pages of docs/ show, run as it stands there. Words in
// capitals are replaced by something real. What needs more than a home is run by the test that is named.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newHome, said } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';

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
}

let session = '';
let device = '';

/** What is not simply run. `ranBy` names the test that runs it. */
const special: { readonly [command: string]: (() => Run) | { readonly ranBy: string } } = {
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
  'parley sandbox -- COMMAND': { ranBy: 'sandbox' },
  'parley serve': () => ({ args: ['serve', '--data', 'plain', '--port', '0'], listens: true }),
  'parley serve --host 0.0.0.0': { ranBy: 'remote' },
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
};

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

/** The commands in a line of text, and those in blocks. */
function commandsOf(page: string): readonly string[] {
  const text = readFileSync(join(root, page), 'utf8');
  const inline = [...text.matchAll(/`(parley [^`\n]+)`/g)].map(([, command = '']) => command);
  const blocks = [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].flatMap(([, language, block = '']) =>
    language === '' ? block.split('\n').filter((line) => line.startsWith('parley ')) : [],
  );
  return [...inline, ...blocks].map((command) => command.replace(/ {2,}#.*$/, '').trim());
}

let home: Home;
beforeAll(async () => {
  home = newHome();
  for (const name of Object.keys(home.env)) if (/_API_(?:KEY|URL)$/.test(name)) delete home.env[name];
  Object.assign(home.env, { BROWSER: 'none', PATH: `${dirname(process.execPath)}:/usr/bin:/bin` });
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

test('there are many, and none of the exceptions is stale', () => {
  expect(commands.length).toBeGreaterThan(70);
  expect(Object.keys(special).filter((command) => !commands.includes(command))).toEqual([]);
  const others = Object.values(special).flatMap((how) => ('ranBy' in how ? [how.ranBy] : []));
  expect(others.filter((name) => !existsSync(join(import.meta.dirname, `${name}.test.ts`)))).toEqual([]);
});

describe('is run', () => {
  test.each(commands.filter((command) => !('ranBy' in (special[command] ?? {}))))('%s', async (command) => {
    const how = special[command];
    const run = how && !('ranBy' in how) ? how() : {};
    const args = run.args ?? wordsOf(command).slice(1);
    const { child, done } = home.run(...args);
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

/** As a shell would split it. */
function wordsOf(command: string): readonly string[] {
  return execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' })
    .trim()
    .split('\n');
}
