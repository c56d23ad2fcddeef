// The report of the benchmarks: which figures are over their budgets, and that every budget has a figure.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ending, figuresIn, goalLines, judge, table, unmeasured } from '../bench/report.ts';
import type { Budget } from '../bench/report.ts';

const figure = { name: 'a', unit: 'ms', floor: 2, parley: 5 };
const { floor: _, ...alone } = figure;

test.each<[string, object, Budget | undefined, boolean]>([
  ['a ratio within its budget', figure, { ratio: 2.5 }, false],
  ['a ratio over its budget', figure, { ratio: 2.4 }, true],
  ['a figure within its budget', alone, { most: 5 }, false],
  ['a figure over its budget', alone, { most: 4.9 }, true],
  ['one of two limits', figure, { ratio: 3, most: 4 }, true],
  ['a ratio that nobody has measured', alone, { ratio: 3 }, true],
  ['what is no number', { ...figure, parley: Number.NaN }, { ratio: 3 }, true],
  ['no budget', figure, undefined, false],
])('%s', (...[, change, budget, isOver]) => {
  const [row] = judge([{ ...alone, ...change }], { a: budget });
  expect(row?.isOver).toBe(isOver);
  expect(row && table([row]).join('\n').includes('OVER')).toBe(isOver);
});

test('the table shows floor, Parley, ratio and budget', () => {
  const rows = judge([figure, { ...alone, name: 'long name' }], { a: { ratio: 2, most: 9 } });
  expect(table(rows)).toEqual([
    'figure     floor    Parley   ratio  budget',
    'a          2.00 ms  5.00 ms  2.50x  2x, 9 ms OVER',
    'long name  -        5.00 ms  -      -',
  ]);
});

test('a figure that is no number is over its budget after it was recorded, too', () => {
  const recorded = [figure, { ...figure, name: 'b', parley: Number.NaN }, { ...alone, name: 'c' }]
    .map((each) => `${JSON.stringify(each)}\n`)
    .join('');
  const budget = { ratio: 9, most: 9 };
  const rows = judge(figuresIn(recorded), { a: budget, b: budget, c: { most: 9 } });
  expect(rows.map(({ isOver }) => isOver)).toEqual([false, true, false]);
  expect(table(rows)[2]).toContain('OVER');
  expect(figuresIn('')).toEqual([]);
});

test('budgets without a figure are named, unless their benchmark did not run', () => {
  const budgets: { readonly [name: string]: Budget } = {
    'one: a': { most: 9 },
    'one: b': { ratio: 9 },
    'one: c': { most: 9, optional: true },
    'other: a': { most: 9 },
  };
  const rows = judge([{ ...figure, name: 'one: a' }], budgets);
  const missing = unmeasured(rows, budgets, ['one']);
  expect(missing).toEqual(['one: b']);
  const end = (isChecked: boolean) => ending(rows, { failed: [], missing, isChecked });
  expect(end(false)).toEqual({ text: 'Over budget: one: b (not measured)', isFailure: false });
  expect(end(true)).toEqual({ text: 'Failed: one: b (not measured)', isFailure: true });
});

test.each<[string, number, readonly string[], boolean, ReturnType<typeof ending>]>([
  ['nothing over', 9, [], true, { text: 'No benchmark exceeded its limit or its budget.', isFailure: false }],
  ['a figure over its budget', 1, [], false, { text: 'Over budget: a', isFailure: false }],
  ['the same, checked', 1, [], true, { text: 'Failed: a', isFailure: true }],
  ['a benchmark that failed', 9, ['b'], false, { text: 'Failed: b', isFailure: true }],
])('the last line tells of %s', (...[, most, failed, isChecked, expected]) => {
  expect(ending(judge([figure], { a: { most } }), { failed, missing: [], isChecked })).toEqual(expected);
});

test('every budget belongs to a benchmark that exists', () => {
  const read: (text: string) => { readonly [name: string]: Budget } = JSON.parse;
  const names = Object.keys(read(readFileSync('bench/budgets.json', 'utf8')));
  const benches = readdirSync('bench').map((name) => name.replace('.bench.ts', ''));
  expect(names.filter((name) => !benches.includes(name.split(':', 1)[0] ?? ''))).toEqual([]);
});

test('every goal is met, missed, not in this run, or measured elsewhere in a file that exists', () => {
  const rows = judge(
    [
      { ...figure, name: 'start: a' },
      { ...figure, name: 'many: b (G10)' },
    ],
    { 'start: a': { ratio: 9 }, 'many: b (G10)': { ratio: 1 } },
  );
  const lines = goalLines(rows);
  expect(lines.map((line) => line.split(' ', 1)[0])).toEqual(
    Array.from({ length: 20 }, (_each, n) => `G${n + 1}`),
  );
  expect(lines[0]).toBe('G1 start: met');
  expect(lines[9]).toBe('G10 many sessions: missed by many: b (G10)');
  expect(lines[1]).toBe('G2 session ready: not in this run');
  const files = lines.flatMap((line) => line.match(/test\/\S+\.test\.ts/g) ?? []);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});
