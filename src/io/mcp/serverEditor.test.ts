import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ServerEditor } from '../../host/tools/toolServers.ts';
import { openSecrets } from '../auth/secrets.ts';
import { folderFile, loadFolder } from '../settings/folder.ts';
import { trustStore } from '../settings/trust.ts';
import { openSettings, settingsFiles } from '../settings/open.ts';
import type { OpenSettings } from '../settings/open.ts';
import { serverEditor } from './serverEditor.ts';
import { serverPlans } from './serverPlans.ts';

let directory: string;
let root: string;
let env: { readonly PARLEY_HOME: string };
let settings: OpenSettings;
let editor: ServerEditor;

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'parley-edit-')));
  root = join(directory, 'w');
  mkdirSync(root);
  env = { PARLEY_HOME: join(directory, 'home') };
  const { user } = settingsFiles(env);
  mkdirSync(dirname(user), { recursive: true });
  writeFileSync(user, '{\n  // Mine.\n  "mcpServers": { "old": { "command": "x" } }\n}\n');
  settings = openSettings({ env });
  editor = serverEditor({ env, settings, secrets: openSecrets(join(directory, 'secrets.json')) });
});
afterEach(() => {
  settings.close();
  rmSync(directory, { recursive: true, force: true });
});

const text = () => readFileSync(settingsFiles(env).user, 'utf8');
const held = () => settings.of([root]).mcpServers;

test('a server is added, changed and removed, at once and with every comment left in place', () => {
  const place = { roots: [root] };
  expect(editor.add('web', { url: 'https://a.example/mcp', scope: 'read' }, place)).toBe(undefined);
  expect(held()['web']).toEqual({ url: 'https://a.example/mcp', scope: 'read' });
  expect(editor.update('old', { disabled: true }, place)).toBe(undefined);
  expect(held()['old']).toEqual({ command: 'x', disabled: true });
  expect(editor.update('web', { command: 'y', args: ['z'] }, place)).toBe(undefined);
  expect(held()['web']).toEqual({ command: 'y', args: ['z'] });
  expect(editor.remove('web', place)).toBe(undefined);
  expect([Object.keys(held()), text().includes('// Mine.')]).toEqual([['old'], true]);
});

test.each([
  ['the file', '{}'],
  ['a file that is missing', undefined],
])('%s of a folder is not written through a link that leads outside', (_, before) => {
  const outside = join(directory, 'outside.json');
  if (before !== undefined) writeFileSync(outside, before);
  mkdirSync(join(root, '.eca'));
  symlinkSync(outside, join(root, '.eca', 'config.json'));
  expect(editor.add('web', { url: 'https://a.example/mcp' }, { roots: [root], root })).toEqual({
    refused: expect.stringContaining('leads outside its folder'),
  });
  expect(existsSync(outside) ? readFileSync(outside, 'utf8') : undefined).toBe(before);
});

test('secrets are kept apart and found again', () => {
  const secrets = openSecrets(join(directory, 'secrets.json'));
  editor.add(
    'web',
    {
      url: 'https://a.example/mcp',
      headers: { Authorization: 'Bearer abc', 'x-plain': 'p' },
      clientSecret: 's3',
    },
    { roots: [root] },
  );
  expect(text()).not.toMatch(/abc|s3/);
  const plans = serverPlans({ roots: [root] }, settings, {
    env: {},
    stored: (name) => secrets.get(`secret:${name}`),
  });
  expect(plans.find(({ name }) => name === 'web')?.endpoint).toMatchObject({
    headers: { Authorization: 'Bearer abc', 'x-plain': 'p' },
    clientSecret: 's3',
  });
  editor.remove('web', { roots: [root] });
  expect(secrets.names()).toEqual([]);
});

test.each(['MY_KEY', 'API_TOKEN', 'DB_PASSWD', 'GITHUB_PAT', 'BASIC_AUTH', 'KEY'])(
  '%s is kept apart',
  (key) => {
    editor.add(
      'one',
      { command: 'node', env: { [key]: 'hidden value', KEYBOARD: 'us', PATH: '/bin' } },
      { roots: [root] },
    );
    expect(text()).not.toContain('hidden value');
    expect(text()).toContain('"KEYBOARD":"us"');
    expect(text()).toContain('"PATH":"/bin"');
  },
);

test('a server of a folder is in the file of ECA, and leaves nothing behind', () => {
  const place = { roots: [root], root };
  expect(editor.add('mine', { url: 'https://a.example/mcp', scope: 'read' }, place)).toBe(undefined);
  const file = join(root, '.eca', 'config.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    mcpServers: { mine: { url: 'https://a.example/mcp', authScope: 'read' } },
  });
  expect([readdirSync(root), readdirSync(join(root, '.eca'))]).toEqual([['.eca'], ['config.json']]);
  expect([statSync(join(root, '.eca')).mode & 0o077, statSync(file).mode & 0o044]).not.toEqual([0, 0]);
  expect(held()['mine']).toMatchObject({ url: 'https://a.example/mcp', scope: 'read' });
  expect(editor.remove('mine', { roots: [root] })).toBe(undefined);
  expect([readdirSync(root), held()['mine']]).toEqual([[], undefined]);
  mkdirSync(join(root, '.eca'));
  writeFileSync(file, '{ "mcpServers": {}, "chat": {} }');
  trustStore(settingsFiles(env).trust).trust(root, loadFolder(root).hash ?? '');
  settings.reload();
  expect(editor.add('mine', { command: 'x' }, place)).toBe(undefined);
  expect(editor.remove('mine', { roots: [root] })).toBe(undefined);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ mcpServers: {}, chat: {} });
});

test('a folder keeps its own file trusted, unless it was not', () => {
  const place = { roots: [root], root };
  expect(editor.add('mine', { command: 'x' }, place)).toBe(undefined);
  expect(editor.update('mine', { args: ['1'] }, { roots: [root] })).toBe(undefined);
  expect(held()['mine']).toEqual({ command: 'x', args: ['1'] });
  mkdirSync(dirname(folderFile(root)));
  writeFileSync(folderFile(root), '{ "mcpServers": { "evil": { "command": "rm" } } }');
  settings.reload();
  expect(editor.add('more', { command: 'x' }, place)).toMatchObject({
    refused: expect.stringContaining('is not trusted'),
  });
  expect(Object.keys(held())).toEqual(['old']);
});

test.each([
  ['old', { command: 'y' }, "MCP server 'old' already exists"],
  ['new', {}, "MCP server 'new' needs either a command or a url"],
  ['new', { command: 'y', url: 'https://a.example' }, "MCP server 'new' needs either a command or a url"],
  ['', { command: 'y' }, 'A server needs a name.'],
  ['__proto__', { command: 'y' }, 'Nothing can be named __proto__.'],
])('adding "%s" as %j is refused and changes nothing', (name, wish, refused) => {
  const before = text();
  expect([editor.add(name, wish, { roots: [root] }), text()]).toEqual([{ refused }, before]);
});

test('a server may have the name of something that every object has', () => {
  expect(editor.add('constructor', { command: 'x' }, { roots: [root] })).toBe(undefined);
  expect(Object.entries(held())).toContainEqual(['constructor', { command: 'x' }]);
});

test('what is not there cannot be changed, and a broken file is left alone', () => {
  const place = { roots: [root] };
  const missing = { refused: "MCP server 'none' does not exist" };
  expect([editor.update('none', {}, place), editor.remove('none', place)]).toEqual([missing, missing]);
  writeFileSync(settingsFiles(env).user, '{ "mcpServers": ');
  expect([editor.add('new', { command: 'x' }, place), text()]).toEqual([
    { refused: expect.stringContaining('is not valid JSON') },
    '{ "mcpServers": ',
  ]);
});
