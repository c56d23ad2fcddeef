import { expect, test, vi } from 'vitest';
import { parseInput } from './callTool.ts';

const withValues = (count: number) =>
  JSON.stringify({ x: Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, null])) });

test('arguments with too many values are refused; long texts are not', () => {
  expect(parseInput(withValues(500_000))).toBe(undefined);
  expect(parseInput(withValues(99_999))).toHaveProperty('x.k99998', null);
  expect(parseInput(JSON.stringify({ text: '1,2,'.repeat(500_000) }))).toHaveProperty('text');
});

test('arguments with too many values or levels are not even parsed', () => {
  const parse = vi.spyOn(JSON, 'parse');
  expect(parseInput(withValues(500_000))).toBe(undefined);
  expect(parseInput(`{"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)).toBe(undefined);
  expect(parse).not.toHaveBeenCalled();
  parse.mockRestore();
});
