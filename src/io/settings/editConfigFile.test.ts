import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writePrivately } from '../files/privateFiles.ts';
import {
  readConfig,
  withBlock,
  withMembers,
  withoutBlock,
  withoutValue,
  withValue,
  writeConfig,
} from './editConfigFile.ts';

const set = (text: string, path: readonly string[], value: unknown) =>
  withValue(text, [...path], { value, file: 'f' });

test.each<[string, string, string]>([
  ['nothing', '', '{\n  "a": {\n    "P": 1\n  }\n}\n'],
  ['an empty object', '{}\n', '{\n  "a": {\n    "P": 1\n  }\n}\n'],
  [
    'neighbours on one line, and a comment behind the last',
    '{\n  "a": {\n    "Claude": { "x": [1,2] } // keep\n  }\n}\n',
    '{\n  "a": {\n    "Claude": { "x": [1,2] }, // keep\n    "P": 1\n  }\n}\n',
  ],
  [
    'a comma at the end',
    '{\n  "a": {\n    "Claude": 0, // keep\n  },\n}\n',
    '{\n  "a": {\n    "Claude": 0, // keep\n    "P": 1,\n  },\n}\n',
  ],
  [
    'tabs and returns',
    '{\r\n\t"z": 1,\r\n\t"a": {\r\n\t\t"b": 2\r\n\t}\r\n}\r\n',
    '{\r\n\t"z": 1,\r\n\t"a": {\r\n\t\t"b": 2,\r\n\t\t"P": 1\r\n\t}\r\n}\r\n',
  ],
  ['one line', '{ "a": { "b": 2 } }\n', '{ "a": { "b": 2, "P": 1 } }\n'],
  ['the value itself', '{ "a": { "P": 7 /* seven */ } }\n', '{ "a": { "P": 1 /* seven */ } }\n'],
  ['no end of line', '{ "a": { "b": 2 } }', '{ "a": { "b": 2, "P": 1 } }'],
  ['a mark of the encoding', '\ufeff{ "b": 2 }\n', '\ufeff{ "b": 2, "a": {"P":1} }\n'],
  ['a comment alone', '{\n  // mine\n}\n', '{\n  // mine\n  "a": {\n    "P": 1\n  }\n}\n'],
])('%s: a value is set and nothing else changes', (_, before, after) => {
  expect(set(before, ['a', 'P'], 1)).toBe(after);
  expect(set(after, ['a', 'P'], 1)).toBe(after);
});

test.each<[string, string]>([
  ['an empty object', '{ "a": {} }\n'],
  [
    'a neighbour with comments',
    '{\n  "a": {\n    "b": [1,\n 2] // keep, too\n    /* and, */ // this\n  }\n}',
  ],
  ['a comma at the end', '{\n  "a": {\n    "b": 0, // keep\n  },\n}\n'],
  ['tabs and returns', '{\r\n\t"z": 1,\r\n\t"a": {\r\n\t\t"b": 2\r\n\t}\r\n}\r\n'],
  ['one line', '\ufeff{ "a": { "b": 2 } }'],
  ['a comment alone', '{\n  "a": {\n    // mine\n  }\n}\n'],
])('%s: a value that was set is removed without a trace', (_, text) => {
  expect(set(set(text, ['a', 'P'], 1), ['a', 'P'], undefined)).toBe(text);
  expect(set(set(text, ['a', 'P'], { deep: [1] }), ['a', 'P'], undefined)).toBe(text);
});

test.each<[string, string]>([
  ['{ "a": { "P": 1, "b": 2 } }', '{ "a": { "b": 2 } }'],
  ['{ "a": {\n  "P": 1, // mine\n  "b": 2\n} }', '{ "a": {\n  // mine\n  "b": 2\n} }'],
  ['{ "a": {\n  "P": 1 // mine\n} }', '{ "a": {\n  // mine\n} }'],
  ['{ "a": {\n  "P": 1,\n  "b": 2\n} }', '{ "a": {\n  "b": 2\n} }'],
])('%j: a value is removed from among others', (before, after) => {
  expect(set(before, ['a', 'P'], undefined)).toBe(after);
});

test.each<[string, string]>([
  ['{ "z": 1, "a": { "P": 1 } }', '{ "z": 1 }'],
  ['{\n  "a": {\n    "b": { "P": 1 }\n  }\n}\n', '{\n  "a": {\n    "b": { "P": 1 }\n  }\n}\n'],
  ['{\n  "a": {\n    // mine\n    "P": 1\n  }\n}\n', '{\n  "a": {\n    // mine\n  }\n}\n'],
  ['{\n  "a": {}\n}\n', '{\n  "a": {}\n}\n'],
  ['{\n  "a": { /* mine */ }\n}\n', '{\n  "a": { /* mine */ }\n}\n'],
])('%j: with a value goes the object that held nothing else', (before, after) => {
  expect(withoutValue(before, ['a', 'P'], 'f')).toBe(after);
});

test('with the last value of a section goes the section around it', () => {
  expect(withoutValue('{ "z": 1, "a": { "b": { "P": 1 } } }', ['a', 'b', 'P'], 'f')).toBe('{ "z": 1 }');
});

test('members are set one by one, and what the user has added stays', () => {
  const members = { command: '/new', args: ['acp'], env: { HOST: '/h', OLD: undefined } };
  const setAll = (text: string) => withMembers(text, ['a', 'P'], { members, file: 'f' });
  expect(
    setAll(
      '{ "a": { "P": { "command": "/old", /* mine */ "mode": "ask", "env": { "KEY": "k", "OLD": "o" } } } }',
    ),
  ).toBe(
    '{ "a": { "P": { "command": "/new", /* mine */ "mode": "ask", "env": { "KEY": "k", "HOST": "/h" }, "args": ["acp"] } } }',
  );
  expect(setAll('{ "a": { "P": "text" } }')).toBe(
    '{ "a": { "P": {"command":"/new","args":["acp"],"env":{"HOST":"/h"}} } }',
  );
});

test('a link that leads to nothing stays a link, and a circle of links is refused', () => {
  const place = folder();
  symlinkSync(join('dotfiles', 'zed.json'), join(place, 'link'));
  symlinkSync('link', join(place, 'file'));
  writeConfig(join(place, 'file'), '{}', 'backup');
  expect(readFileSync(join(place, 'dotfiles', 'zed.json'), 'utf8')).toBe('{}');
  expect(lstatSync(join(place, 'file')).isSymbolicLink()).toBe(true);
  symlinkSync('circle', join(place, 'circle'));
  expect(() => writeConfig(join(place, 'circle'), '{}', 'backup')).toThrow(
    'circle now leads through a link.',
  );
});

test('a folder that takes no file is said in words', () => {
  const place = folder();
  writeFileSync(join(place, 'file'), '');
  const file = join(place, 'file', 'config.jsonc');
  expect(() => writeConfig(file, '{}', 'backup')).toThrow(
    `${file} has a parent that is a file, not a directory.`,
  );
});

test('a file in another encoding is refused, since it would not stay as it is', () => {
  const file = join(folder(), 'settings.json');
  writeFileSync(file, Buffer.from('{ "a": "\u00e4" }', 'latin1'));
  expect(() => readConfig(file)).toThrow('not a text in UTF-8');
  writeFileSync(file, '{ "a": "\ufffd" }');
  expect(readConfig(file)).toBe('{ "a": "\ufffd" }');
});

test('a text that is not an object is refused', () => {
  expect(() => set('[]', ['a'], 1)).toThrow('f must contain one object. Fix it and try again.');
  expect(() => set('{ "a": 1 }', ['a', 'P'], 1)).toThrow('a is not an object');
});

test.each([
  ['{\n  "a": 1\n  "b": 2\n}\n', 3],
  ['\ufeff{\r\n  // mine\r\n  oops\r\n}\r\n', 3],
])('a fault in %j is named with its line', (text, line) => {
  expect(() => set(text, ['a'], 1)).toThrow(
    new RegExp(`^f is not valid JSON with comments in line ${line} \\(\\w+\\)\\. Fix it and try again\\.$`),
  );
});

test('a block is added with the ends of lines of the file, replaced, and removed', () => {
  const block = { begin: ';; begin', end: ';; end', lines: ['x'] };
  const added = withBlock(';; mine\r\n', block);
  expect(added).toBe(';; mine\r\n\r\n;; begin\r\nx\r\n;; end\r\n');
  expect(withBlock(added, { ...block, lines: ['y'] })).toBe(added.replace('x', 'y'));
  expect(withoutBlock(added, block)).toBe(';; mine\r\n');
  expect(withoutBlock(';; mine', block)).toBe(';; mine');
  const quoted = '(x ";; begin")\n(y ";; end")\n';
  expect(withBlock(quoted, block)).toBe(`${quoted}\n;; begin\nx\n;; end\n`);
  expect(withoutBlock(withBlock(quoted, block), block)).toBe(quoted);
  const halved = ';; begin\nmine\n';
  expect(withBlock(withBlock(halved, block), block)).toBe(`${halved}\n;; begin\nx\n;; end\n`);
  expect(withoutBlock(withBlock(halved, block), block)).toBe(halved);
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'parley-config-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

test('a link in place of the draft is not followed', () => {
  const place = folder();
  const [file, outside] = [join(place, 'config.jsonc'), join(place, 'outside')];
  writeFileSync(outside, 'theirs');
  for (const draft of [`${file}.${process.pid}.new`, `${file}.new`]) symlinkSync(outside, draft);
  writeConfig(file, '{}', 'nothing');
  expect([readFileSync(file, 'utf8'), lstatSync(file).isFile()]).toEqual(['{}', true]);
  writePrivately(file, '{ }');
  expect([readFileSync(file, 'utf8'), lstatSync(file).isFile()]).toEqual(['{ }', true]);
  expect(readFileSync(outside, 'utf8')).toBe('theirs');
});

test.skipIf(process.platform === 'win32')('a file keeps its rights; a new one is private', () => {
  const file = join(folder(), 'config.jsonc');
  writeConfig(file, '{}', 'nothing');
  expect(lstatSync(file).mode & 0o777).toBe(0o600);
  chmodSync(file, 0o664);
  writeConfig(file, '{ }', 'nothing');
  expect(lstatSync(file).mode & 0o777).toBe(0o664);
});

test('a file that cannot be replaced leaves no draft', () => {
  const place = folder();
  mkdirSync(join(place, 'config.jsonc', 'x'), { recursive: true });
  expect(() => writePrivately(join(place, 'config.jsonc'), '{}')).toThrow('rename');
  expect(readdirSync(place)).toEqual(['config.jsonc']);
});
