import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { settingsDocument } from './document.ts';
import { expand } from './expand.ts';
import { folderLayers, loadFolder } from './folder.ts';
import type { SettingsFolder } from './folder.ts';
import { loadFile, parseSettings } from './load.ts';
import { openSettings, settingsFiles } from './open.ts';
import type { OpenSettings } from './open.ts';
import { jsonSchema } from '../../host/settings/schema/sections.ts';
import { withoutDecided } from '../../host/settings/withoutDecided.ts';
import { trustStore, withoutSettings } from './trust.ts';
import { allowedAutonomy, autonomyRefusal } from '../../host/settings/autonomy.ts';
import type { TrustDecision, UndecidedFolder } from '../../host/settings/settings.ts';

let dir: string;
let root: string;
let env: { PARLEY_HOME: string; [name: string]: string };
let opened: OpenSettings[];

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'parley-settings-')));
  root = join(dir, 'w');
  env = { PARLEY_HOME: join(dir, 'home') };
  mkdirSync(root);
  mkdirSync(env.PARLEY_HOME);
  opened = [];
});
afterEach(() => {
  opened.forEach((settings) => settings.close());
  rmSync(dir, { recursive: true, force: true });
});

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
const user = (text: string) => put(settingsFiles(env).user, text);
const folder = (text: string) => put(join(root, '.parley', 'config.jsonc'), text);
function open(more: Partial<Parameters<typeof openSettings>[0]> = {}): OpenSettings {
  const settings = openSettings({ env, ...more });
  opened.push(settings);
  return settings;
}
const changed = (settings: OpenSettings) =>
  new Promise<void>((resolve) => {
    const leave = settings.watch(() => {
      leave();
      resolve();
    });
  });
function trustNow(): void {
  const { hash = '' } = loadFile(join(root, '.parley', 'config.jsonc'));
  trustStore(settingsFiles(env).trust).trust(root, hash);
}

describe('the cascade', () => {
  test('without any file the built-in settings hold', () => {
    const values = open().of([root]);
    expect(values).toMatchObject({
      approvals: [],
      providers: {},
      agents: {},
      disabledTools: [],
      limits: { steps: 100 },
      server: { host: '127.0.0.1' },
    });
  });

  test('each layer wins over the one before, maps add up, lists add up, and every value knows its source', () => {
    user(
      '{ // mine\n "defaultModel": "a/b", "limits": { "steps": 5 }, "server": { "port": 1 }, "agents": { "x": { "command": "x" } }, "disabledTools": ["one"], }',
    );
    folder('{ "limits": { "tokens": 7 }, "agents": { "y": { "command": "y" } }, "disabledTools": ["two"] }');
    trustNow();
    const settings = open({ env: { ...env, PARLEY_MODEL: 'c/d' }, flags: { server: { port: 3 } } });
    const values = settings.of([root]);
    expect(values).toMatchObject({
      defaultModel: 'c/d',
      limits: { steps: 5, tokens: 7, compactAt: 75 },
      server: { host: '127.0.0.1', port: 3 },
      agents: { x: { command: 'x' }, y: { command: 'y' } },
      disabledTools: ['one', 'two'],
    });
    const source = (key: string) => settings.sourced([root]).find((value) => value.key === key)?.source;
    expect([
      source('defaultModel'),
      source('limits.steps'),
      source('limits.tokens'),
      source('limits.compactAt'),
      source('server.port'),
      source('disabledTools[1]'),
    ]).toEqual([
      'environment',
      settingsFiles(env).user,
      join(root, '.parley', 'config.jsonc'),
      'built-in',
      'flags',
      join(root, '.parley', 'config.jsonc'),
    ]);
  });

  test('rules of approval are read in both forms and say where they stand', () => {
    user(
      '{ "approvals": { "allow": ["$ git log *", { "tool": "write_file", "paths": ["src/**"], "args": { "path": ".*" } }], "deny": [{ "command": "rm" }] } }',
    );
    const { user: source } = settingsFiles(env);
    expect(open().of([root]).approvals).toEqual([
      { id: `${source}#allow[0]`, effect: 'allow', source, tool: '*', command: ['git', 'log', '*'] },
      {
        id: `${source}#allow[1]`,
        effect: 'allow',
        source,
        tool: 'write_file',
        paths: ['src/**'],
        args: { path: '.*' },
      },
      { id: `${source}#deny[0]`, effect: 'deny', source, tool: '*', command: ['rm'] },
    ]);
  });
});

describe('a folder that is not trusted', () => {
  const everything = `{ "defaultModel": "evil/x", "providers": { "openai": { "url": "http://evil" } }, "agents": { "e": { "command": "evil" } }, "mcpServers": { "m": { "command": "evil" } },
    "hooks": { "h": { "on": "sessionStart", "command": "evil" } }, "customTools": { "t": { "description": "", "command": "evil", "schema": { "properties": {} } } }, "rules": [{ "path": "evil" }],
    "commands": [{ "path": "evil" }], "limits": { "steps": 1 }, "server": { "host": "0.0.0.0" }, "approvals": { "allow": ["$ evil *"], "deny": ["$ rm *"] }, "disabledTools": ["x"] }`;

  test('has no effect but to forbid', () => {
    folder(everything);
    const settings = open();
    const values = settings.of([root]);
    const { approvals, disabledTools, ...others } = values;
    expect(JSON.stringify(others)).not.toMatch(/evil|0\.0\.0\.0/);
    expect(approvals.map(({ effect, command }) => [effect, command])).toEqual([['deny', ['rm', '*']]]);
    expect(disabledTools).toEqual(['x']);
    expect(settings.problems().map(({ kind }) => kind)).toEqual(['invalid', 'invalid', 'untrusted']);
  });

  test('is trusted with this content only, and never about the host itself', async () => {
    folder(everything);
    const settings = open();
    settings.of([root]);
    const heard = changed(settings);
    trustNow();
    await heard;
    expect(settings.of([root])).toMatchObject({
      defaultModel: 'evil/x',
      server: { host: '127.0.0.1' },
      agents: { e: { command: 'evil' } },
    });
    const again = changed(settings);
    folder(everything.replace('evil/x', 'evil/y'));
    await again;
    expect(settings.of([root]).defaultModel).toBeUndefined();
  });

  test('is meant by its real path', () => {
    folder('{ "defaultModel": "a/b" }');
    trustNow();
    symlinkSync(root, join(dir, 'link'));
    expect(open().of([join(dir, 'link')]).defaultModel).toBe('a/b');
    mkdirSync(join(dir, 'other', '.parley'), { recursive: true });
    writeFileSync(join(dir, 'other', '.parley', 'config.jsonc'), '{ "defaultModel": "a/b" }');
    expect(open().of([join(dir, 'other')]).defaultModel).toBeUndefined();
  });

  test('trust is kept where only the user reads it, and taken back', () => {
    const store = trustStore(settingsFiles(env).trust);
    store.trust('/a', '1');
    expect(statSync(settingsFiles(env).trust).mode & 0o777).toBe(0o600);
    expect([
      store.isTrusted('/a', '1'),
      store.isTrusted('/a', '2'),
      store.isTrusted('/toString', '1'),
      store.untrust('/a'),
      store.untrust('/a'),
      store.isTrusted('/a', '1'),
    ]).toEqual([true, false, false, true, false, false]);
  });

  test('a decision that another process changes or removes counts with the next question', () => {
    const { trust: file } = settingsFiles(env);
    const [here, elsewhere] = [trustStore(file), trustStore(file)];
    const now = () => [here.said('/a'), here.isTrusted('/a', '1'), here.list().length];
    expect(now()).toEqual([undefined, false, 0]);
    elsewhere.trust('/a', '1');
    expect(now()).toEqual(['trusted', true, 1]);
    elsewhere.untrust('/a');
    expect(now()).toEqual(['refused', false, 1]);
    writeFileSync(file, '{ "/a": "1" }');
    expect(now()).toEqual(['trusted', true, 1]);
    rmSync(file);
    expect(now()).toEqual([undefined, false, 0]);
  });

  test('an unchanged ECA file is translated once, a changed one again', () => {
    const eca = (model: string) => put(join(root, '.eca', 'config.json'), `{ "defaultModel": "${model}" }`);
    eca('a/one');
    const store = trustStore(settingsFiles(env).trust);
    const layer = (loaded: SettingsFolder) => folderLayers(loaded, { trust: store, env }).eca.values;
    const first = loadFolder(root);
    store.trust(root, first.hash ?? '');
    expect([layer(first).defaultModel, layer(first).defaultModel]).toEqual(['a/one', 'a/one']);
    eca('a/two');
    const next = loadFolder(root, first);
    // What is not trusted any more counts no more, and what is trusted anew counts with its new content.
    expect(layer(next).defaultModel).toBeUndefined();
    store.trust(root, next.hash ?? '');
    expect(layer(next).defaultModel).toBe('a/two');
  });
});

describe('the decision about a folder', () => {
  const hooked = '{ "hooks": { "h": { "on": "preRequest", "command": "./hook.sh" } } }';
  const undecided = (settings: OpenSettings) => settings.trust?.undecided([root]) ?? [];
  function decide(settings: OpenSettings, decision: TrustDecision): void {
    for (const each of undecided(settings)) settings.trust?.decide(each, decision, 's');
  }

  test('is open only while trust would enable something', () => {
    folder('{ "approvals": { "deny": ["$ rm *"] }, "disabledTools": ["x"] }');
    expect(undecided(open())).toEqual([]);
    put(join(root, 'AGENTS.md'), 'Be nice.');
    expect(undecided(open()).map(({ lines }) => lines.at(-1))).toEqual(['texts for agents: AGENTS.md']);
    folder(hooked);
    put(join(root, 'hook.sh'), 'echo one');
    expect(undecided(open())).toMatchObject([
      {
        changed: false,
        lines: [
          'hooks.h.on = "preRequest"',
          'hooks.h.command = "./hook.sh"',
          `scripts: ${join(root, 'hook.sh')}`,
          'texts for agents: AGENTS.md',
        ],
      },
    ]);
  });

  test('is open, but not asked about, for a folder that only sets variables', () => {
    put(join(root, '.envrc'), '');
    const settings = open();
    expect(undecided(settings)).toMatchObject([
      { isAsked: false, lines: ['variables for external agents: .envrc'] },
    ]);
    decide(settings, 'trust');
    expect([undecided(settings), settings.trusts(root)]).toEqual([[], true]);
    folder(hooked);
    put(join(root, 'hook.sh'), 'echo one');
    expect(undecided(open())).toMatchObject([{ isAsked: true, changed: true }]);
    expect(undecided(open())[0]?.lines.at(-1)).toBe('variables for external agents: .envrc');
  });

  check('trust', 'in effect', 'trusted', 'in effect');
  check('once', 'in effect', undefined, 'no effect');
  check('never', 'no effect', 'refused', 'no effect');

  // oxlint-disable-next-line max-params -- one line a case
  function check(decision: TrustDecision, now: string, kept: string | undefined, later: string): void {
    const effect = (settings: OpenSettings) =>
      settings.of([root]).hooks['h'] && settings.trusts(root) ? 'in effect' : 'no effect';
    test(`may be: ${decision}`, () => {
      folder(hooked);
      put(join(root, 'AGENTS.md'), 'Be nice.');
      const settings = open();
      decide(settings, decision);
      expect([effect(settings), undecided(settings)]).toEqual([now, []]);
      const store = trustStore(settingsFiles(env).trust);
      expect(store.list()).toEqual(kept === undefined ? [] : [{ folder: root, decision: kept }]);
      settings.trust?.endSession('another');
      expect(effect(settings)).toBe(now);
      settings.trust?.endSession('s');
      expect(effect(settings)).toBe(later);
      expect(effect(open())).toBe(later);
    });
  }

  test('is not asked for again after a refusal to decide, until the content changes', () => {
    folder(hooked);
    const settings = open();
    const told = (now: OpenSettings) => withoutDecided(now.problems(), [root], now.trust).length;
    expect([undecided(settings), told(settings)]).toMatchObject([[{ declined: false }], 1]);
    decide(settings, 'not now');
    const later = open();
    expect(later.of([root]).hooks).toEqual({});
    expect([undecided(later), told(later), later.trusts(root)]).toMatchObject([
      [{ declined: true }],
      0,
      false,
    ]);
    const store = trustStore(settingsFiles(env).trust);
    expect([store.said(root), store.list()]).toEqual([undefined, [{ folder: root, decision: 'declined' }]]);
    folder(hooked.replace('./hook.sh', './other.sh'));
    expect(undecided(open())).toMatchObject([{ declined: false }]);
    decide(open(), 'trust');
    expect(store.list()).toEqual([{ folder: root, decision: 'trusted' }]);
  });

  test('never ends the notice', () => {
    folder(hooked);
    const settings = open();
    decide(settings, 'never');
    expect(withoutDecided(settings.problems(), [root], settings.trust)).toEqual([]);
  });

  test.each([
    ['nothing', () => {}, false],
    ['restrictions', () => folder('{ "approvals": { "deny": ["$ rm *"] } }'), false],
    ['settings', () => folder(hooked), true],
    ['texts', () => put(join(root, 'AGENTS.md'), 'Be nice.'), true],
    ['a broken file', () => folder('{ "hooks": { "h": '), true],
    ['a file that is no settings', () => folder('[]'), true],
    ['a broken file of ECA', () => put(join(root, '.eca', 'config.json'), '{ "hooks": '), true],
    ['a link in place of a file', () => linked(dir), true],
    ['nothing, and was refused', () => open().trust?.decide(asUndecided(), 'never', 's'), true],
  ])('does not allow the mode full where a folder has %s, as far as it needs trust', (_, make, isRefused) => {
    make();
    const settings = open();
    const refused = (given: OpenSettings, path: string) => [
      autonomyRefusal('full', [path], { settings: given, sandbox: undefined }) !== undefined,
      allowedAutonomy('full', [path], given) !== 'full',
    ];
    expect(refused(settings, root)).toEqual([isRefused, isRefused]);
    symlinkSync(root, join(dir, 'link'));
    expect(refused(open(), join(dir, 'link'))).toEqual([isRefused, isRefused]);
    settings.trust?.decide(asUndecided(loadFolder(root).hash), 'trust', 's');
    expect(refused(settings, root)).toEqual([false, false]);
  });

  function linked(target: string): void {
    put(join(target, 'elsewhere.jsonc'), '{}');
    mkdirSync(join(root, '.parley'));
    symlinkSync(join(target, 'elsewhere.jsonc'), join(root, '.parley', 'config.jsonc'));
  }

  function asUndecided(hash = withoutSettings): UndecidedFolder {
    return { folder: root, digest: hash, changed: false, declined: false, isAsked: true, lines: [] };
  }

  checkAgain('a script that changed', () => put(join(root, 'hook.sh'), 'echo two'));
  checkAgain('a script that is new', () => put(join(root, 'new.sh'), 'echo two'));

  function checkAgain(name: string, change: () => void): void {
    test(`is open again after ${name}, at once`, () => {
      folder(hooked.replace('./hook.sh', './hook.sh new.sh'));
      put(join(root, 'hook.sh'), 'echo one');
      const settings = open();
      decide(settings, 'trust');
      expect(settings.of([root]).hooks).toHaveProperty('h');
      change();
      expect(settings.of([root]).hooks).toEqual({});
      expect(undecided(settings)).toMatchObject([{ changed: true }]);
      decide(settings, 'trust');
      expect(settings.of([root]).hooks).toHaveProperty('h');
    });
  }
});

describe('the configuration of ECA', () => {
  const eca = (text: string) => put(join(root, '.eca', 'config.json'), text);
  const mock =
    '{"providers": {"mock": {"api": "openai-chat", "url": "http://x"}}, "mcpServers": {"mock": {"command": "x"}}, "disabledTools": ["git"], "toolCall": {"approval": {"allow": {"shell_command": {}}, "deny": {"eca__write_file": {}}}}}';

  test('of a folder only forbids until the folder is trusted, with both of its files', () => {
    eca(mock);
    const before = open();
    expect(before.of([root])).toMatchObject({
      mcpServers: {},
      disabledTools: ['git'],
      approvals: [{ effect: 'deny', tool: 'write_file' }],
    });
    const told = { folder: root, file: join(root, '.eca', 'config.json') };
    expect(before.problems()).toMatchObject([
      {
        ...told,
        kind: 'invalid',
        message: expect.stringContaining('providers can only be set in your own settings') as string,
      },
      {
        ...told,
        kind: 'untrusted',
        message: expect.stringContaining('no effect on mcpServers, toolCall.') as string,
      },
    ]);
    trustStore(settingsFiles(env).trust).trust(root, loadFolder(root).hash ?? '');
    expect(open().of([root])).toMatchObject({
      providers: {},
      mcpServers: { mock: { command: 'x' } },
      approvals: [{ effect: 'allow', tool: 'shell_command' }, { effect: 'deny' }],
    });
    folder('{ "defaultModel": "a/b" }');
    expect(open().of([root])).toMatchObject({ mcpServers: {} });
    trustStore(settingsFiles(env).trust).trust(root, loadFolder(root).hash ?? '');
    expect(open().of([root])).toMatchObject({ mcpServers: { mock: {} }, defaultModel: 'a/b' });
  });

  test('of a folder runs no command, reads no file and names no variable before it is trusted', () => {
    eca(`{"disabledTools": ["\${cmd:touch ${join(dir, 'ran')}}", "\${env:NAME}"]}`);
    env['NAME'] = 'grep';
    expect(open().of([root]).disabledTools).toEqual([`\${cmd:touch ${join(dir, 'ran')}}`, '${env:NAME}']);
    expect(existsSync(join(dir, 'ran'))).toBe(false);
    trustStore(settingsFiles(env).trust).trust(root, loadFolder(root).hash ?? '');
    expect(open().of([root]).disabledTools).toEqual(['', 'grep']);
  });

  test('of a folder is trusted together with the scripts that it names', () => {
    const script = join(root, 'hook.sh');
    writeFileSync(script, 'echo one');
    folder(
      '{ "hooks": { "h": { "on": "preRequest", "command": "bash ./hook.sh --fast" } }, "mcpServers": { "m": { "command": "node", "args": ["server.js"] } } }',
    );
    trustStore(settingsFiles(env).trust).trust(root, loadFolder(root).hash ?? '');
    const settings = open();
    expect(settings.of([root])).toMatchObject({ hooks: { h: {} }, mcpServers: { m: {} } });
    writeFileSync(script, 'echo two');
    expect(settings.of([root])).toMatchObject({ hooks: {}, mcpServers: {} });
    expect(settings.problems().map(({ message }) => message)).toEqual([
      expect.stringContaining(
        `itself or a script that it names (${script}) has changed since you trusted it, so it has no ` +
          'effect on hooks, mcpServers',
      ),
    ]);
    trustStore(settingsFiles(env).trust).trust(root, loadFolder(root).hash ?? '');
    expect(open().of([root])).toMatchObject({ hooks: { h: {} } });
    writeFileSync(join(root, 'server.js'), 'new');
    expect(open().of([root]).hooks).toEqual({});
  });

  test.each([
    'cd tools && sh run.sh',
    'sh "$PWD/tools/run.sh"',
    'sh ${ROOT}/tools/run.sh',
    'sh -c "tools/./run.sh"',
  ])('of a folder is trusted together with the script that it names by %s', (command) => {
    mkdirSync(join(root, 'tools'));
    writeFileSync(join(root, 'tools/run.sh'), 'echo one');
    folder(JSON.stringify({ hooks: { h: { on: 'preRequest', command } } }));
    trustStore(settingsFiles(env).trust).trust(root, loadFolder(root).hash ?? '');
    const settings = open();
    expect(settings.of([root])).toMatchObject({ hooks: { h: {} } });
    writeFileSync(join(root, 'tools/run.sh'), 'echo two');
    expect(settings.of([root]).hooks).toEqual({});
  });

  test('of a folder with more rules than anybody writes makes every call ask until it is trusted', () => {
    folder(JSON.stringify({ approvals: { deny: Array.from({ length: 201 }, (_, at) => `tool_${at}`) } }));
    const settings = open();
    expect(settings.of([root]).approvals).toMatchObject([{ effect: 'ask', tool: '*' }]);
    expect(settings.problems().map(({ message }) => message)).toEqual([
      expect.stringContaining('you are asked about every call'),
    ]);
    trustStore(settingsFiles(env).trust).trust(root, loadFolder(root).hash ?? '');
    expect(open().of([root]).approvals).toHaveLength(201);
  });

  test('says which expressions are never tried, and what that means', () => {
    user(
      '{ "approvals": { "allow": [{ "tool": "git", "args": { "command": "(a)\\\\1" } }] },' +
        '"providers": { "a": { "retryRules": [{ "pattern": "ok" }, { "pattern": "(b)\\\\1" }] } },' +
        '"variants": { "(c)\\\\1": { "ways": {} } } }',
    );
    folder(
      '{ "approvals": { "deny": [{ "args": { "path": "a+" } }, { "args": { "path": "(?<x>a)\\\\k<x>" } }] } }',
    );
    const settings = open();
    expect(settings.of([root]).approvals).toHaveLength(3);
    expect(settings.problems().map(({ message }) => message.replace(/^.*: /, ''))).toEqual([
      'approvals.allow[0].args.command is too long or has back-references and is not evaluated, so the ' +
        'rule allows nothing.',
      'providers.a.retryRules[1].pattern is too long or has back-references and is not evaluated, so it matches nothing.',
      'variants.(c)\\1 is too long or has back-references and is not evaluated, so it matches nothing.',
      'approvals.deny[1].args.path is too long or has back-references and is not evaluated, so every ' +
        'such call is refused.',
    ]);
  });

  test('that a client lends lies below our own files, and can stand alone', async () => {
    user('{ "defaultModel": "a/b" }');
    eca(mock);
    const settings = open();
    const lent = {
      source: 'eca',
      values: { defaultModel: 'x/y', limits: { compactAt: 50 } },
      problems: [{ file: 'eca', kind: 'broken', message: 'eca is broken' }],
    } as const;
    const told = changed(settings);
    settings.lend('one', lent);
    await told;
    expect(settings.of([root])).toMatchObject({
      defaultModel: 'a/b',
      limits: { compactAt: 50, steps: 100 },
      disabledTools: ['git'],
    });
    expect(settings.problems().map(({ message }) => message)[0]).toBe('eca is broken');
    settings.lend('one', { ...lent, alone: 'among ECA files' });
    expect(settings.of([root])).toMatchObject({ defaultModel: 'a/b', disabledTools: [] });
    settings.lend('one', { ...lent, alone: 'everywhere' });
    expect(settings.of([root])).toMatchObject({ defaultModel: 'x/y', disabledTools: [] });
    settings.lend('one', undefined);
    expect(settings.of([root])).toMatchObject({ defaultModel: 'a/b', limits: { compactAt: 75 } });
  });

  test('of a folder that is broken keeps what it last said, and says so', async () => {
    eca(mock);
    const settings = open();
    expect(settings.of([root]).disabledTools).toEqual(['git']);
    const broken = changed(settings);
    eca('{"disabledTools": [');
    await broken;
    expect(settings.of([root]).disabledTools).toEqual(['git']);
    expect(settings.problems()).toMatchObject([
      { kind: 'broken', line: 1 },
      { kind: 'invalid' },
      { kind: 'untrusted' },
    ]);
  });
});

describe('a file that is wrong', () => {
  test('keeps the last good settings, says so, and takes hold again once it is mended', async () => {
    user('{ "defaultModel": "a/b" }');
    const settings = open();
    expect(settings.of([]).defaultModel).toBe('a/b');
    const broken = changed(settings);
    user('{ "defaultModel": "c/d", \n oops');
    await broken;
    expect(settings.of([]).defaultModel).toBe('a/b');
    expect(settings.problems()).toMatchObject([{ kind: 'broken', line: 2 }]);
    const emptied = changed(settings);
    user('');
    await emptied;
    expect(settings.of([]).defaultModel).toBe('a/b');
    expect(settings.problems()).toMatchObject([
      { kind: 'broken', message: expect.stringContaining('empty') },
    ]);
    const mended = changed(settings);
    user('{ "defaultModel": "e/f" }');
    await mended;
    expect([settings.of([]).defaultModel, settings.problems()]).toEqual(['e/f', []]);
  });

  test.each([
    ['{ "limits": { "steps": "many" } }', 'limits.steps'],
    ['{ "nonsense": 1 }', 'nonsense'],
    ['[]', 'one object'],
    ['{ "providers": { "p": { "key": "sk-123" } } }', 'providers.p.key must be a reference'],
    ['{ "providers": { "p": { "headers": { "Authorization": "Bearer sk-123" } } } }', 'contains a secret'],
    ['{ "approvals": { "allow": ["rm -rf"] } }', 'approvals.allow.0'],
    ['{ "approvals": { "deny": [{ "args": { "a": "(" } }] } }', 'approvals.deny.0'],
    ['{ "agents": { "a": { "comand": "x" } } }', 'Did you mean command?'],
    ['{ "limits": { "stpes": 1 } }', 'Did you mean steps?'],
    ['{ "aprovals": {} }', 'there is no setting named aprovals. Did you mean approvals?'],
  ])('%s is told as a problem', (text, words) => {
    const { problems } = parseSettings(text, 'file');
    expect(problems.map(({ kind, message }) => `${kind} ${message}`).join()).toContain(words);
    expect(JSON.stringify(problems)).not.toContain('sk-123');
  });

  test('a mistake in one section leaves the others alone and keeps its last good value', () => {
    const before = parseSettings('{ "limits": { "steps": 3 }, "defaultModel": "a/b" }', 'file').values;
    expect(
      parseSettings('{ "limits": { "steps": -1 }, "defaultModel": "c/d" }', 'file', before).values,
    ).toEqual({
      limits: { steps: 3 },
      defaultModel: 'c/d',
    });
  });

  test('something that is no file is refused without waiting for it', () => {
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    expect(loadFile(join(dir, 'pipe')).problems).toMatchObject([{ kind: 'unreadable' }]);
    expect(loadFile(dir).problems).toMatchObject([{ kind: 'unreadable' }]);
    expect(loadFile(join(dir, 'missing'))).toMatchObject({ problems: [], values: {} });
  });
});

test('references are filled in from the environment alone', () => {
  expect([
    expand('Bearer ${env:A}', { A: 'x' }),
    expand('${env:B:y}', {}),
    expand('${env:B}', {}),
    expand('${file:/etc/passwd}', {}),
  ]).toEqual(['Bearer x', 'y', undefined, '${file:/etc/passwd}']);
});

test('the schema is one that editors can read', () => {
  expect(jsonSchema()).toMatchObject({
    type: 'object',
    additionalProperties: false,
    properties: { defaultModel: { type: 'string' }, approvals: { type: 'object' } },
  });
});

test('docs/settings.schema.json is the schema; make it with `parley config schema > docs/settings.schema.json`', () => {
  expect(JSON.parse(readFileSync('docs/settings.schema.json', 'utf8'))).toEqual(jsonSchema());
});

test('docs/settings.md is what the schema says; make it with `parley config schema --markdown > docs/settings.md`', () => {
  expect(readFileSync('docs/settings.md', 'utf8')).toBe(settingsDocument());
});

test('every setting has a description', () => {
  const empty = settingsDocument()
    .split('\n')
    .filter((line) => /^\| `.*\|\s*\|$/.test(line));
  expect(empty).toEqual([]);
});
