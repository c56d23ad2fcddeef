// Every path of the repository that the documentation writes in backticks exists. `src/` may be left out.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const skipped = new Set(['.git', 'node_modules', 'dist', 'coverage', 'artifacts']);
const paths = pathsBelow('');
const topFolders = namesIn('').concat(namesIn('src'));
const pages = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'AGENTS.md'].concat(
  readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
);

test.each(pages)('every path in %s exists', (page) => {
  expect(missingPaths(readFileSync(join(root, page), 'utf8'))).toEqual([]);
});

describe('what counts as a path', () => {
  check('`src/model/event.ts`, `model/event.ts`, `event.ts`', []);
  check('`src/model`, `src/model/` and `model/event`', []);
  check('`src/protocols/*/schema.ts` and `src/doors/<name>/door.ts`', []);
  check('`src/{model,host}`', []);
  check('`session/update`, `text/plain`, `--trace` and `host.ndjson` are none', []);
  check('```\nsrc/none.ts `src/none.ts`\n```\n', []);
  check('`src/none.ts` and `model/none.ts`', ['src/none.ts', 'model/none.ts']);
  check('`doesNotExist.ts`', ['doesNotExist.ts']);
  check('`src/model/none/<name>.ts`', ['src/model/none/<name>.ts']);
  check('`src/{model,none}`', ['src/none']);
});

function check(text: string, expected: readonly string[]): void {
  test(`${text.replaceAll('\n', ' ')}: ${expected.join(', ') || 'nothing is missing'}`, () => {
    expect(missingPaths(text)).toEqual(expected);
  });
}

function missingPaths(text: string): string[] {
  const prose = text.replaceAll(/^```[^]*?^```/gm, '');
  const written = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return written
    .filter(isPath)
    .flatMap(alternatives)
    .filter((path) => !exists(path));
}

/** A path begins with a folder of ours, or it is the bare name of a source file. */
function isPath(code: string): boolean {
  if (/^[\w-]+\.(?:ts|tsx|mjs|mts)$/.test(code)) return true;
  const [first = ''] = code.split('/');
  return /^[\w.@*<>{},/-]+$/.test(code) && code.includes('/') && topFolders.includes(first);
}

/** `a/{b,c}` means `a/b` and `a/c`. */
function alternatives(path: string): readonly string[] {
  const [, before = '', list, after = ''] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(path) ?? [];
  return list === undefined ? [path] : list.split(',').flatMap((name) => alternatives(before + name + after));
}

/** `*` stands for any name. `<name>` is for the reader to choose: only the folders before it must exist. */
function exists(path: string): boolean {
  const [fixed = ''] = path.replace(/\/$/, '').split(/\/?[^/]*</);
  const pattern = fixed.replaceAll(/[.]/g, '\\.').replaceAll('*', '[^/]+');
  const wanted = new RegExp(`(?:^|/)${pattern}(?:\\.tsx?|\\.bench\\.ts)?$`);
  return paths.some((known) => wanted.test(known));
}

function namesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !skipped.has(entry.name))
    .map(({ name }) => name);
}

function pathsBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !skipped.has(name))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      return entry.isDirectory() ? [path, ...pathsBelow(path)] : [path];
    });
}
