// Compares the figures of the benchmarks with their budgets. Does no I/O.
import type { Figure } from './kit.ts';

/** Limits the ratio to the floor of the same run, or the figure itself. */
export interface Budget {
  readonly ratio?: number;
  readonly most?: number;
}

export interface JudgedFigure extends Figure {
  readonly ratio?: number;
  readonly budget?: Budget;
  readonly isOver: boolean;
}

/** A figure without a budget is only shown. */
export function judge(
  figures: readonly Figure[],
  budgets: { readonly [name: string]: Budget | undefined },
): readonly JudgedFigure[] {
  return figures.map((figure) => {
    const { floor, parley, name } = figure;
    const ratio = floor === undefined ? undefined : parley / floor;
    const budget = budgets[name];
    const isOver = isAbove(ratio, budget?.ratio) || isAbove(parley, budget?.most);
    return { ...figure, ...(ratio === undefined ? {} : { ratio }), ...(budget ? { budget } : {}), isOver };
  });
}

/** What a budget limits but nobody has measured is above it. */
function isAbove(value: number | undefined, limit: number | undefined): boolean {
  return limit !== undefined && !(value !== undefined && value <= limit);
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
