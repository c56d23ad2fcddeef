// Every command of the real program: its help, and what it says to what it does not understand.
// None of it starts a host.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cliCommands, commandGroups } from '../../src/cli/commands.ts';
import { examples } from '../../src/cli/examples.ts';
import { outputs } from '../../src/cli/run/outputs.ts';
import { editors } from '../../src/cli/setup/editors.ts';
import { optionsOf, subcommandsOf } from '../../src/cli/suggest.ts';
import { roles } from '../../src/host/policy/roles.ts';
import { autonomyLevels } from '../../src/model/event.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';

let home: Home;
beforeAll(() => {
  home = newHome();
});
afterAll(() => home.dispose());

const named = Object.entries(cliCommands).filter(([name]) => name !== '');

test('the overview has every command on one line under its heading, and the exit codes', async () => {
  const { code, out, err } = await home.run('--help').done;
  expect([code, err]).toEqual([0, '']);
  for (const [name, { summary, group }] of Object.entries(cliCommands))
    expect(out.split(`\n${commandGroups[group]}:\n`)[1]?.split('\n\n')[0]).toMatch(
      new RegExp(`^ {2}${escaped(name || '(none)')} +${escaped(summary)}$`, 'm'),
    );
  expect(out).toContain('Exit codes: 0 success');
  expect(tooLong(out)).toEqual([]);
});

test('parley help COMMAND is parley COMMAND --help', async () => {
  const [asked, flagged] = await Promise.all([home.run('help', 'run').done, home.run('run', '--help').done]);
  expect(asked).toEqual(flagged);
});

test.each(Object.keys(cliCommands))('the examples of "%s" have options and words that exist', (name) => {
  const shown = examples[name] ?? [];
  expect(shown.length).toBeGreaterThan(0);
  const [options, words] = [optionsOf(cliCommands[name]), subcommandsOf(cliCommands[name])];
  for (const [line] of shown) {
    const [, rest = ''] = /(?<=^|[|(] ?)parley(.*)$/.exec(line) ?? [];
    const own = rest.split(' -- ')[0] ?? '';
    const word = /^ [a-z-]+ ([a-z]+)\b/.exec(own)?.[1];
    expect(own.trim().startsWith(name)).toBe(true);
    const used = [...own.matchAll(/ (--[a-z-]+)/g)].map(([, option = '']) => option);
    expect(used.filter((option) => !options.includes(option))).toEqual([]);
    expect(words.length === 0 || word === undefined || words.includes(word)).toBe(true);
  }
});

test.each(named)('parley %s --help', async (name, { usage, summary, options }) => {
  const { code, out, err } = await home.run(name, '--help').done;
  expect([code, err]).toEqual([0, '']);
  expect(oneLine(out).toLowerCase()).toContain(`Usage: ${usage} ${summary}. `.toLowerCase());
  const [, ...broken] = out.split('\n\n')[0]?.split(/(?<=\[--[^\]]*)\n/) ?? [];
  expect(broken).toEqual([]);
  for (const [flag, meaning] of options) expect(oneLine(out)).toContain(` ${flag} ${meaning}`);
  for (const [example, meaning] of examples[name] ?? [])
    expect(out).toContain(`\n  ${example}\n      ${meaning}\n`);
  expect(tooLong(out)).toEqual([]);
});

test.each(named)('parley %s --nonsense', async (name) => {
  const { code, out, err } = await home.run(name, '--nonsense').done;
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(/^parley: .+\n$/s);
});

test.each<[readonly string[], RegExp]>([
  [['serve', 'here'], /Unexpected argument "here"/],
  [['serve', '--port', '70000'], /Invalid port/],
  [['serve', '--cert', 'x'], /must be used together/],
  [['server', 'now'], /now/],
  [['acp', 'now'], /now/],
  [['ahp', 'now'], /now/],
  [['agents', 'dance'], /parley agents dance/],
  [['agents', 'add'], /Missing agent ID/],
  [['agents', 'add', 'a b'], /Invalid agent ID/],
  [['agents', 'add', 'parley'], /built-in agent/],
  [['agents', 'add', 'mine'], /Missing command for mine/],
  [['agents', 'test'], /Missing agent ID/],
  [['agents', 'remove'], /Missing agent ID/],
  [['models', 'all'], /all/],
  [['login', 'nobody'], /Unknown provider "nobody"/],
  [['logout'], /Name one provider/],
  [['logout', 'nobody'], /Unknown provider "nobody"/],
  [['run'], /Missing prompt/],
  [['run', '--allow', '((', 'x'], /rule/i],
  [['chat', 'one', 'two'], /Unexpected argument "two"/],
  [['demo', 'now'], /Unexpected argument "now"/],
  [['sessions', 'dance'], /dance/],
  [['sessions', 'show'], /Missing session ID/],
  [['sessions', 'search'], /./],
  [['sessions', 'rename', 'x'], /./],
  [['sessions', 'import'], /./],
  [['mcp', 'dance'], /parley mcp dance/],
  [['mcp', 'add', 'x'], /either a command or a URL/],
  [['mcp', 'remove'], /Missing server name/],
  [['setup'], /emacs/],
  [['setup', 'ed'], /emacs/],
  [['doctor', 'who'], /Unexpected argument "who"/],
  [['config', 'dance'], /parley config dance/],
  [['trust', 'a', 'b'], /one folder/],
  [['untrust', 'a', 'b'], /one folder/],
  [['stop', 'now'], /Unexpected argument "now"/],
  [['devices', 'dance'], /parley devices dance/],
  [['devices', 'role', 'x'], /Usage: parley devices role/],
  [['devices', 'add', '--role', 'king'], /Invalid role "king"/],
  [['devices', 'revoke'], /Missing device ID/],
])('parley %j is wrong usage', async (args, words) => {
  const { child, done } = home.run(...args);
  // Without arguments `run` reads its prompt from there.
  child.stdin?.end();
  const { code, out, err } = await done;
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(/^parley: .+\n$/s);
  expect(err).toMatch(words);
});

test.each<[readonly string[], RegExp]>([
  [['sesions'], /^parley: There is no command "sesions"\. Did you mean sessions\? Try parley --help\.\n$/],
  [['help', 'modles'], /Did you mean models\?/],
  [['constructor'], /There is no command "constructor"\. Try/],
  [
    ['run', '--mdoel', 'x', 'y'],
    /^parley: Unknown option --mdoel\. Did you mean --model\? See parley run --help\.\n$/,
  ],
  [['--no-opne'], /Did you mean --no-open\? See parley --help\./],
  [['sessions', 'serach', 'x'], /"parley sessions serach"\. Did you mean search\? Try list, .* or verify\./],
  [['token', 'rotat'], /Did you mean rotate\? Try show or rotate\./],
  [['completion', 'fihs'], /Did you mean fish\?/],
  [['completion'], /Missing shell: bash, zsh or fish/],
  [['login', 'antropic'], /Did you mean anthropic\?/],
  [['setup', 'emcs'], /Unknown editor "emcs"\. Did you mean emacs\?/],
  [['store', 'cpy'], /"parley store cpy"\. Did you mean copy\? Try copy or compact\./],
  [['config', 'pth'], /Did you mean path\? Try show, path or schema\./],
  [['config', 'sett'], /To change a setting, edit a file that parley config path names\./],
  [['service', 'instal'], /Did you mean install\?/],
  [['chat', '--mode', 'edit'], /Did you mean edits\?/],
  [['devices', 'add', '--role', 'aprove'], /Did you mean approve\?/],
  [['devices', 'add', '--most', 'ful'], /Did you mean full\?/],
  [['server', '--log-level', 'dbug'], /Did you mean debug\?/],
  [['run', '--output', 'jsn', 'x'], /Did you mean json\?/],
])('parley %j names what was meant', async (args, words) => {
  const { code, out, err } = await home.run(...args).done;
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(words);
});

test.each<[readonly string[], string]>([
  [['run', '--max-cost', '-1', 'x'], 'Invalid cost "-1". Write US dollars, such as --max-cost 0.50'],
  [['run', '--timeout', '-5', 'x'], 'Invalid time "-5". Write --timeout 90s, 10m or 1h (up to 24 days).'],
  [['serve', '--port', '-1'], 'Invalid port "-1". Use a number from 0 to 65535.'],
  [['sessions', 'search', 'x', '--limit', '-3'], '--limit must be a number from 1 to 1000.'],
  [['run', '--max-cost'], 'Option --max-cost needs a value. See parley run --help.'],
  [['run', '--model', '--json', 'x'], 'Option --model needs a value. See parley run --help.'],
  [['doctor', '--json=yes'], 'Option --json takes no value. See parley doctor --help.'],
  [['setup', '--yes=1', 'zed'], 'Option --yes takes no value. See parley setup --help.'],
  [['models', 'all'], 'Unexpected argument "all". See parley models --help.'],
])('parley %j is refused in one sentence', async (args, text) => {
  const { code, err } = await home.run(...args).done;
  expect([code, err]).toEqual([2, `parley: ${text}\n`]);
});

test.each([['token'], ['--help'], ['config', 'schema'], ['completion', 'bash'], ['--version']])(
  'parley %s says in one line that its output cannot be written, and leaves a closed pipe in peace',
  async (...args) => {
    const bash = (script: string) =>
      spawnSync('bash', ['-c', script, 'bash', process.execPath, home.program, ...args], {
        env: home.env,
        encoding: 'utf8',
      });
    const full = bash('"$@" > /dev/full');
    expect([full.status, full.stderr]).toEqual([
      1,
      expect.stringMatching(/^parley: The output could not be written: ENOSPC.*\n$/),
    ]);
    // The reader has ended before anything is written.
    const closed = bash('{ sleep 0.5; "$@"; echo "code $?" >&2; } | true');
    expect(closed.stderr).toBe('code 0\n');
  },
);

test.each(['| head -1', '> /dev/full'])('parley demo %s leaves nothing behind', (to) => {
  const temporary = join(home.dir, 'temporary');
  mkdirSync(temporary, { recursive: true });
  const ran = spawnSync('bash', ['-c', `"$@" ${to}`, 'bash', process.execPath, home.program, 'demo'], {
    env: { ...home.env, TMPDIR: temporary },
    encoding: 'utf8',
  });
  expect(ran.stderr).toMatch(/^(?:parley: The output could not be written: ENOSPC.*\n)?$/);
  expect(readdirSync(temporary)).toEqual([]);
});

test('a provider of the settings has its key there', async () => {
  const path = (await home.run('config', 'path').done).out.split('\n')[0] ?? '';
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '{ "providers": { "lab": { "url": "http://127.0.0.1:9/v1" } }, "aprovals": {} }\n');
  expect((await home.run('login', 'lab').done).err).toBe(
    'parley: "lab" is a provider of your settings. Write its key there: providers.lab.key\n',
  );
  expect((await home.run('config', 'show').done).err).toContain(
    'there is no setting named aprovals. Did you mean approvals?',
  );
  rmSync(path);
});

test('bash completes commands, words and options', async () => {
  const { out } = await home.run('completion', 'bash').done;
  const complete = (...words: readonly string[]) =>
    execFileSync('bash', [
      '-c',
      `${out}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})\n` +
        `COMP_CWORD=${words.length - 1}\n_parley\nprintf '%s\\n' "\${COMPREPLY[@]}"`,
    ])
      .toString()
      .trim()
      .split('\n');
  expect(complete('parley', 'ses')).toEqual(['sessions']);
  expect(complete('parley', 'sessions', 'ex')).toEqual(['export']);
  expect(complete('parley', 'run', '--all')).toEqual(['--allow']);
  expect(complete('parley', 'setup', '')).toEqual(expect.arrayContaining(['emacs', 'zed', '--remove']));
  expect(complete('parley', 'store', 'co')).toEqual(['copy', 'compact']);
  expect(complete('parley', 'run', '--output', '')).toEqual(['text', 'json', 'stream-json']);
  expect(complete('parley', 'chat', '--mode', 'e')).toEqual(['edits']);
  expect(complete('parley', 'login', 'anth')).toEqual(['anthropic']);
  expect(complete('parley', 'help', 'doc')).toEqual(['doctor']);
});

test('zsh loads its completion', async () => {
  const { out } = await home.run('completion', 'zsh').done;
  const loaded = execFileSync('zsh', [
    '-f',
    '-c',
    `autoload -Uz compinit && compinit -D -u\n${out}\nprint -r -- $_comps[parley]`,
  ]);
  expect(loaded.toString()).toBe('_parley\n');
  expect(out).toContain("'run --output') compadd -- text json stream-json; return ;;");
  expect(out).toContain('setup) compadd -- emacs nvim vscode zed jetbrains --print');
});

test('fish gets a line for every command, word and option', async () => {
  const { out } = await home.run('completion', 'fish').done;
  for (const [name, { summary }] of named)
    expect(out).toContain(`-n __fish_use_subcommand -f -a ${name} -d '${summary.replaceAll("'", "'\\''")}'`);
  expect(out).toContain("-n '__fish_seen_subcommand_from sessions' -f -a export\n");
  expect(out).toContain("-n '__fish_seen_subcommand_from run' -l allow\n");
  expect(out).toContain("-n '__fish_seen_subcommand_from setup' -f -a emacs\n");
  expect(out).toContain("-n '__fish_seen_subcommand_from run' -l output -x -a 'text json stream-json'\n");
});

test('the table names the words and values that the commands take', () => {
  const { setup, devices, run, chat, server } = cliCommands;
  expect(setup?.words).toEqual(Object.keys(editors));
  expect(devices?.values).toEqual({ '--role': [...roles], '--most': [...autonomyLevels] });
  expect(run?.values).toEqual({ '--mode': [...autonomyLevels], '--output': Object.keys(outputs) });
  expect(chat?.values).toEqual({ '--mode': [...autonomyLevels] });
  expect(server?.values).toEqual({ '--log-level': ['error', 'warn', 'info', 'debug'] });
});

test('nothing of this has started a host', () => {
  expect(existsSync(join(home.dir, 'home', 'host.json'))).toBe(false);
});

/** Long lines are wrapped, so texts are compared without line breaks. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

function tooLong(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.length > 80);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
