// Requirements that hold against attacks and faults: each names the tests that verify it, or the reason why
// no test can.
import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** A test by its file, from the root of the repository, and its title or the name of its case in the data. */
export type NamedTest = readonly [file: string, title: string];

export interface StandingRequirement {
  readonly id: string;
  /** What must hold, in our own words. */
  readonly text: string;
  readonly tests: readonly NamedTest[];
}

/** A requirement, or a part of one, that no test here can verify. */
export interface UntestedRequirement {
  readonly id: string;
  readonly text: string;
  readonly reason: string;
}

/** Why a named test does not verify anything; undefined if it does. */
export function problemOf([file, title]: NamedTest): string | undefined {
  const source = readFileSync(join(root, file), 'utf8');
  if (!namesTest(source, title)) return `${file} has no test "${title}"`;
  if (/\b(?:test|it|describe)(?:\.\w+)*\.(?:skip|todo|only|fails)\b/.test(source))
    return `${file} skips tests`;
  return file.endsWith('.test.ts') || isUsed(file) ? undefined : `No test reads ${file}`;
}

/** Whether a text is the title in a call, the first value or the `name` of a case, or the key of one. */
function namesTest(source: string, title: string): boolean {
  return ["'", '"', '`'].some((quote) => {
    const parts = source.split(`${quote}${title}${quote}`);
    return parts.some((before, at) => {
      const after = parts[at + 1];
      if (after === undefined) return false;
      return /(?:\w\(|\)\(|\[|\bname:)\s*$/.test(before) ? after.startsWith(',') : isCaseKey(before, after);
    });
  });
}

function isCaseKey(before: string, after: string): boolean {
  return /[,{\n]\s*$/.test(before) && after.startsWith(':');
}

/** Whether a test beside a file of data imports it. */
function isUsed(file: string): boolean {
  const folder = join(root, dirname(file));
  return readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .some((name) => readFileSync(join(folder, name), 'utf8').includes(`./${basename(file)}'`));
}
