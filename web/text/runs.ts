// Runs of highlighted code, and ranges that are marked in them. Pure.

export interface Run {
  readonly text: string;
  /** The class of the syntax highlighting; empty for plain text. */
  readonly kind: string;
}

export interface TextRange {
  readonly from: number;
  readonly to: number;
}

export interface MarkedRun extends Run {
  /** Inside one of the ranges. */
  readonly marked: boolean;
}

/** Cuts the runs of one line at the ends of the ranges. Ranges are in order and do not overlap. */
export function markRuns(runs: readonly Run[], ranges: readonly TextRange[]): readonly MarkedRun[] {
  const cuts = ranges.flatMap(({ from, to }) => [from, to]);
  let at = 0;
  return runs.flatMap(({ text, kind }) => {
    const [start, end] = [at, at + text.length];
    at = end;
    const edges = [start, ...cuts.filter((cut) => cut > start && cut < end), end];
    return edges.slice(1).map((to, index) => {
      const from = edges[index] ?? start;
      const marked = ranges.some((range) => range.from <= from && to <= range.to);
      return { text: text.slice(from - start, to - start), kind, marked };
    });
  });
}
