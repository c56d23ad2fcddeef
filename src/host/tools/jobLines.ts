// The newest output lines of a program, by stream; older ones are counted and dropped.

export interface JobLine {
  readonly text: string;
  readonly stream: 'stdout' | 'stderr';
}

export interface JobLines {
  /** How many lines are complete, and how many of them were dropped. */
  readonly ended: number;
  readonly dropped: number;
  add(text: string, stream: JobLine['stream']): void;
  /** Adds a line of our own, after what the program has begun. */
  remark(text: string): void;
  /** The stored lines from a number on; an incomplete line comes last. */
  since(from: number): readonly JobLine[];
}

const mostLines = 2_000;

/** A longer line is cut. */
const longestLine = 2_000;

export function jobLines(): JobLines {
  let lines: JobLine[] = [];
  let dropped = 0;
  /** The incomplete line of each stream. */
  const open: { [stream in JobLine['stream']]: string } = { stdout: '', stderr: '' };
  return {
    get ended() {
      return dropped + lines.length;
    },
    get dropped() {
      shorten();
      return dropped;
    },
    add(text, stream) {
      const [first = '', ...rest] = text.split('\n');
      open[stream] = cut(open[stream] + first);
      for (const next of rest) {
        lines.push({ text: open[stream].replace(/\r$/, ''), stream });
        open[stream] = cut(next);
      }
      // Trimming only occasionally keeps many small pieces cheap.
      if (lines.length > 2 * mostLines) shorten();
    },
    remark(text) {
      this.add(`${open.stdout === '' ? '' : '\n'}${text}\n`, 'stdout');
    },
    since(from) {
      shorten();
      return [...lines, ...unfinished()].slice(Math.max(0, from - dropped));
    },
  };

  function unfinished(): readonly JobLine[] {
    return (['stdout', 'stderr'] as const).flatMap((stream) =>
      open[stream] === '' ? [] : [{ text: open[stream], stream }],
    );
  }

  function shorten(): void {
    const surplus = Math.max(0, lines.length - mostLines);
    dropped += surplus;
    lines = surplus === 0 ? lines : lines.slice(surplus);
  }
}

function cut(text: string): string {
  return text.length > longestLine ? `${text.slice(0, longestLine - 1)}…` : text;
}
