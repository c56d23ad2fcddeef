import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Content, Json, ToolResult } from '../../../model/event.ts';
import { workspace } from '../../../../test/kit/workspace.ts';
import type { Tree, Workspace } from '../../../../test/kit/workspace.ts';
import { signatures } from '../../../../test/contracts/tools.ts';
import { nativeTools } from './all.ts';
import { clipped } from './clip.ts';
import type { PreparedCall, ToolRefusal } from './tool.ts';

let place: Workspace;
beforeEach(() => {
  place = workspace();
});
afterEach(() => place.close());

async function prepare(
  name: string,
  input: Json,
  signal = new AbortController().signal,
): Promise<PreparedCall | ToolRefusal> {
  const tool = nativeTools.find((each) => each.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool.prepare(filled(input), {
    tool: 't1',
    requestName: (own) => own,
    roots: [place.root],
    files: place.files,
    processes: place.processes,
    signal,
    settings: { commandTimeout: 60_000 },
    sleep: () => Promise.resolve(),
  });
}

/** In what a case gives and expects, ROOT stands for the workspace. */
function filled(value: Json): Json {
  return JSON.parse(JSON.stringify(value).replaceAll('ROOT', place.root)) as Json;
}

function unfilled<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll(place.root, 'ROOT')) as T;
}

async function call(name: string, input: Json): Promise<ToolResult | ToolRefusal> {
  const prepared = await prepare(name, input);
  return 'refused' in prepared ? prepared : prepared.run(() => {});
}

/** The words of a result, marked where it is not a success. */
function brief(result: ToolResult | ToolRefusal): string {
  if ('refused' in result) return `refused: ${result.refused}`;
  if (result.status === 'denied') return 'denied';
  const words = result.content
    .flatMap((content: Content) => (content.type === 'text' ? [content.text] : []))
    .join('|');
  return result.status === 'done' ? words : `failed: ${words}`;
}

interface Case {
  readonly tool: string;
  readonly input: Json;
  readonly files?: Tree;
}

function check(name: string, given: Case, expected: string): void {
  test(`${given.tool}: ${name}`, async () => {
    place.put(given.files ?? {});
    expect(unfilled(brief(await call(given.tool, given.input)))).toBe(expected);
  });
}

describe('read_file', () => {
  const read = (input: Json, text = 'one\ntwo\nthree\n'): Case => ({
    tool: 'read_file',
    input,
    files: { 'a.txt': text },
  });
  check('whole', read({ path: 'a.txt' }), 'one\ntwo\nthree');
  check('by absolute path', read({ path: 'ROOT/a.txt' }), 'one\ntwo\nthree');
  check(
    'some lines',
    read({ path: 'a.txt', line_offset: 1, limit: 1 }),
    'two\n\n[CONTENT TRUNCATED] Lines 1 to 2 of 3. Read on with line_offset 2.',
  );
  check('the last lines', read({ path: 'a.txt', line_offset: '1' }), 'two\nthree');
  check(
    'a strange limit means the usual one',
    read({ path: 'a.txt', line_offset: -5, limit: 0 }),
    'one\ntwo\nthree',
  );
  check('nothing there', read({ path: 'b.txt' }), 'failed: ROOT/b.txt does not exist.');
  check('a directory', read({ path: '.' }), 'failed: ROOT is a directory, not a file.');
  check(
    'a null character',
    read({ path: 'a\0' }),
    'failed: ROOT/a\0 cannot be used (ERR_INVALID_ARG_VALUE).',
  );
  check('no path', read({}), 'refused: INVALID_ARGS: missing or of the wrong type: path (string)');
  check(
    'arguments that are no object',
    read([]),
    'refused: INVALID_ARGS: missing or of the wrong type: path (string)',
  );
  check(
    'empty optional arguments are left out',
    read({ path: 'a.txt', line_offset: '', limit: '' }),
    'one\ntwo\nthree',
  );
});

describe('write_file', () => {
  check(
    'a new file',
    { tool: 'write_file', input: { path: 'new/a.txt', content: 'x' } },
    'Successfully wrote to ROOT/new/a.txt',
  );
  check(
    'over another',
    { tool: 'write_file', input: { path: 'a', content: '' }, files: { a: 'old' } },
    'Successfully wrote to ROOT/a',
  );
  check(
    'over a directory',
    { tool: 'write_file', input: { path: 'a', content: '' }, files: { 'a/b': '' } },
    'refused: ROOT/a is a directory, not a file.',
  );
  check(
    'over what is no text',
    { tool: 'write_file', input: { path: 'a', content: '' }, files: { a: 'x\0' } },
    'refused: ROOT/a is not UTF-8 text.',
  );
  check(
    'nothing to write',
    { tool: 'write_file', input: { path: 4 } },
    'refused: INVALID_ARGS: missing or of the wrong type: path (string), content (string)',
  );
});

describe('edit_file', () => {
  const edit = (original: string, replacement: string, more: { [name: string]: Json } = {}): Case => ({
    tool: 'edit_file',
    input: { path: 'a', original_content: original, new_content: replacement, ...more },
    files: { a: 'one two\r\nthree one\r\n' },
  });
  const done = 'Successfully replaced content in ROOT/a.';
  checkTree('one place', edit('two', 'TWO'), { a: 'one TWO\r\nthree one\r\n' });
  checkTree('signs that mean something elsewhere', edit('two', '$& $1'), { a: 'one $& $1\r\nthree one\r\n' });
  checkTree('line feeds where the file has returns', edit('two\nthree', '2\n3'), { a: 'one 2\r\n3 one\r\n' });
  checkTree('everywhere', edit('one', '1', { all_occurrences: true }), { a: '1 two\r\nthree 1\r\n' });
  checkTree('to nothing', edit('two', ''), { a: 'one \r\nthree one\r\n' });
  check(
    'more than one place',
    edit('one', '1'),
    'refused: original_content occurs 2 times in ROOT/a; give more of the text around it or set ' +
      'all_occurrences.',
  );
  check(
    'no place',
    edit('four', '4'),
    'refused: original_content does not occur in ROOT/a; read the file and give the exact text.',
  );
  check('nothing to find', edit('', '4'), 'refused: original_content is empty; name the text to replace.');
  check(
    'no file',
    { ...edit('a', 'b'), files: {} },
    'refused: ROOT/a does not exist. write_file makes new files.',
  );

  function checkTree(name: string, given: Case, expected: Tree): void {
    test(`edit_file: ${name}`, async () => {
      place.put(given.files ?? {});
      expect([unfilled(brief(await call(given.tool, given.input))), place.tree()]).toEqual([done, expected]);
    });
  }
});

describe('directory_tree', () => {
  const files = { 'a.txt': '', 'src/b.ts': '', 'src/deep/c.ts': '', '.git/config': '', '.env': '' };
  check(
    'all',
    { tool: 'directory_tree', input: { path: '.' }, files },
    'ROOT\n .env\n a.txt\n src\n  b.ts\n  deep\n   c.ts\n\n2 directories, 4 files',
  );
  check(
    'one level',
    { tool: 'directory_tree', input: { path: 'ROOT', max_depth: 1 }, files },
    'ROOT\n .env\n a.txt\n src\n\n1 directories, 2 files',
  );
  check(
    'a file',
    { tool: 'directory_tree', input: { path: 'a.txt' }, files },
    'failed: ROOT/a.txt is not a directory.',
  );
});

describe('grep', () => {
  const files = { 'a.txt': 'one\nTODO x', 'src/b.ts': 'TODO\nTODO' };
  const grep = (input: { [name: string]: Json }): Case => ({
    tool: 'grep',
    input: { path: '.', pattern: 'TODO', ...input },
    files,
  });
  check('files', grep({}), 'ROOT/a.txt\nROOT/src/b.ts');
  check(
    'content',
    grep({ output_mode: 'content' }),
    'ROOT/a.txt:2:TODO x\nROOT/src/b.ts:1:TODO\nROOT/src/b.ts:2:TODO',
  );
  check('count', grep({ output_mode: 'count' }), 'ROOT/a.txt:1\nROOT/src/b.ts:2');
  check('some names', grep({ include: '*.ts' }), 'ROOT/src/b.ts');
  check(
    'not too many',
    grep({ output_mode: 'content', max_results: 1 }),
    'ROOT/a.txt:2:TODO x\n\n[OUTPUT TRUNCATED] There are more than 1 results.',
  );
  check('nothing', grep({ pattern: 'FIXME' }), 'No matches found.');
  check('a broken pattern', grep({ pattern: '(' }), 'failed: ( is not a regular expression.');
  check('an unknown mode is as good as none', grep({ output_mode: 'list' }), 'ROOT/a.txt\nROOT/src/b.ts');
});

describe('shell_command', () => {
  const shell = (command: string, more: { [name: string]: Json } = {}): Case => ({
    tool: 'shell_command',
    input: { command, ...more },
    files: { 'sub/f': '' },
  });
  check('success', shell('echo hi'), 'Exit code: 0|Stdout:\nhi');
  check('silence', shell('true'), 'Exit code: 0');
  check('failure', shell('echo out; echo err >&2; exit 3'), 'failed: Exit code: 3|Stderr:\nerr|Stdout:\nout');
  check('where', shell('pwd', { working_directory: 'sub' }), 'Exit code: 0|Stdout:\nROOT/sub');
  check('the usual place', shell('pwd'), 'Exit code: 0|Stdout:\nROOT');
  check(
    'a place that is none',
    shell('pwd', { working_directory: 'sub/f' }),
    'refused: ROOT/sub/f is not a directory.',
  );
  check('too long', shell('sleep 60', { timeout: 50 }), 'failed: The command was stopped after 50 ms.');
  check('killed', shell('kill -KILL $$'), 'failed: The command was ended by SIGKILL.');
  check('nothing to run', shell(' '), 'refused: INVALID_ARGS: command is empty or holds a null character.');

  test('output arrives while the command runs, and only its ends are kept of a flood', async () => {
    const prepared = await prepare('shell_command', {
      command: 'echo start; head -c 6000000 /dev/zero | tr "\\0" x; echo end',
    });
    if ('refused' in prepared) throw new Error(prepared.refused);
    let live = '';
    const words = brief(await prepared.run((text) => (live += text)));
    expect([live.length, live.slice(0, 8), words.length]).toEqual([6_000_010, 'start\nxx', 5_000_079]);
    expect(words).toContain('\n[OUTPUT TRUNCATED] 1000010 characters were left out here.\n');
    expect(words.endsWith('xend')).toBe(true);
  });

  test('a stop ends it', async () => {
    const stop = new AbortController();
    const prepared = await prepare('shell_command', { command: 'echo $$; sleep 300' }, stop.signal);
    if ('refused' in prepared) throw new Error(prepared.refused);
    expect(brief(await prepared.run(() => stop.abort()))).toMatch(
      /^failed: The command was stopped\.\|Stdout:\n\d+$/,
    );
  });
});

describe('what is shown and judged before a call runs', () => {
  view(
    'read_file',
    { path: 'link/f' },
    {
      title: 'Read f',
      question: 'Read real/f',
      paths: ['ROOT/real/f'],
      locations: [{ path: 'ROOT/real/f' }],
    },
  );
  view(
    'read_file',
    { path: '../../etc/../x', line_offset: 4, limit: 6 },
    {
      title: 'Read x (lines 5-10)',
      question: 'Read OUTSIDE (lines 5-10)',
      paths: ['OUTSIDE'],
      locations: [{ path: 'OUTSIDE', line: 5 }],
    },
  );
  view(
    'write_file',
    { path: 'link/new/f', content: 'x' },
    {
      title: 'Creating f',
      question: 'Creating real/new/f',
      paths: ['ROOT/real/new/f'],
      locations: [{ path: 'ROOT/real/new/f' }],
      preview: [{ type: 'edit', path: 'ROOT/real/new/f', before: null, after: 'x' }],
    },
  );
  view(
    'write_file',
    { path: 'real/f', content: 'x' },
    {
      title: 'Overwriting f',
      question: 'Overwriting real/f',
      paths: ['ROOT/real/f'],
      locations: [{ path: 'ROOT/real/f' }],
      preview: [{ type: 'edit', path: 'ROOT/real/f', before: 'a\nb\n', after: 'x' }],
    },
  );
  view(
    'edit_file',
    { path: 'real/f', original_content: 'b', new_content: 'B' },
    {
      title: 'Editing f',
      question: 'Editing real/f',
      paths: ['ROOT/real/f'],
      locations: [{ path: 'ROOT/real/f', line: 2 }],
      preview: [{ type: 'edit', path: 'ROOT/real/f', before: 'a\nb\n', after: 'a\nB\n' }],
    },
  );
  view(
    'shell_command',
    { command: 'cd real && npm test' },
    {
      title: '$ npm test',
      command: 'cd real && npm test',
      paths: ['ROOT'],
      locations: [{ path: 'ROOT' }],
      runs: {},
    },
  );
  view(
    'shell_command',
    { command: 'echo 0123456789\n0123456789 0123456789 0123456789', working_directory: 'link' },
    {
      title: '$ echo 0123456789 0123456789 01234567...',
      question: '$ echo 0123456789\n0123456789 0123456789 0123456789 (in real)',
      command: 'echo 0123456789\n0123456789 0123456789 0123456789',
      paths: ['ROOT/real'],
      locations: [{ path: 'ROOT/real' }],
      runs: {},
    },
  );
  view(
    'directory_tree',
    { path: 'real' },
    { title: 'List files in real', paths: ['ROOT/real'], locations: [{ path: 'ROOT/real' }] },
  );
  view(
    'directory_tree',
    { path: 'link/deep/er' },
    {
      title: 'List files in real/deep/er',
      paths: ['ROOT/real/deep/er'],
      locations: [{ path: 'ROOT/real/deep/er' }],
    },
  );
  view(
    'grep',
    { path: '.', pattern: 'a+' },
    {
      title: 'Searching for a+',
      question: 'Searching for a+ in NAME',
      paths: ['ROOT'],
      locations: [{ path: 'ROOT' }],
    },
  );

  function view(tool: string, input: Json, expected: Json): void {
    test(`${tool} ${JSON.stringify(input)}`, async () => {
      place.put({ 'real/f': 'a\nb\n' });
      symlinkSync('real', join(place.root, 'link'));
      const shown = await prepare(tool, input);
      const outside = join(place.root, '../../etc/../x');
      const text = JSON.stringify(unfilled(shown)).replaceAll(outside, 'OUTSIDE');
      expect(JSON.parse(text.replaceAll(basename(place.root), 'NAME'))).toEqual(expected);
    });
  }
});

describe('a write happens only to what was shown', () => {
  meddled('it was changed', { a: 'old' }, () => place.put({ a: 'theirs' }));
  meddled('it appeared', {}, () => place.put({ a: 'theirs' }));
  meddled('it went', { a: 'old' }, () => rmSync(join(place.root, 'a')));
  meddled('a directory took its place', {}, () => mkdirSync(join(place.root, 'a')));

  function meddled(name: string, given: Tree, meddle: () => void): void {
    test(`not when ${name}`, async () => {
      place.put(given);
      const prepared = await prepare('write_file', { path: 'a', content: 'mine' });
      if ('refused' in prepared) throw new Error(prepared.refused);
      meddle();
      const found = place.tree();
      expect((await prepared.run(() => {})).status).toBe('failed');
      expect(place.tree()).toEqual(found);
    });
  }
});

test('the result of a write tells what was and what is', async () => {
  place.put({ a: 'old' });
  expect(unfilled(await call('write_file', { path: 'a', content: 'new' }))).toEqual({
    status: 'done',
    content: [
      { type: 'text', text: 'Successfully wrote to ROOT/a' },
      { type: 'edit', path: 'ROOT/a', before: 'old', after: 'new' },
    ],
  });
});

test.each(nativeTools)('the schema of $name says which arguments are required', ({ name, parameters }) => {
  expect((parameters as { required: Json }).required).toEqual(signatures[name]?.required);
});

test('a long text keeps its ends', () => {
  expect(clipped('abcdefghij', 4)).toBe('ab\n[OUTPUT TRUNCATED] 6 characters were left out here.\nij');
  expect(clipped('abcd', 4)).toBe('abcd');
});
