// Holds the list of requirements against the tests: each names a test that exists and is not skipped, and no
// section is forgotten.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ahpRequirements, unmet } from './ahp.ts';

const root = join(import.meta.dirname, '..', '..');

test('every requirement has an id of its own', () => {
  const ids = [...ahpRequirements, ...unmet].map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
});

test.each([...new Set(ahpRequirements.map(({ file }) => file))])(
  'every test that %s is named for exists and is not skipped',
  (file) => {
    const source = readFileSync(join(root, file), 'utf8');
    for (const { test: title } of ahpRequirements.filter((each) => each.file === file))
      expect(source).toContain(`('${title}'`);
    expect(source).not.toMatch(/\.(skip|todo|only|fails)\b/);
  },
);

test('every item of the checklist is in the list', () => {
  const items = new Set(ahpRequirements.map(({ id }) => id.replace(/\..*$/, '')));
  for (let i = 1; i <= 17; i += 1) expect(items).toContain(`H${i}`);
  expect(items).toContain('A10');
  expect(items).toContain('B9');
});
