// Holds every source file against the house rules, and the rules against examples that must break them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { doorFiles, importRules, sharedDoorFiles, violations } from './rules.ts';

describe('every source file keeps the house rules', () => {
  const files = ['src', 'web', 'client'].flatMap(sourceFiles);

  test('there are files to look at', () => {
    expect(files).toContain('src/cli/main.ts');
  });

  test.each(files)('%s', (path) => {
    expect(violations(path, readFileSync(path, 'utf8'))).toEqual([]);
  });
});

describe('a version of AHP can be deleted', () => {
  const registry = 'src/doors/ahp/versions.ts';
  const program = ['src', 'web', 'client'].flatMap(sourceFiles).filter((path) => !path.endsWith('.test.ts'));

  test.each(['integer1', 'v0_9'])('%s: nothing but its own folders and one line names it', (version) => {
    const others = program.filter((path) => !path.split('/').includes(version));
    expect(importsOf(others, version)).toEqual([`${registry}: ./${version}/version.ts`]);
  });

  test('v1_0, of which the others are translations, is imported by no neutral protocol file', () => {
    const neutral = program.filter((path) => /^src\/protocols\/ahp\/[^/]+$/.test(path));
    expect(importsOf(neutral, 'v1_0')).toEqual([]);
  });

  /** One line for each import of a path through a folder. */
  function importsOf(paths: readonly string[], folder: string): readonly string[] {
    return paths.flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*\(?'([^']*)'/g)]
        .map(([, specifier = '']) => specifier)
        .filter((specifier) => specifier.split('/').includes(folder))
        .map((specifier) => `${path}: ${specifier}`),
    );
  }
});

describe('the doors have the same shape', () => {
  const doors = ['eca', 'acp', 'ahp'].map((door) => ({ door, files: filesOf(`src/doors/${door}`) }));

  test.each(doors)('$door has the files that every door has', ({ files }) => {
    expect(files).toEqual(expect.arrayContaining(Object.keys(doorFiles)));
  });

  test('a file name that two doors have is in the table of names', () => {
    const names = [...new Set(doors.flatMap(({ files }) => files))];
    const shared = names.filter((name) => doors.filter(({ files }) => files.includes(name)).length > 1);
    expect(shared.toSorted()).toEqual(Object.keys({ ...doorFiles, ...sharedDoorFiles }).toSorted());
  });

  /** Paths in a door, without tests; a file of each AHP version counts as a file of the door. */
  function filesOf(folder: string): readonly string[] {
    const paths = sourceFiles(folder)
      .filter((path) => !path.endsWith('.test.ts'))
      .map((path) => path.slice(folder.length + 1));
    const own = paths.map((path) => path.replace(/^(?:integer1|v1_0)\//, ''));
    return [...new Set(own)];
  }
});

describe('a rule table row names a folder that can exist', () => {
  test.each(Object.entries(importRules))('%s', (folder, { ours }) => {
    const folders = Object.keys(importRules);
    // A row may name the folder above several rows, such as src/doors.
    const known = [...folders, ...folders.map((name) => name.replace(/\/[^/]+$/, ''))];
    const targets = ours.filter(
      (name) => !known.includes(name) && !known.includes(name.replace(/[^/]+$/, '*')),
    );
    expect({ folder, targets }).toEqual({ folder, targets: [] });
  });
});

describe('state of a module', () => {
  check('src/io/a.ts', 'let count = 0;', [
    'src/io/a.ts changes count, which belongs to the module; pass it as a value',
  ]);
  check('src/io/a.ts', 'const known = new Map();\nexport const f = () => known.set(1, 2);', [
    'src/io/a.ts changes known, which belongs to the module; pass it as a value',
  ]);
  check('web/a.ts', 'export const cache = new Set();\nfunction f() { cache.delete(1); }', [
    'web/a.ts changes cache, which belongs to the module; pass it as a value',
  ]);
  check('src/io/a.ts', 'const totals = { all: 0 };\nexport const f = () => { totals.all += 1; };', [
    'src/io/a.ts changes totals, which belongs to the module; pass it as a value',
  ]);
  check('src/io/a.ts', 'const names = new Set([1]);\nexport const f = () => names.has(1);', []);
  check('src/io/a.ts', 'export function f() { let count = 0; const all = []; all.push(count); }', []);
  check('src/app/a.ts', 'let count = 0;', [
    'src/app/a.ts changes count, which belongs to the module; pass it as a value',
  ]);
  check('src/rpc/processes/processGroup.ts', 'let count = 0;', []);
});

describe('imports', () => {
  check('src/model/a.ts', "import { b } from './b.ts';", []);
  check('web/a.ts', "import { visibleText } from '../src/base/visibleText.ts';", []);
  check('src/base/a.ts', "import 'node:fs';\nimport '../model/event.ts';", [
    'src/base/a.ts imports node:fs; besides its own folder, src/base may import diff',
    'src/base/a.ts imports ../model/event.ts; besides its own folder, src/base may import diff',
  ]);
  check('src/model/a.ts', "import type { Host } from '../host/host.ts';", [
    'src/model/a.ts imports ../host/host.ts; besides its own folder, src/model may import src/base',
  ]);
  check('src/model/a.ts', "type A = import('zod').ZodType;", [
    'src/model/a.ts imports zod; besides its own folder, src/model may import src/base',
  ]);
  check(
    'src/model/a.test.ts',
    "import { test } from 'vitest';\nimport 'node:fs';\nimport fc from 'fast-check';",
    [],
  );
  check('src/protocols/acp/v1/a.ts', "import * as z from 'zod';\nexport { b } from '../b.ts';", []);
  check('src/protocols/acp/a.ts', "export { b } from '../eca/b.ts';", [
    'src/protocols/acp/a.ts imports ../eca/b.ts; besides its own folder, src/protocols/acp ' +
      'may import src/base, zod',
  ]);
  check('src/protocols/acp/a.ts', "import type { A } from '@agentclientprotocol/sdk/unstable';", []);
  check('src/protocols/acp/a.ts', "import { a } from '@agentclientprotocol/sdk';", [
    'src/protocols/acp/a.ts imports @agentclientprotocol/sdk; src/protocols/acp may import its types only',
  ]);
  check('src/protocols/ahp/a.ts', "import type { A } from '@agentclientprotocol/sdk';", [
    'src/protocols/ahp/a.ts imports @agentclientprotocol/sdk; besides its own ' +
      'folder, src/protocols/ahp may import ' +
      'src/base, zod',
  ]);
  check('src/rpc/a.ts', "import 'node:stream';\nawait import('ws');", []);
  check('src/rpc/a.ts', "import 'nodemailer';", [
    'src/rpc/a.ts imports nodemailer; besides its own folder, src/rpc may import src/base, node:, ws',
  ]);
  check('src/host/a.ts', "import '../model/event.ts';", []);
  check('src/host/a.ts', "await import('node:fs');", [
    'src/host/a.ts imports node:fs; besides its own folder, src/host may import src/base, src/model',
  ]);
  check(
    'src/doors/eca/a.ts',
    "import '../../protocols/eca/b.ts';\nimport '../../rpc/peer.ts';\nimport 'zod/v4';",
    [],
  );
  check('src/doors/eca/a.ts', "import '../../protocols/acp/b.ts';", [
    'src/doors/eca/a.ts imports ../../protocols/acp/b.ts; besides its own folder, src/doors/eca may import ' +
      'src/base, src/host, src/model, src/rpc, src/protocols/eca, zod, diff',
  ]);
  check('src/doors/a.ts', "import '../model/event.ts';", [
    'src/doors/a.ts is in a folder that no import rule covers',
  ]);
  check('src/agents/acp/a.ts', "import '../../rpc/peer.ts';\nimport '../../protocols/acp/b.ts';", []);
  check(
    'src/agents/native/models/a.ts',
    "import type { Tool } from 'openai/resources/responses/responses';\nimport 'ai';",
    [
      'src/agents/native/models/a.ts imports ai; besides its own folder, src/agents/native may import ' +
        'src/base, src/host, src/model, @pydantic/genai-prices',
    ],
  );
  check(
    'src/agents/native/models/a.ts',
    "import OpenAI from 'openai';\nawait import('@anthropic-ai/sdk');\nexport { x } from 'openai';",
    [
      'src/agents/native/models/a.ts imports openai; src/agents/native may import its types only',
      'src/agents/native/models/a.ts imports @anthropic-ai/sdk; src/agents/native may import its types only',
      'src/agents/native/models/a.ts imports openai; src/agents/native may import its types only',
    ],
  );
  check('src/agents/native/tools/a.ts', "import '../loop.ts';\nimport '../../../rpc/peer.ts';", [
    'src/agents/native/tools/a.ts imports ../../../rpc/peer.ts; besides its own ' +
      'folder, src/agents/native may import ' +
      'src/base, src/host, src/model, @pydantic/genai-prices',
  ]);
  check('src/io/a.ts', "import 'jsonc-parser';\nimport '../agents/acp/agent.ts';", [
    'src/io/a.ts imports ../agents/acp/agent.ts; besides its own folder, src/io may import ' +
      'src/base, src/host, src/model, src/rpc, any package',
  ]);
  check('src/io/store/sqlite/a.test.ts', "import '../../../../test/contracts/logStore.ts';", []);
  check('src/cli/a.ts', "import '../doors/eca/door.ts';\nimport '../io/files.ts';", [
    'src/cli/a.ts imports ../doors/eca/door.ts; besides its own folder, src/cli may ' +
      'import src/base, src/model, ' +
      'src/protocols, src/rpc, src/host, src/agents, src/io, src/app, client, any package',
  ]);
  check(
    'src/app/a.ts',
    "import '../doors/eca/door.ts';\nimport '../agents/acp/agent.ts';\nimport 'zod';",
    [],
  );
  check('src/app/a.ts', "import '../cli/say.ts';", [
    'src/app/a.ts imports ../cli/say.ts; besides its own folder, src/app may import src/base, src/model, ' +
      'src/protocols, src/rpc, src/host, src/doors, src/agents, src/io, any package',
  ]);
  check('src/cli/a.ts', "import '../app/app.ts';", []);
  check('src/io/a.ts', "import '../cli/main.ts';", [
    'src/io/a.ts imports ../cli/main.ts; besides its own folder, src/io may import ' +
      'src/base, src/host, src/model, src/rpc, any package',
  ]);
  check('web/a.ts', "import '../src/protocols/ahp/reduce.ts';\nimport '../src/model/event.ts';", [
    'web/a.ts imports ../src/model/event.ts; besides its own folder, web may import src/base, ' +
      'src/protocols/ahp, client, preact, ' +
      '@preact/signals, marked, dompurify, highlight.js, diff, @xterm/xterm, @xterm/addon-fit, temml, uqr',
  ]);
  check('src/host/a.ts', 'const b = require(name);', [
    'src/host/a.ts imports a computed path; besides its own folder, src/host may import src/base, src/model',
  ]);
  check('src/host/a.ts', "// import 'node:fs';\nconst text = `import 'node:fs';`;", []);
});

describe('rooms of a folder', () => {
  check('src/host/turns/a.ts', "import '../policy/b.ts';\nimport '../agent.ts';\nimport './b.ts';", []);
  check('src/host/policy/a.ts', "import type { Session } from '../session/session.ts';", [
    'src/host/policy/a.ts imports ../session/session.ts; in src/host, policy comes before session and ' +
      'may not import it',
  ]);
  check('src/host/session/a.ts', "import '../host.ts';", [
    'src/host/session/a.ts imports ../host.ts; in src/host, session comes before host.ts and ' +
      'may not import it',
  ]);
  check('src/host/cellar/a.ts', "import '../ports.ts';", [
    'src/host/cellar has no place in the order of rooms',
  ]);
  check('src/host/policy/a.test.ts', "import { Host } from '../host.ts';", []);
});

describe('words', () => {
  check('src/io/a.ts', "console.log('x');", ['src/io/a.ts uses console']);
  check('src/cli/a.ts', "console.log('x');", ['src/cli/a.ts uses console']);
  check('src/cli/a.ts', "process.stdout.write('x');", [
    'src/cli/a.ts uses standard output or error without src/cli/output.ts',
  ]);
  check('src/io/a.ts', "stderr.write('x');", [
    'src/io/a.ts uses standard output or error without src/cli/output.ts',
  ]);
  check('src/cli/output.ts', "process.stdout.write('x');", []);
  check('src/cli/stdio/pipe.ts', "process.stdout.write('x');", []);
  check('src/io/a.ts', 'export default 1;', ['src/io/a.ts uses a default export']);
  check('src/io/a.ts', "export * from './b.ts';", ['src/io/a.ts uses export *']);
  check('src/io/a.ts', "import { z } from 'zod';", ['src/io/a.ts uses zod without `import * as z`']);
  check('src/io/a.ts', "import * as z from 'zod';\nimport type { ZodType } from 'zod';", []);
  check('src/model/a.ts', 'Date.now();', ['src/model/a.ts uses Date.now']);
  check('src/model/a.ts', 'new Date();', ['src/model/a.ts uses new Date()']);
  check('src/model/a.ts', 'Date();', ['src/model/a.ts uses Date()']);
  check('src/model/a.ts', 'new Date(at);', []);
  check('src/doors/acp/a.ts', 'Math.random();', ['src/doors/acp/a.ts uses Math.random']);
  check('src/io/a.ts', 'Date.now();', []);
  check('src/io/a.ts', 'const a = ;', ['src/io/a.ts does not parse: Unexpected token']);
});

describe('private notes', () => {
  check('src/doors/ahp/a.ts', "notesOf(state, 'doors/ahp');", []);
  check('src/doors/eca/a.ts', "notesOf(state, 'doors/ahp');", [
    'src/doors/eca/a.ts names doors/ahp, whose notes are private to that folder',
  ]);
  check('src/host/a.ts', "const note = { kind: 'note', owner, key, value };", [
    'src/host/a.ts handles note events; only doors have notes',
  ]);
  check('src/agents/acp/a.ts', "if (event.kind === 'note') read(event);", [
    'src/agents/acp/a.ts handles note events; only doors have notes',
  ]);
  check('src/agents/native/a.ts', "import { notesOf as all } from '../../model/state.ts';", [
    'src/agents/native/a.ts imports notesOf; only doors have notes',
  ]);
  check('src/doors/acp/a.ts', "notesOf(state, 'doors/eca');", [
    'src/doors/acp/a.ts names doors/eca, whose notes are private to that folder',
  ]);
  check('src/app/a.ts', "const fact = { kind: 'note', owner, key, value };", [
    'src/app/a.ts makes a note; only doors have notes',
  ]);
  check('src/app/a.ts', "const left = new Set(['note']);", []);
  check('src/doors/eca/a.ts', "type Own = Pick<State, 'notes'>;", [
    'src/doors/eca/a.ts reads notes; only their owner does, through notesOf',
  ]);
  check('src/doors/eca/a.ts', "state['notes'];", [
    'src/doors/eca/a.ts reads notes; only their owner does, through notesOf',
  ]);
  check('src/host/a.ts', 'state.notes;', [
    'src/host/a.ts reads notes; only their owner does, through notesOf',
  ]);
  check('src/doors/ahp/a.ts', 'const { notes } = state;', [
    'src/doors/ahp/a.ts reads notes; only their owner does, through notesOf',
  ]);
  check('src/model/a.ts', 'state.notes;', []);
});

describe('fields of events', () => {
  const message = (path: string) => [`${path} has a field ahp; the log has no words of a protocol`];
  check('src/model/a.ts', 'interface A { readonly ahp?: Json }', message('src/model/a.ts'));
  check('src/model/a.ts', 'const meta = { ahp: kept };', message('src/model/a.ts'));
  check('src/doors/ahp/a.ts', "const meta = { ['ahp']: kept };", message('src/doors/ahp/a.ts'));
  check('src/model/a.ts', "const { ahp, ...rest } = options; const old = meta['ahp'];", []);
  check('src/agents/acp/a.ts', "report({ kind: 'text.added', text, meta });", [
    'src/agents/acp/a.ts has a field meta; the log has no words of a protocol',
  ]);
  check('src/agents/acp/a.ts', 'const { _meta: meta } = update; send({ _meta: meta });', []);
  check('src/app/a.ts', 'const doors = { ahp: open };', []);
});

function check(path: string, source: string, expected: readonly string[]): void {
  test(`${path}: ${source.slice(0, 80).replaceAll('\n', ' ')}`, () => {
    expect(violations(path, source)).toEqual(expected);
  });
}

function sourceFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name))
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .toSorted();
}
