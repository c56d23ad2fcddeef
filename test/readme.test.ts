// What the README and the pages of docs/ say, held against the program: settings of editors, commands, exit
// codes, places, links.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nativeCommands } from '../src/agents/native/commands.ts';
import { sessionCommands } from '../src/host/turns/sessionCommands.ts';
import { cliCommands } from '../src/cli/commands.ts';
import { editors } from '../src/cli/setup/editors.ts';
import { overview } from '../src/cli/help.ts';
import { parseSettings } from '../src/io/settings/load.ts';
import { dataPaths, directories } from '../src/io/settings/dataPaths.ts';

const root = join(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

/** The block of code after a heading in bold. */
function block(heading: string): string {
  const [, after = ''] = readme.split(`**${heading}**`);
  return /```\w+\n([^]*?)```/.exec(after)?.[1]?.trim() ?? '';
}

describe('what is written by hand is what `parley setup` writes', () => {
  const written = (editor: string, program = 'parley') =>
    editors[editor]?.change('', { program, file: 'settings.json' }) ?? '';
  test.each(['Zed', 'VS Code'])('%s', (name) => {
    expect(JSON.parse(block(name))).toEqual(JSON.parse(written(name === 'Zed' ? 'zed' : 'vscode')));
  });
  test('JetBrains', () => {
    expect(JSON.parse(block('JetBrains'))).toEqual(
      JSON.parse(written('jetbrains', '/absolute/path/to/parley')),
    );
  });
  test('Emacs and Neovim', () => {
    expect(written('emacs')).toContain(block('Emacs'));
    expect(written('nvim')).toContain(block('Neovim').replace('require("eca")', 'eca'));
  });
});

test('VS Code users with a host on another machine are told the two ways that work', () => {
  const [, after = ''] = readme.split('**VS Code, Agents window**');
  const [part = ''] = after.split('**Zed**');
  expect(part).toContain('VS Code cannot accept a self-signed certificate');
  for (const way of ['ssh -L', '--cert', '--key', 'wss://']) expect(part).toContain(way);
  for (const flag of ['--cert', '--key']) expect(cliCommands['serve']?.usage).toContain(flag);
});

test.each(pages)('every command that %s names is there', (page) => {
  const text = readFileSync(join(root, page), 'utf8');
  const named = [...text.matchAll(/`parley ([a-z]+(?:-[a-z]+)*)(?: ([a-z]+)\b)?[^`]*`/g)].map(
    ([, command = '', word]) => ({ command, word }),
  );
  const unknown = named.filter(({ command, word }) => {
    const words = /\[((?:\w+, )+\w+)\]/.exec(cliCommands[command]?.usage ?? '')?.[1]?.split(', ');
    return !cliCommands[command] || (word !== undefined && words !== undefined && !words.includes(word));
  });
  expect(unknown).toEqual([]);
});

test('the page of slash commands has every one', () => {
  const page = readFileSync(join(root, 'docs', 'commands.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `\/([\w-]+)/gm)].map(([, name]) => name);
  expect(new Set(listed)).toEqual(new Set([...nativeCommands, ...sessionCommands].map(({ name }) => name)));
});

describe('the recipes are settings', () => {
  const page = readFileSync(join(root, 'docs', 'recipes.md'), 'utf8');
  const recipes = [...page.matchAll(/^## (.+)\n([^]*?)(?=^## |$(?![^]))/gm)].flatMap(
    ([, title = '', text = '']) =>
      [...text.matchAll(/```jsonc\n([^]*?)```/g)].map(([, settings = '']) => ({ title, settings })),
  );
  test.each(recipes)('$title', ({ settings }) => {
    const { values, problems } = parseSettings(settings, 'config.jsonc');
    expect(problems).toEqual([]);
    expect(Object.keys(values)).not.toEqual([]);
  });
  test('there are some', () => expect(recipes.length).toBeGreaterThan(5));
});

test('the exit codes are those of the help', () => {
  const table = [...readme.matchAll(/^\| (\d) \| /gm)].map(([, code]) => code);
  const help = [...(overview().split('Exit codes: ')[1] ?? '').matchAll(/\b(\d) /g)].map(([, code]) => code);
  expect(table).toEqual(help);
});

test.each(pages)('what %s refers to exists', (page) => {
  const text = readFileSync(join(root, page), 'utf8');
  const places = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, place = '']) => place)
    .filter((place) => !/^https?:|^#/.test(place));
  expect(places.filter((place) => !existsSync(join(root, dirname(page), place.replace(/#.*/, ''))))).toEqual(
    [],
  );
});

test('data and settings are where it says, and every file of the data is named', () => {
  const home = '/home/me';
  const at = (platform: NodeJS.Platform, env = {}) => directories(env, { platform, home });
  expect(readme).toContain(
    `| data | \`${at('linux').data.replace(home, '~')}\` | \`${at('darwin').data.replace(home, '~')}\` ` +
      `| \`${at('win32', { LOCALAPPDATA: '%LOCALAPPDATA%' }).data}\` |`,
  );
  expect(readme).toContain(`| settings | \`${at('linux').config.replace(home, '~')}/config.jsonc\``);
  const { directory, ...files } = dataPaths({ PARLEY_HOME: '/data' });
  expect(
    Object.values(files)
      .map((file) => basename(file))
      .filter((name) => !readme.includes(`\`${name}`)),
  ).toEqual([]);
  expect(directory).toBe('/data');
});

test('the picture is a picture', () => {
  const bytes = readFileSync(join(root, 'docs', 'console.png'));
  expect([bytes.subarray(1, 4).toString(), bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([
    'PNG',
    1180,
    720,
  ]);
});
