// Compares the figures of the benchmarks with their budgets. Does no I/O.
import type { Figure } from './kit.ts';

/** Limits the ratio to the floor of the same run, or the figure itself. */
export interface Budget {
  readonly ratio?: number;
  readonly most?: number;
  /** Not every machine has what the benchmark needs for this figure. */
  readonly optional?: true;
}

interface Budgets {
  readonly [name: string]: Budget | undefined;
}

export interface JudgedFigure extends Figure {
  readonly ratio?: number;
  readonly budget?: Budget;
  readonly isOver: boolean;
}

/** Reads the figures that the benchmarks have recorded, one in each line. */
export function figuresIn(text: string): readonly Figure[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => parse(line, (_, value) => value ?? Number.NaN));
}

/** JSON writes null for a value that is no number. */
const parse: (text: string, revive: (key: string, value: unknown) => unknown) => Figure = JSON.parse;

/** A figure without a budget is only shown. */
export function judge(figures: readonly Figure[], budgets: Budgets): readonly JudgedFigure[] {
  return figures.map((figure) => {
    const { floor, parley, name } = figure;
    const ratio = floor === undefined ? undefined : parley / floor;
    const budget = budgets[name];
    const isOver = isAbove(ratio, budget?.ratio) || isAbove(parley, budget?.most);
    return { ...figure, ...(ratio === undefined ? {} : { ratio }), ...(budget ? { budget } : {}), isOver };
  });
}

/** The budgets of benchmarks that have run without recording the figure. */
export function unmeasured(
  rows: readonly Figure[],
  budgets: Budgets,
  benchmarks: readonly string[],
): readonly string[] {
  const measured = new Set(rows.map(({ name }) => name));
  return Object.entries(budgets).flatMap(([name, budget]) =>
    budget?.optional || measured.has(name) || !benchmarks.includes(benchmarkOf(name)) ? [] : [name],
  );
}

/** The benchmark that records a figure. */
function benchmarkOf(figure: string): string {
  return figure.split(':', 1)[0] ?? '';
}

/** What a budget limits but nobody has measured is above it. */
function isAbove(value: number | undefined, limit: number | undefined): boolean {
  return limit !== undefined && !(value !== undefined && value <= limit);
}

/** Where each goal is measured, by a part of the names of its figures, or why no benchmark measures it. */
const goals: readonly (readonly [goal: string, where: string | { readonly elsewhere: string }])[] = [
  ['G1 start', 'start: '],
  ['G2 session ready', '(G2)'],
  ['G3 prompt to request', '(G3)'],
  ['G4 lag of a word', '(G4)'],
  ['G5 last word to end', '(G5)'],
  ['G6 CPU of a word', '(G6)'],
  ['G7 growth', 'delta: after'],
  ['G8 fan-out', '(G8)'],
  ['G9 client that does not read', { elsewhere: 'test/faults/slowClient.test.ts' }],
  ['G10 many sessions', '(G10)'],
  ['G11 open', 'open: '],
  ['G12 come back', 'before the last turn'],
  ['G13 memory', '(G13)'],
  ['G14 idle', '(G14)'],
  ['G15 restart', 'restart: '],
  ['G16 durability', { elsewhere: 'test/faults/kill.test.ts, test/faults/powerCut.test.ts' }],
  ['G17 round of tools', '(G17)'],
  ['G18 search of files', '(G18)'],
  ['G19 sandbox', 'sandbox: '],
  ['G20 hostile input', { elsewhere: 'test/faults/memory.test.ts, test/faults/frames.test.ts' }],
];

/** One line for each goal: whether its figures meet their budgets, or why there are none. */
export function goalLines(rows: readonly JudgedFigure[]): readonly string[] {
  return goals.map(([goal, where]) => {
    if (typeof where === 'object') return `${goal}: not measured here (${where.elsewhere})`;
    const own = rows.filter(({ name }) => name.includes(where));
    const over = own.filter(({ isOver }) => isOver).map(({ name }) => name);
    if (own.length === 0) return `${goal}: not in this run`;
    return over.length === 0 ? `${goal}: met` : `${goal}: missed by ${over.join('; ')}`;
  });
}

export interface RunEnding {
  /** The benchmarks that failed by themselves. */
  readonly failed: readonly string[];
  /** The budgets without a figure. */
  readonly missing: readonly string[];
  readonly isChecked: boolean;
}

/**
 * The last line of a run. Figures over their budgets, or not measured, are always named; checked ones make it
 * fail.
 */
export function ending(
  rows: readonly JudgedFigure[],
  { failed, missing, isChecked }: RunEnding,
): { readonly text: string; readonly isFailure: boolean } {
  const notMeasured = missing.map((name) => `${name} (not measured)`);
  const over = [...rows.filter(({ isOver }) => isOver).map(({ name }) => name), ...notMeasured];
  const problems = [...failed, ...(isChecked ? over : [])];
  if (problems.length > 0) return { text: `Failed: ${problems.join('; ')}`, isFailure: true };
  const text =
    over.length > 0 ? `Over budget: ${over.join('; ')}` : 'No benchmark exceeded its limit or its budget.';
  return { text, isFailure: false };
}

/** The figures as a table for people. */
export function table(rows: readonly JudgedFigure[]): readonly string[] {
  const hasPeer = rows.some(({ peer }) => peer !== undefined);
  const lines = rows.map((row) => [
    row.name,
    amount(row.floor, row.unit),
    ...(hasPeer ? [amount(row.peer, row.unit)] : []),
    amount(row.parley, row.unit),
    row.ratio === undefined ? '-' : `${row.ratio.toFixed(2)}x`,
    budgetOf(row) + (row.isOver ? ' OVER' : ''),
  ]);
  const titles = ['figure', 'floor', ...(hasPeer ? ['peer'] : []), 'Parley', 'ratio', 'budget'];
  const all = [titles, ...lines];
  const widths = titles.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0)));
  return all.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function amount(value: number | undefined, unit: string): string {
  return value === undefined ? '-' : `${value.toFixed(2)} ${unit}`;
}

function budgetOf({ budget, unit }: JudgedFigure): string {
  const limits = [
    ...(budget?.ratio === undefined ? [] : [`${budget.ratio}x`]),
    ...(budget?.most === undefined ? [] : [`${budget.most} ${unit}`]),
  ];
  return limits.length === 0 ? '-' : limits.join(', ');
}
