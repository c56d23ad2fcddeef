// Holds the list of what a client must do against the tests: each demand names a test that is
// there and is not skipped.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { acpClientRequirements } from './acp-client.ts';

const root = join(import.meta.dirname, '..', '..');

test('every requirement has an id of its own and says what it demands', () => {
  const ids = acpClientRequirements.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
  expect(acpClientRequirements.filter(({ text, source }) => text === '' || source === '')).toEqual([]);
});

describe('every requirement is verified by a test that is not skipped', () => {
  test.each(acpClientRequirements)('$id: $text', ({ file, test: title }) => {
    const source = readFileSync(join(root, file), 'utf8');
    expect(source).toContain(title);
    expect(source).not.toMatch(/\.(skip|todo|only|fails)\b/);
  });
});
