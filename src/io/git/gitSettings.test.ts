import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gitSettings } from './gitSettings.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-git-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  '[a]\n\tb = c\n',
  '[a] b=c\n[A "x y"] B = "c d"\n',
  '[a]\r\n\tb = c \r\n',
  '\uFEFF[a]\nb = c',
  '[a]\nb = "" c ; d\n',
  '[a]\nb = c#d\n[a]\nb = "c#d" # "e\n',
  '[a]\nb = \\\n  !c \\\n  d\n',
  '[a]\nb = c # d \\\ne = f\n',
  '[a]\nb = "c\\"d\\\\e\\tf"\n',
  '[a]\nb\nc =\n',
  '[a.b]\nc = d\n[a "b\\"\\c]"]\nc = e\n',
  '# x\n; y\n[a]b=c\n',
  '[a]\nb = c   d\t\n',
])('%j is read as git reads it', (text) => {
  const path = join(folder, 'config');
  writeFileSync(path, text);
  const listed = execFileSync('git', ['config', '--file', path, '--list', '--null'], { encoding: 'utf8' });
  const settings = (gitSettings(text) ?? []).map(({ section, subsection, key, value }) => {
    const name = [section, ...(subsection === '' ? [] : [subsection]), key].join('.');
    return `${name}\n${value}\0`;
  });
  // A key alone is listed without a value.
  expect(settings.join('')).toBe(listed.replaceAll(/(^|\0)([^\n\0]+)\0/g, '$1$2\ntrue\0'));
});

test.each(['[a', '[a]\nb = "c\n', '[a]\nb = \\x\n', '[a]\nb # c\n', '[a]\n= c\n', '[a]\nb ~ c\n'])(
  '%j is refused, as git refuses it',
  (text) => {
    const path = join(folder, 'config');
    writeFileSync(path, text);
    expect(() => execFileSync('git', ['config', '--file', path, '--list'], { stdio: 'pipe' })).toThrow('bad');
    expect(gitSettings(text)).toBeUndefined();
  },
);
