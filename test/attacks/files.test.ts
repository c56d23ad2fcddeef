// Hostile paths against the file tools, with the real files and the real policy: every tool is allowed by a
// rule, and still nothing outside is touched.
import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nativeTools } from '../../src/agents/native/tools/all.ts';
import type { PreparedCall, ToolContext } from '../../src/agents/native/tools/tool.ts';
import { judge } from '../../src/host/policy/policy.ts';
import type { PolicyContext } from '../../src/host/policy/policy.ts';
import { canonical } from '../../src/io/files/canonical.ts';
import { files } from '../../src/io/files/workspace.ts';
import { processes } from '../../src/io/processes/shellCommands.ts';
import type { Json } from '../../src/model/event.ts';

let base: string;
let root: string;
let context: ToolContext;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'parley-attack-')));
  root = join(base, 'app');
  for (const folder of ['app/dir', 'outside', 'app-secret'])
    mkdirSync(join(base, folder), { recursive: true });
  for (const file of ['outside/secret', 'outside/file', 'app-secret/secret'])
    writeFileSync(join(base, file), secret);
  writeFileSync(join(root, 'dir', 'file'), 'inside');
  context = {
    tool: 't1',
    requestName: (own) => own,
    roots: [root],
    files: files(),
    processes: processes({ grace: 200 }),
    signal: new AbortController().signal,
    settings: { commandTimeout: 60_000 },
    sleep: () => Promise.resolve(),
  };
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const secret = 'TOP SECRET';
const hostile = 'HOSTILE';

/** What each tool is told to do with a path. */
const uses: { readonly [tool: string]: (path: string) => Json } = {
  read_file: (path) => ({ path }),
  write_file: (path) => ({ path, content: hostile }),
  edit_file: (path) => ({ path, original_content: secret, new_content: hostile }),
  grep: (path) => ({ path, pattern: 'SECRET', output_mode: 'content' }),
  directory_tree: (path) => ({ path }),
  preview_file_change: (path) => ({ path, original_content: secret, new_content: hostile }),
  move_file: (path) => ({ source: path, destination: 'taken' }),
  editor_definition: (path) => ({ path, line: 1, symbol: 'SECRET' }),
};

interface Attempt {
  readonly ruled: 'allow' | 'ask' | 'deny' | 'refused';
  readonly prepared?: PreparedCall;
}

async function look(tool: string, path: string): Promise<Attempt> {
  const found = nativeTools.find(({ name }) => name === tool);
  const input = uses[tool]?.(path) ?? {};
  if (!found) throw new Error(`no tool ${tool}`);
  const prepared = await found.prepare(input, context);
  if ('refused' in prepared) return { ruled: 'refused' };
  const ground: PolicyContext = {
    roots: [root],
    rules: [{ id: 'r', effect: 'allow', tool: '*' }],
    canonical,
  };
  const request = {
    tool: 't',
    name: tool,
    toolKind: found.kind,
    title: prepared.title,
    input,
    paths: prepared.paths.map((each) => canonical(each)),
  };
  return { ruled: judge(request, ground).effect, prepared };
}

/** Goes all the way, as far as the policy lets it. */
async function attack(tool: string, path: string): Promise<string> {
  const { ruled, prepared } = await look(tool, path);
  if (ruled !== 'allow' || !prepared) return ruled;
  return JSON.stringify([prepared.preview ?? [], await prepared.run(() => {})]);
}

function checkUnharmed(said: string): void {
  expect(said).not.toContain(secret);
  for (const file of ['outside/secret', 'outside/file', 'app-secret/secret'])
    expect(readFileSync(join(base, file), 'utf8')).toBe(secret);
}

const paths: readonly (readonly [name: string, path: () => string, make?: (() => void) | undefined])[] = [
  ['dots', () => '../outside/secret'],
  ['dots through a folder', () => 'dir/../../outside/secret'],
  ['an absolute path', () => join(base, 'outside', 'secret')],
  ['a twin of the workspace', () => '../app-secret/secret'],
  ['a twin by its absolute path', () => `${root}-secret/secret`],
  ['a link to a file', () => 'link', () => symlinkSync('../outside/secret', join(root, 'link'))],
  ['a link to a folder', () => 'link/secret', () => symlinkSync('../outside', join(root, 'link'))],
  [
    'a link to a link',
    () => 'second/secret',
    () => {
      symlinkSync('../outside', join(root, 'first'));
      symlinkSync('first', join(root, 'second'));
    },
  ],
  [
    'a link to the root',
    () => `link${join(base, 'outside', 'secret')}`,
    () => symlinkSync('/', join(root, 'link')),
  ],
  ['a link that leads in a circle', () => 'link/secret', () => symlinkSync('link', join(root, 'link'))],
  [
    'a link to what does not exist yet',
    () => 'link',
    () => symlinkSync('../outside/new', join(root, 'link')),
  ],
  ['the folder outside itself', () => 'link', () => symlinkSync('../outside', join(root, 'link'))],
  ['a null character', () => 'dir/file\0.txt'],
  ['a null character behind a path', () => `${join(base, 'outside', 'secret')}\0.txt`],
  ['5,000 characters', () => 'x'.repeat(5_000)],
  ['5,000 characters of folders', () => `${'x/'.repeat(2_500)}y`],
  ['5,000 characters of dots', () => `${'../'.repeat(1_650)}${join(base, 'outside', 'secret').slice(1)}`],
  ['the environment of the process', () => '/proc/self/environ'],
  ['a device', () => '/dev/zero'],
  ['a terminal', () => '/dev/stdin'],
  ['a pipe that nobody writes to', () => 'pipe', () => execFileSync('mkfifo', [join(root, 'pipe')])],
  ['a link to a device', () => 'link', () => symlinkSync('/dev/zero', join(root, 'link'))],
  ['a home', () => '~/secret'],
  ['an address', () => `file://${join(base, 'outside', 'secret')}`],
];

describe.each(Object.keys(uses))('%s', (tool) => {
  for (const [name, path, make] of paths) {
    test(`reaches nothing by ${name}`, async () => {
      make?.();
      checkUnharmed(await attack(tool, path()));
    });
  }
});

test('a search does not follow links, pipes and devices it meets', async () => {
  symlinkSync('../outside', join(root, 'link'));
  symlinkSync('../../outside/secret', join(root, 'dir', 'link'));
  execFileSync('mkfifo', [join(root, 'dir', 'pipe')]);
  checkUnharmed(await attack('grep', '.'));
  checkUnharmed(await attack('directory_tree', '.'));
});

test('a huge file is refused without reading it', async () => {
  writeFileSync(join(root, 'huge'), '');
  truncateSync(join(root, 'huge'), 5_000_000_000);
  expect(await attack('read_file', 'huge')).toContain('is not UTF-8 text');
});

test('nothing is moved out of the workspace or over something unasked', async () => {
  symlinkSync('../outside', join(root, 'link'));
  const move = async (destination: string) => {
    const tool = nativeTools.find(({ name }) => name === 'move_file');
    const prepared = await tool?.prepare({ source: 'dir/file', destination }, context);
    return !prepared || 'refused' in prepared
      ? 'refused'
      : judge(
          { name: 'move_file', toolKind: 'move', input: {}, paths: prepared.paths },
          { roots: [root], rules: [{ id: 'r', effect: 'allow', tool: '*' }], canonical },
        ).effect;
  };
  expect([
    await move('../outside/new'),
    await move('link/new'),
    await move('dir'),
    await move('link'),
    await move('dir/new'),
  ]).toEqual(['ask', 'ask', 'refused', 'refused', 'allow']);
});

test('a second name of a file outside is written anew and leaves the first one alone', async () => {
  linkSync(join(base, 'outside', 'file'), join(root, 'hard'));
  await attack('write_file', 'hard');
  expect([
    readFileSync(join(base, 'outside', 'file'), 'utf8'),
    readFileSync(join(root, 'hard'), 'utf8'),
  ]).toEqual([secret, hostile]);
});

describe('a folder that is exchanged for a link', () => {
  const exchange = () => {
    renameSync(join(root, 'dir'), join(root, 'kept'));
    symlinkSync('../outside', join(root, 'dir'));
  };

  test.each(['read_file', 'write_file', 'grep', 'directory_tree'])('after %s was judged', async (tool) => {
    const { ruled, prepared } = await look(tool, tool === 'directory_tree' ? 'dir' : 'dir/file');
    expect(ruled).toBe('allow');
    exchange();
    checkUnharmed(JSON.stringify(await prepared?.run(() => {})));
  });

  test('a file that is exchanged for a link after it was judged', async () => {
    const { prepared } = await look('write_file', 'dir/file');
    rmSync(join(root, 'dir', 'file'));
    symlinkSync('../../outside/file', join(root, 'dir', 'file'));
    checkUnharmed(JSON.stringify(await prepared?.run(() => {})));
  });

  test('again and again, by somebody else, 2,000 times', async () => {
    symlinkSync('../outside', join(root, 'trap'));
    const worker = new Worker(flipper, { eval: true, workerData: root });
    try {
      for (let count = 0; count < 1_000; count += 1) {
        expect(await attack('read_file', 'dir/file')).not.toContain(secret);
        await attack('write_file', 'dir/file');
        expect(readFileSync(join(base, 'outside', 'file'), 'utf8')).toBe(secret);
      }
    } finally {
      await worker.terminate();
    }
  });
});

/** Exchanges the folder for a link to the outside and back as fast as it can. */
const flipper = `
  const { renameSync } = require('node:fs');
  const root = require('node:worker_threads').workerData + '/';
  for (;;) for (const [from, to] of [['dir', 'kept'], ['trap', 'dir'], ['dir', 'trap'], ['kept', 'dir']]) try { renameSync(root + from, root + to); } catch {}
`;
