// Holds the list of requirements against the tests: each is verified by the test it names, and no test
// verifies what is not listed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { acpAgentRequirements, verifies } from './acp-agent.ts';

const folder = join(import.meta.dirname, 'acp-agent');
const sources = readdirSync(folder)
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => readFileSync(join(folder, name), 'utf8'));
const verified = sources.flatMap((source) =>
  [...source.matchAll(/\btest\(`ACP: \$\{verifies\(([^)]*)\)\}`/g)].map(([, ids = '']) =>
    [...ids.matchAll(/'([^']+)'/g)].map(([, id = '']) => id),
  ),
);

test('every requirement has an id of its own', () => {
  const ids = acpAgentRequirements.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
});

test('every requirement is verified by exactly one test, which is not skipped', () => {
  expect(verified.flat().toSorted()).toEqual(acpAgentRequirements.map(({ id }) => id).toSorted());
  for (const source of sources) expect(source).not.toMatch(/\.(skip|todo|only|fails)\b/);
});

test('every test is named by all of its requirements', () => {
  const titles = verified.map((ids) => verifies(...ids));
  expect(titles).toEqual([...new Set(titles)]);
});
