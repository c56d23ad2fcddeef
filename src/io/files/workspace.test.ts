import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FileProblem, SearchMatch } from '../../host/ports.ts';
import { globPattern } from './fileSearch.ts';
import { files } from './workspace.ts';
import { ripgrepPath } from './ripgrep.ts';

let dir = '';
const disk = files();
const signal = new AbortController().signal;

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'parley-files-')));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function put(tree: { readonly [name: string]: string | Buffer }): void {
  for (const [name, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
}

test('a walk through a folder with many files lets other work run', async () => {
  put(Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`${at}`, ''])));
  let turns = 0;
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  let next: NodeJS.Immediate | undefined;
  let found = 0;
  for await (const _ of disk.walk(dir, { depth: 1, signal })) {
    // Listing the folder takes time of its own.
    next ??= setImmediate(count);
    found += 1;
  }
  clearImmediate(next);
  expect(found).toBe(3_000);
  expect(turns).toBeGreaterThan(4);
});

describe('a real path', () => {
  check('a.txt', '/a.txt');
  check('new.txt', '/new.txt');
  check('new/deep/er.txt', '/new/deep/er.txt');
  check('./sub/../a.txt', '/a.txt');
  check('link/b.txt', '/sub/b.txt');
  check('link/new/x', '/sub/new/x');
  check('link/../a.txt', '/a.txt');
  check('dangling', '/sub/later');
  check('dangling/x', '/sub/later/x');
  check('outside/passwd', '../etc/passwd');
  check('a.txt/below', '/a.txt/below');
  check('loop', '/loop');
  check('..', '..');

  function check(path: string, expected: string): void {
    test(`${path} is ${expected}`, async () => {
      put({ 'a.txt': '', 'sub/b.txt': '' });
      symlinkSync('sub', join(dir, 'link'));
      symlinkSync('sub/later', join(dir, 'dangling'));
      symlinkSync('/etc', join(dir, 'outside'));
      symlinkSync('loop', join(dir, 'loop'));
      const wanted =
        expected === '..' ? dirname(dir) : expected.startsWith('..') ? expected.slice(2) : dir + expected;
      expect(await disk.realPath(path, dir)).toBe(wanted);
      expect(await disk.realPath(join(dir, path), '/elsewhere')).toBe(wanted);
    });
  }
});

describe('reading', () => {
  check('plain text', () => put({ f: 'a\r\nb\n' }), { text: 'a\r\nb\n' });
  check('an empty file', () => put({ f: '' }), { text: '' });
  check('a byte order mark stays', () => put({ f: '\uFEFFx' }), { text: '\uFEFFx' });
  check('exactly the limit', () => put({ f: 'x'.repeat(100) }), { text: 'x'.repeat(100) });
  check('beyond the limit', () => put({ f: 'x'.repeat(101) }), 'too-large');
  check('bytes that are no text', () => put({ f: Buffer.from([0xc3, 0x28]) }), 'not-text');
  check('a null byte', () => put({ f: 'a\0b' }), 'not-text');
  check('nothing there', () => {}, 'not-found');
  check('a directory', () => mkdirSync(join(dir, 'f')), 'not-a-file');
  check('a link', () => symlinkSync('/etc/hostname', join(dir, 'f')), 'moved');
  check('a pipe', () => execFileSync('/usr/bin/env', ['mkfifo', join(dir, 'f')]), 'not-a-file');

  function check(name: string, given: () => void, expected: { text: string } | FileProblem['problem']): void {
    test(`${name} is read`, async () => {
      given();
      const found = await disk.readText(join(dir, 'f'), 100);
      expect('problem' in found ? found.problem : found).toEqual(expected);
    });
  }

  test.runIf(process.platform === 'linux')('a file that has no size is read to its end', async () => {
    const text = readFileSync('/proc/version', 'utf8');
    expect(await disk.readText('/proc/version', 10_000)).toEqual({ text });
    expect(await disk.readText('/proc/version', 10)).toMatchObject({ problem: 'too-large' });
  });

  test('a directory exchanged for a link is noticed', async () => {
    put({ 'sub/f': 'mine', 'other/f': 'secret' });
    renameSync(join(dir, 'sub'), join(dir, 'old'));
    symlinkSync('other', join(dir, 'sub'));
    expect(await disk.readText(join(dir, 'sub/f'), 100)).toMatchObject({ problem: 'moved' });
    expect(await disk.list(join(dir, 'sub'))).toMatchObject({ problem: 'moved' });
    expect(await disk.writeText(join(dir, 'sub/f'), 'x', 'secret')).toMatchObject({ problem: 'moved' });
    expect(readFileSync(join(dir, 'other/f'), 'utf8')).toBe('secret');
  });
});

describe('writing', () => {
  check('a new file', { given: {}, expected: null }, { 'a/f': 'new ü' });
  check('over what was seen', { given: { 'a/f': 'old' }, expected: 'old' }, { 'a/f': 'new ü' });
  check('over an empty file', { given: { 'a/f': '' }, expected: '' }, { 'a/f': 'new ü' });
  check('over what somebody changed', { given: { 'a/f': 'newer' }, expected: 'old' }, 'stale');
  check('over what somebody made', { given: { 'a/f': '' }, expected: null }, 'stale');
  check('over what somebody removed', { given: {}, expected: 'old' }, 'stale');
  check('over what became a directory', { given: { 'a/f/x': '' }, expected: null }, 'not-a-file');
  check('below a file', { given: { a: 'file' }, expected: null }, 'not-a-directory');

  type Tree = { readonly [name: string]: string };

  /** A refused write leaves the tree as it was; nothing else is ever left behind. */
  function check(
    name: string,
    { given, expected }: { given: Tree; expected: string | null },
    outcome: Tree | FileProblem['problem'],
  ): void {
    test(`${name} is written`, async () => {
      put(given);
      const problem = await disk.writeText(join(dir, 'a/f'), 'new ü', expected);
      expect(problem?.problem).toBe(typeof outcome === 'string' ? outcome : undefined);
      expect(treeOf(dir)).toEqual(typeof outcome === 'string' ? given : outcome);
    });
  }

  function treeOf(root: string): Tree {
    const found = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    return Object.fromEntries(
      found.map(({ parentPath, name }) => [
        join(parentPath, name).slice(root.length + 1),
        readFileSync(join(parentPath, name), 'utf8'),
      ]),
    );
  }

  test('keeps the mode of a file', async () => {
    put({ f: '#!/bin/sh\n' });
    chmodSync(join(dir, 'f'), 0o751);
    expect(await disk.writeText(join(dir, 'f'), 'x', '#!/bin/sh\n')).toBeUndefined();
    expect(statSync(join(dir, 'f')).mode & 0o777).toBe(0o751);
  });

  test('never goes through a link', async () => {
    put({ 'real/f': 'old' });
    symlinkSync('real/f', join(dir, 'f'));
    expect(await disk.writeText(join(dir, 'f'), 'x', 'old')).toMatchObject({ problem: 'moved' });
    expect(readFileSync(join(dir, 'real/f'), 'utf8')).toBe('old');
  });

  test('stays out of the way of a link that is exchanged all the time', async () => {
    put({ 'inside/f': 'old', 'outside/f': 'untouched' });
    const flip = setInterval(() => {
      rmSync(join(dir, 'sub'), { force: true, recursive: true });
      try {
        symlinkSync(Math.random() < 0.5 ? 'inside' : 'outside', join(dir, 'sub'));
      } catch {
        // Whoever writes has made a directory there in between.
      }
    }, 0);
    try {
      for (let i = 0; i < 200; i += 1) await disk.writeText(join(dir, 'sub/f'), 'bad', 'untouched');
    } finally {
      clearInterval(flip);
    }
    expect(readFileSync(join(dir, 'outside/f'), 'utf8')).toBe('untouched');
  });
});

test('a listing is by name and says what each thing is', async () => {
  put({ b: '', 'a/x': '', '.h': '' });
  symlinkSync('b', join(dir, 'l'));
  expect(await disk.list(dir)).toEqual([
    { name: '.h', path: join(dir, '.h'), type: 'file' },
    { name: 'a', path: join(dir, 'a'), type: 'directory' },
    { name: 'b', path: join(dir, 'b'), type: 'file' },
    { name: 'l', path: join(dir, 'l'), type: 'link' },
  ]);
  expect(await disk.list(join(dir, 'b'))).toMatchObject({ problem: 'not-a-directory' });
  expect([await disk.stat(join(dir, 'l')), await disk.stat(join(dir, 'none'))]).toEqual([
    { type: 'link', size: 1, mark: expect.any(String) as string, settled: false },
    undefined,
  ]);
});

describe('a link in the place of a folder', () => {
  beforeEach(() => {
    mkdirSync(join(dir, 'outside', 'empty', 'deep'), { recursive: true });
    put({ 'w/a': 'text' });
    symlinkSync('../outside', join(dir, 'w', 'link'));
  });
  const isUntouched = () =>
    expect(readdirSync(join(dir, 'outside'), { recursive: true })).toEqual(['empty', 'empty/deep']);

  test('leads to no new folder', async () => {
    const target = join(dir, 'w', 'link', 'new', 'b');
    expect(await disk.writeText(target, 'text', null)).toMatchObject({ problem: 'moved' });
    expect(await disk.move(join(dir, 'w', 'a'), target)).toMatchObject({ problem: 'moved' });
    isUntouched();
  });

  test('leads to no empty folder that is removed', async () => {
    expect(await disk.remove(join(dir, 'w', 'link'), null)).toMatchObject({ problem: 'moved' });
    isUntouched();
  });
});

test('a walk goes as deep as asked, follows no link and leaves out what tools keep', async () => {
  put({ 'a/b/c/d': '', e: '', '.git/config': '', 'node_modules/m/x': '' });
  symlinkSync('a', join(dir, 'z'));
  const found: string[] = [];
  for await (const { path, depth } of disk.walk(dir, { depth: 3, signal }))
    found.push(`${depth} ${path.slice(dir.length + 1)}`);
  expect(found).toEqual(['1 a', '2 a/b', '3 a/b/c', '1 e', '1 z']);
});

describe.each([
  ['with ripgrep', undefined],
  ['by ourselves', files({ searcher: () => Promise.resolve(undefined) })],
])('searching %s', (_, slow) => {
  const tree = {
    'a.ts': 'one\nTODO two\r\n',
    'src/b.tsx': 'x TODO',
    'c.md': 'todo',
    bin: Buffer.from('TODO\0'),
    '.git/x': 'TODO',
  };
  check({ pattern: 'TODO' }, ['a.ts:2:TODO two', 'src/b.tsx:1:x TODO']);
  check({ pattern: '(?i)todo' }, ['a.ts:2:TODO two', 'c.md:1:todo', 'src/b.tsx:1:x TODO']);
  check({ pattern: '^TODO', include: '*.{ts,tsx}' }, ['a.ts:2:TODO two']);
  check({ pattern: 'TODO', include: 'src/*' }, ['src/b.tsx:1:x TODO']);
  check({ pattern: '(' }, ['bad-pattern']);
  check({ pattern: 'TODO', under: 'a.ts' }, ['a.ts:2:TODO two']);
  check({ pattern: 'TODO', under: 'nowhere' }, ['not-found']);
  check({ pattern: '^(?!y)(x+)+$', more: { 'slow.txt': `${'x'.repeat(50)}y` } }, ['bad-pattern']);

  function check(
    given: { pattern: string; include?: string; under?: string; more?: { [name: string]: string } },
    expected: readonly string[],
  ): void {
    test(`${given.pattern} ${given.include ?? ''} ${given.under ?? ''}`, async () => {
      put({ ...tree, ...given.more });
      const found: (SearchMatch | FileProblem)[] = [];
      for await (const match of (slow ?? disk).search(join(dir, given.under ?? '.'), {
        pattern: given.pattern,
        include: given.include,
        signal,
      }))
        found.push(match);
      expect(
        found.map((match) =>
          'problem' in match
            ? match.problem
            : `${match.path.slice(dir.length + 1)}:${match.line}:${match.text}`,
        ),
      ).toEqual(expected);
    });
  }
});

test('ripgrep is there, leaves out what git ignores, and takes links for links', async () => {
  expect(await ripgrepPath()).toBeDefined();
  put({ '.gitignore': 'out', 'out/x': 'TODO', y: 'TODO', '.hidden': 'TODO' });
  symlinkSync('out', join(dir, 'link'));
  const found: string[] = [];
  for await (const match of disk.search(dir, { pattern: 'TODO', signal }))
    found.push('problem' in match ? match.problem : match.path.slice(dir.length + 1));
  expect(found).toEqual(['.hidden', 'y']);
});

test('what ripgrep finds behind a link that has taken the place of a folder does not count', async () => {
  put({ 'w/keys/key': 'harmless', 'w/marked': '\uFEFFsecret\r\n', 'outside/key': 'secret' });
  const found: string[] = [];
  // A program that is as late as ripgrep may be: it has seen the folder, and opens the file behind the link.
  put({
    late: `#!/bin/sh\nmv keys moved\nln -s ../outside keys\nfor file in keys/key marked; do
    printf '{"type":"match","data":{"path":{"text":"./%s"},"lines":{"text":"secret"},"line_number":1}}\\n' $file
  done\n`,
  });
  chmodSync(join(dir, 'late'), 0o755);
  const late = files({ searcher: () => Promise.resolve(join(dir, 'late')) });
  for await (const match of late.search(join(dir, 'w'), { pattern: 'secret', signal }))
    found.push('problem' in match ? match.problem : match.path.slice(dir.length + 1));
  expect(readFileSync(join(dir, 'w', 'keys', 'key'), 'utf8')).toBe('secret');
  expect(found).toEqual(['w/marked']);
});

test.each([
  ['waits for a pipe', 'mkfifo .gitignore\nexec cat .gitignore\n'],
  ['could not read a file', `printf '{"data":{},"type":"summary"}\\n'\nexit 2\n`],
  ['has crashed', 'kill -9 $$\n'],
])('what ripgrep has found is found once, and the rest is found too, where it %s', async (_, end) => {
  put({ 'w/a': 'TODO\n', 'w/b': end.includes('summary') ? '' : 'TODO\n' });
  const said = '{"type":"match","data":{"path":{"text":"./a"},"lines":{"text":"TODO"},"line_number":1}}';
  put({ odd: `#!/bin/sh\necho '${said}'\n${end}` });
  chmodSync(join(dir, 'odd'), 0o755);
  const odd = files({ searcher: () => Promise.resolve(join(dir, 'odd')) });
  const found: string[] = [];
  for await (const match of odd.search(join(dir, 'w'), { pattern: 'TODO', signal }))
    found.push('problem' in match ? match.problem : match.path.slice(dir.length + 3));
  expect(found).toEqual(end.includes('summary') ? ['a'] : ['a', 'b']);
});

test.each([0, 1_000])('ripgrep finds %d more lines in the order of their paths', async (more) => {
  const names = ['a-b/y', 'a.txt', 'a/b/z', 'a/x', 'B', 'a', '\u{FF5E}', '\u{1F600}', 'z'];
  put(Object.fromEntries(names.filter((name) => name !== 'a').map((name) => [name, 'TODO\n'])));
  put({ 'a/many': 'TODO\n'.repeat(more) });
  const found: string[] = [];
  for await (const match of disk.search(dir, { pattern: 'TODO', signal }))
    found.push('problem' in match ? match.problem : match.path.slice(dir.length + 1));
  expect(found.filter((name) => name !== 'a/many')).toEqual([
    'B',
    'a/b/z',
    'a/x',
    'a-b/y',
    'a.txt',
    'z',
    '\u{FF5E}',
    '\u{1F600}',
  ]);
  expect(found.filter((name) => name === 'a/many')).toHaveLength(more);
});

test.each([
  [2, ['b', 'a'], ''],
  [1_001, ['a', 'b'], '--sort path'],
])(
  'ripgrep that finds %d lines is asked for their order only if they are many',
  async (lines, said, order) => {
    put({ 'w/a': 'TODO\n'.repeat(lines / 2), 'w/b': 'TODO\n'.repeat(lines - Math.floor(lines / 2)) });
    const matches = said.flatMap((name) =>
      readFileSync(join(dir, 'w', name), 'utf8')
        .trimEnd()
        .split('\n')
        .map((text, at) =>
          JSON.stringify({
            type: 'match',
            data: { path: { text: `./${name}` }, lines: { text }, line_number: at + 1 },
          }),
        ),
    );
    put({ output: [...matches, '{"type":"summary"}', ''].join('\n') });
    put({ asked: `#!/bin/sh\necho "$*" >> '${dir}/calls'\nexec cat '${dir}/output'\n` });
    chmodSync(join(dir, 'asked'), 0o755);
    const asked = files({ searcher: () => Promise.resolve(join(dir, 'asked')) });
    const found: string[] = [];
    for await (const match of asked.search(join(dir, 'w'), { pattern: 'TODO', signal }))
      found.push('problem' in match ? match.problem : match.path.slice(dir.length + 3));
    expect([found.length, ...new Set(found)]).toEqual([lines, 'a', 'b']);
    const calls = readFileSync(join(dir, 'calls'), 'utf8').trim().split('\n');
    expect(calls.map((call) => /--sort path/.exec(call)?.[0] ?? '')).toEqual(
      order === '' ? [''] : ['', order],
    );
  },
);

test('a pipe called .gitignore is not waited for', async () => {
  put({ a: 'TODO\n' });
  execFileSync('/usr/bin/env', ['mkfifo', join(dir, '.gitignore')]);
  const found: string[] = [];
  for await (const match of disk.search(dir, { pattern: 'TODO', signal }))
    found.push('problem' in match ? match.problem : match.path.slice(dir.length + 1));
  expect(found).toEqual(['a']);
});

describe('a pattern of file names', () => {
  check('*.ts', ['a.ts', '.ts'], ['a.tsx', 'b/a.ts']);
  check('*.{a,b}', ['x.a', 'x.b'], ['x.c', 'x.a,b']);
  check('a,b?', ['a,bc'], ['a', 'bc', 'a,b']);
  check('**/x/*.c', ['x/a.c', 'p/q/x/a.c'], ['x/y/a.c']);
  check('a{b', ['a{b'], ['ab']);
  check('a+(b).[c]', ['a+(b).[c]'], ['aab.c']);

  function check(glob: string, yes: readonly string[], no: readonly string[]): void {
    test(`${glob} matches`, () => {
      const pattern = globPattern(glob);
      expect([yes.filter((name) => !pattern.test(name)), no.filter((name) => pattern.test(name))]).toEqual([
        [],
        [],
      ]);
    });
  }
});
