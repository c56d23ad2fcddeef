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
  if (!["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`)))
    return `${file} has no test "${title}"`;
  if (/\b(?:test|it|describe)(?:\.\w+)*\.(?:skip|todo|only|fails)\b/.test(source))
    return `${file} skips tests`;
  return file.endsWith('.test.ts') || isUsed(file) ? undefined : `No test reads ${file}`;
}

/** Whether a test beside a file of data imports it. */
function isUsed(file: string): boolean {
  const folder = join(root, dirname(file));
  return readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .some((name) => readFileSync(join(folder, name), 'utf8').includes(`./${basename(file)}'`));
}
