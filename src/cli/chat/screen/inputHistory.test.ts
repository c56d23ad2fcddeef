import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { InputHistory } from './inputHistory.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-history-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'chat-history.jsonl');

test('is kept for its owner alone, once each, without what is damaged or huge', () => {
  const history = new InputHistory(folder);
  expect(history.read()).toEqual([]);
  for (const text of ['one', 'two\nlines', 'one', 'x'.repeat(5_000)]) history.add(text);
  appendFileSync(path, '{"no": "text"}\n"cut off');
  expect(new InputHistory(folder).read()).toEqual(['two\nlines', 'one']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('is shortened when it has become too long', () => {
  const history = new InputHistory(folder);
  appendFileSync(path, `\n${Array.from({ length: 1_100 }, (_, at) => `"${at}"\n`).join('')}`);
  const messages = history.read();
  expect([messages.length, messages[0], messages.at(-1)]).toEqual([500, '600', '1099']);
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(501);
});

test('costs nothing where it cannot be kept', () => {
  const nowhere = new InputHistory(join(folder, 'none'));
  nowhere.add('words');
  expect(nowhere.read()).toEqual([]);
});
