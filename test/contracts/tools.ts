// What every tool of the native agent promises, as data: its name, its arguments, and what it says and does
// in given circumstances.
import type { Json } from '../../src/model/event.ts';
import type { Tree } from '../kit/workspace.ts';

/** Names and parameters as clients and models know them; what is required stands first. */
export const signatures: {
  readonly [tool: string]: { readonly required: readonly string[]; readonly optional: readonly string[] };
} = {
  directory_tree: { required: ['path'], optional: ['max_depth'] },
  read_file: { required: ['path'], optional: ['line_offset', 'limit'] },
  write_file: { required: ['path', 'content'], optional: [] },
  edit_file: { required: ['path', 'original_content', 'new_content'], optional: ['all_occurrences'] },
  preview_file_change: {
    required: ['path', 'original_content', 'new_content'],
    optional: ['all_occurrences'],
  },
  move_file: { required: ['source', 'destination'], optional: [] },
  grep: { required: ['path', 'pattern'], optional: ['include', 'max_results', 'output_mode'] },
  shell_command: {
    required: ['command'],
    optional: ['working_directory', 'timeout', 'background', 'interactive', 'outside_sandbox'],
  },
  git: { required: ['command', 'operation'], optional: ['summary'] },
  bg_job: { required: ['action'], optional: ['job_id'] },
  editor_diagnostics: { required: [], optional: ['path'] },
  editor_definition: { required: ['path', 'line', 'symbol'], optional: ['character'] },
  editor_references: { required: ['path', 'line', 'symbol'], optional: ['character', 'include_declaration'] },
  web_fetch: { required: ['url'], optional: [] },
};

export interface ToolCase {
  readonly name: string;
  readonly tool: string;
  /** ROOT stands for the workspace, here and in what is expected. */
  readonly input: { readonly [argument: string]: Json };
  readonly files?: { readonly [name: string]: string | Uint8Array };
  readonly links?: Tree;
  /** The words for the model; `refused:` and `failed:` say that nothing was done. */
  readonly says: string | RegExp;
  /** The files afterwards; without it they must be as before. */
  readonly leaves?: Tree;
}

const edit = (original: string, fresh: string) => ({
  path: 'a',
  original_content: original,
  new_content: fresh,
});
const loosely =
  'Successfully replaced content in ROOT/a. The text differed in blanks from original_content; ' +
  'look at the result.';
const code = '  if (x) {\n    one();\n  }\n  two();\n';

export const toolCases: readonly ToolCase[] = [
  {
    name: 'the wrong indentation',
    tool: 'edit_file',
    input: edit('if (x) {\n  one();\n}', 'if (y) {\n  one();\n}'),
    files: { a: code },
    says: loosely,
    leaves: { a: '  if (y) {\n    one();\n  }\n  two();\n' },
  },
  {
    name: 'blanks at the ends of lines',
    tool: 'edit_file',
    input: edit('  two();  \n', '  three();\n'),
    files: { a: code },
    says: loosely,
    leaves: { a: '  if (x) {\n    one();\n  }\n  three();\n' },
  },
  {
    name: 'tabs for blanks',
    tool: 'edit_file',
    input: edit('\tone( x );', '\ttwo( x );'),
    files: { a: '  one( x );\nz' },
    says: loosely,
    leaves: { a: '  two( x );\nz' },
  },
  {
    name: 'blanks differ in two places',
    tool: 'edit_file',
    input: edit('x  y', 'z'),
    files: { a: 'x y\nx\ty\n' },
    says:
      'refused: original_content does not occur exactly in ROOT/a, and apart from blanks it occurs 2 ' +
      'times, in lines 1, 2; give the exact text.',
  },
  {
    name: 'only the beginning is there',
    tool: 'edit_file',
    input: edit('one\nthree', 'x'),
    files: { a: 'one\ntwo\none\n' },
    says:
      'refused: original_content does not occur in ROOT/a; read the file and give the exact text. Its ' +
      'first line is in line 1, 3, but what follows there differs.',
  },
  {
    name: 'nothing but blanks',
    tool: 'edit_file',
    input: edit(' \n ', 'x'),
    files: { a: 'one' },
    says: 'refused: original_content does not occur in ROOT/a; read the file and give the exact text.',
  },
  {
    name: 'nothing would change',
    tool: 'edit_file',
    input: edit('one', 'one'),
    files: { a: 'one' },
    says: 'refused: original_content and new_content are the same; nothing would change.',
  },
  {
    name: 'an exact place before one that is alike',
    tool: 'edit_file',
    input: edit('x  y', 'z'),
    files: { a: 'x y\nx  y\n' },
    says: 'Successfully replaced content in ROOT/a.',
    leaves: { a: 'x y\nz\n' },
  },
  {
    name: 'signs that mean something elsewhere',
    tool: 'edit_file',
    input: edit('a', "$& $1 $' \\n"),
    files: { a: 'a' },
    says: 'Successfully replaced content in ROOT/a.',
    leaves: { a: "$& $1 $' \\n" },
  },

  {
    name: 'of an edit',
    tool: 'preview_file_change',
    input: edit('one', 'two'),
    files: { a: 'one' },
    says: 'The user sees the proposed change of ROOT/a. Nothing was changed.',
  },
  {
    name: 'of a new file',
    tool: 'preview_file_change',
    input: { path: 'new', original_content: '', new_content: 'x' },
    files: {},
    says: 'The user sees the proposed change of ROOT/new. Nothing was changed.',
  },
  {
    name: 'of what is not there',
    tool: 'preview_file_change',
    input: edit('three', 'x'),
    files: { a: 'one' },
    says: /^refused: original_content does not occur/,
  },
  {
    name: 'of a missing file',
    tool: 'preview_file_change',
    input: edit('x', 'y'),
    files: {},
    says: 'refused: ROOT/a does not exist.',
  },

  {
    name: 'a file',
    tool: 'move_file',
    input: { source: 'a', destination: 'new/b' },
    files: { a: 'x' },
    says: 'Successfully moved ROOT/a to ROOT/new/b',
    leaves: { 'new/b': 'x' },
  },
  {
    name: 'a directory',
    tool: 'move_file',
    input: { source: 'd/', destination: 'e' },
    files: { 'd/x': '1', 'd/y': '2' },
    says: 'Successfully moved ROOT/d to ROOT/e',
    leaves: { 'e/x': '1', 'e/y': '2' },
  },
  {
    name: 'over something',
    tool: 'move_file',
    input: { source: 'a', destination: 'b' },
    files: { a: '1', b: '2' },
    says: 'refused: ROOT/b already exists.',
  },
  {
    name: 'onto itself',
    tool: 'move_file',
    input: { source: 'a', destination: './a' },
    files: { a: '1' },
    says: 'refused: ROOT/a already exists.',
  },
  {
    name: 'into itself',
    tool: 'move_file',
    input: { source: 'd', destination: 'd/e' },
    files: { 'd/x': '1' },
    says: 'failed: ROOT/d cannot be moved to ROOT/d/e, which is inside it.',
  },
  {
    name: 'nothing',
    tool: 'move_file',
    input: { source: 'a', destination: 'b' },
    files: {},
    says: 'refused: ROOT/a does not exist.',
  },
  {
    name: 'a link',
    tool: 'move_file',
    input: { source: 'l', destination: 'b' },
    files: { a: '1' },
    links: { l: 'a' },
    says: 'refused: ROOT/l is a link or a special file; only files and directories are moved.',
  },
  {
    name: 'over a link to nothing',
    tool: 'move_file',
    input: { source: 'a', destination: 'l' },
    files: { a: '1' },
    links: { l: 'none' },
    says: 'refused: ROOT/l already exists.',
  },

  {
    name: 'a file of another kind',
    tool: 'read_file',
    input: { path: 'a' },
    files: { a: 'x\0y' },
    says: 'failed: ROOT/a is not UTF-8 text. Use a program that knows such files.',
  },
  {
    name: 'a text of another time',
    tool: 'read_file',
    input: { path: 'a' },
    files: { a: Buffer.from('caf\u00e9\nna\u00efve\n', 'latin1') },
    says: '[Windows-1252, not UTF-8: this file can be read and not edited here.]\ncaf\u00e9\nna\u00efve',
  },
  {
    name: 'a text of another system',
    tool: 'read_file',
    input: { path: 'a', line_offset: 1 },
    files: { a: Buffer.from('\ufeffone\r\ntwo\r\n', 'utf16le') },
    says: '[UTF-16LE, not UTF-8: this file can be read and not edited here.]\ntwo\r',
  },
  {
    name: 'a text of another time',
    tool: 'edit_file',
    input: edit('caf', 'tea'),
    files: { a: Buffer.from('caf\u00e9', 'latin1') },
    says: 'refused: ROOT/a is not UTF-8 text.',
  },
  {
    name: 'a file that is not there',
    tool: 'edit_file',
    input: edit('', 'new'),
    says: 'refused: ROOT/a does not exist. write_file makes new files.',
  },
  {
    name: 'blanks within a line',
    tool: 'edit_file',
    input: edit('f(x,y)', 'g()'),
    files: { a: 'let a = f( x, y ); // why\n' },
    says: loosely,
    leaves: { a: 'let a = g(); // why\n' },
  },
  {
    name: 'a long line',
    tool: 'grep',
    input: { path: 'a', pattern: 'x', output_mode: 'content' },
    files: { a: 'x'.repeat(600) },
    says: new RegExp(String.raw`^ROOT/a:1:x{500} \[100 more characters\]$`),
  },
  {
    name: 'a picture',
    tool: 'read_file',
    input: { path: 'a.PNG' },
    files: { 'a.PNG': 'png' },
    says: 'ROOT/a.PNG (image/png, 3 bytes)',
  },
  {
    name: 'behind the end',
    tool: 'read_file',
    input: { path: 'a', line_offset: 9 },
    files: { a: '1\n2\n' },
    says: '[CONTENT TRUNCATED] The file has only 2 lines.',
  },
  { name: 'nothing in it', tool: 'read_file', input: { path: 'a' }, files: { a: '' }, says: '' },
  {
    name: 'a long line',
    tool: 'read_file',
    input: { path: 'a' },
    files: { a: `${'x'.repeat(5_000)}\ny` },
    says: new RegExp(String.raw`^x{4000} \[1000 more characters; cut -c4001- shows them\]\ny$`),
  },
  {
    name: 'many long lines',
    tool: 'read_file',
    input: { path: 'a' },
    files: { a: `${'x'.repeat(3_999)}\n`.repeat(20) },
    says: /\n\n\[CONTENT TRUNCATED\] Lines 0 to 12 of 20\. Read on with line_offset 12\.$/,
  },
  {
    name: 'a huge file by lines',
    tool: 'read_file',
    input: { path: 'a', line_offset: 1_999_998, limit: 1 },
    files: { a: '12345\n'.repeat(2_000_000) },
    says:
      '12345\n\n[CONTENT TRUNCATED] Lines 1999998 to 1999999; the file goes on. Read on ' +
      'with line_offset 1999999.',
  },
  {
    name: 'the end of a huge file',
    tool: 'read_file',
    input: { path: 'a', line_offset: 1_999_999 },
    files: { a: '12345\n'.repeat(2_000_000) },
    says: '12345',
  },

  {
    name: 'one command',
    tool: 'git',
    input: { command: 'git --version', operation: 'status' },
    says: /^Exit code: 0\|Stdout:\ngit version /,
  },
  {
    name: 'something else',
    tool: 'git',
    input: { command: 'rm -rf .', operation: 'status' },
    says: 'refused: INVALID_ARGS: command must begin with git or gh; use shell_command for anything else.',
  },
  {
    name: 'a name that begins alike',
    tool: 'git',
    input: { command: 'gitk', operation: 'log' },
    says: /^refused: INVALID_ARGS: command must begin/,
  },
  {
    name: 'an operation nobody knows',
    tool: 'git',
    input: { command: 'git x', operation: 'explode' },
    says: 'refused: INVALID_ARGS: missing or of the wrong type: operation (string)',
  },

  {
    name: 'no address',
    tool: 'web_fetch',
    input: { url: 'example.com' },
    says: 'refused: INVALID_ARGS: url must be a whole address that begins with https:// or http://.',
  },
  {
    name: 'a file',
    tool: 'web_fetch',
    input: { url: 'file:///etc/passwd' },
    says: /^refused: INVALID_ARGS: url must be/,
  },
  {
    name: 'a password',
    tool: 'web_fetch',
    input: { url: 'https://me:secret@example.com/' },
    says: 'refused: An address with a name or a password in it is not fetched.',
  },
  {
    name: 'what machines tell themselves',
    tool: 'web_fetch',
    input: { url: 'http://169.254.169.254/latest' },
    says: 'refused: 169.254.169.254 is never fetched.',
  },
  {
    name: 'the same in another spelling',
    tool: 'web_fetch',
    input: { url: 'http://0xa9fea9fe/latest' },
    says: 'refused: 169.254.169.254 is never fetched.',
  },
  {
    name: 'no web',
    tool: 'web_fetch',
    input: { url: 'https://example.com/' },
    says: 'failed: The web cannot be reached from here.',
  },

  {
    name: 'nobody to ask',
    tool: 'editor_diagnostics',
    input: {},
    says: 'failed: No editor is attached that could be asked; use grep or a compiler instead.',
  },
  {
    name: 'no such symbol',
    tool: 'editor_definition',
    input: { path: 'a', line: 1, symbol: 'y' },
    files: { a: 'x' },
    says: 'failed: y does not occur in line 1, which reads: x',
  },
  {
    name: 'no such line',
    tool: 'editor_references',
    input: { path: 'a', line: 7, symbol: 'x' },
    files: { a: 'x' },
    says: 'failed: There is no line 7.',
  },
  {
    name: 'too many entries',
    tool: 'directory_tree',
    input: { path: '.' },
    files: Object.fromEntries(Array.from({ length: 2_001 }, (_, at) => [`f${at}`, ''])),
    says: /\[OUTPUT TRUNCATED\] There is more; list a directory below or use max_depth\.$/,
  },
];

/**
 * Lines that custom tools are made of, the arguments of a call, and what the tool says then. The last word
 * is always given as one.
 */
export const customCases: readonly (readonly [
  command: string,
  given: { readonly [argument: string]: Json },
  says: string,
])[] = [
  ['printf "%s|" {{x}}', { x: 'a b' }, 'a b|'],
  ['printf "%s|" {{x}} {{y}}', { x: '$(id)', y: '`id`' }, '$(id)|`id`|'],
  ["printf '%s|' '{{x}}'", { x: "it's" }, "it's|"],
  ['printf "%s|" "pre {{x}} post"', { x: '"; id; "$HOME' }, 'pre "; id; "$HOME post|'],
  ['printf "%s|" --name={{x}}', { x: 'a; id' }, '--name=a; id|'],
  ['printf "%s|" {{x}}', { x: 'a\nb' }, 'a\nb|'],
  ['printf "%s|" {{x}}', { x: ['a', 1] }, '["a",1]|'],
  ['printf "%s|" {{x}} {{z}}', { x: '\\' }, '\\||'],
  ['printf "%s|" {{ x }}', { x: '{{y}}', y: 'no' }, '{{y}}|'],
];

export const unsafeTemplates: readonly string[] = [
  'echo "$(echo {{x}})"',
  'echo `echo {{x}}`',
  'cat <<E\n{{x}}\nE',
  "echo $'{{x}}'",
  'echo \\{{x}}',
  'echo a # {{x}}',
];

/**
 * Lines whose programs make more of a word than a word, and whether a call with this argument is still the
 * line that the user wrote.
 */
export const rereadTemplates: readonly (readonly [command: string, given: string, written: boolean])[] = [
  ['bash -c "echo {{x}}"', 'src/a.ts', true],
  ['bash -c "echo {{x}}"', '; id', false],
  ['bash -c "echo {{x}}"', '$(id)', false],
  ['ssh host {{x}}', 'a b', false],
  ['eval {{x}}', 'id; ls', false],
  ["python3 -c 'print({{x}})'", '__import__("os")', false],
  ["awk '/{{x}}/' a", '/{system("id")}/', false],
  ["sed 's/{{x}}/y/' a", 'a/b/e', false],
  ['git log {{x}}', '--output=y', false],
  ['git log {{x}}', 'v1.0..HEAD', true],
  ['rg -e {{x}}', 'a b|c', true],
  ['/usr/bin/env sh {{x}}', 'a b', false],
  ['npm test -- {{x}}', 'it works; id', true],
];
