// The code of one line of a diff: syntax colours, changed words, hidden characters made visible.
import { useContext, useEffect, useState } from 'preact/hooks';
import { visibleText } from '../../../src/base/visibleText.ts';
import { ReadTrackingContext } from '../../state/readTracking.ts';
import { codeRuns } from '../../text/codeRuns.ts';
import type { DiffLine } from '../../text/diff.ts';
import { keepStart } from '../../text/plainText.ts';
import { markRuns } from '../../text/runs.ts';
import type { TextRange, Run } from '../../text/runs.ts';

interface LineCodeProps {
  readonly line: DiffLine;
  readonly words: readonly TextRange[] | undefined;
  readonly runs: readonly Run[] | undefined;
}

const labels = { same: '', added: 'Added: ', removed: 'Removed: ' } as const;
const maxLineLength = 2000;

export function LineCode({ line: { kind, text }, words = [], runs }: LineCodeProps) {
  const inApproval = useContext(ReadTrackingContext) !== undefined;
  const { text: shown, hidden } = keepStart(text, inApproval ? text.length : maxLineLength);
  const visible = visibleText(shown);
  // Ranges count the characters of the text itself; what was made visible has other positions.
  const ranges = visible === text ? words : [];
  return (
    <>
      {labels[kind] !== '' && <span class="unseen">{labels[kind]}</span>}
      <Code kind={kind} ranges={ranges} runs={matching(runs, visible)} />
      {hidden > 0 && ` … ${hidden} more characters`}
    </>
  );
}

const maxHighlighted = 400;

/** The old and the new text are highlighted on their own, because each is code only as a whole. */
export function useHighlightedLines(
  lines: readonly DiffLine[],
  label: string,
): ReadonlyMap<DiffLine, readonly Run[]> | undefined {
  const [found, setFound] = useState<{
    readonly lines: readonly DiffLine[];
    readonly runs: ReadonlyMap<DiffLine, readonly Run[]>;
  }>();
  useEffect(() => {
    let current = true;
    if (lines.length > maxHighlighted) return undefined;
    void highlightLines(lines, languageOf(label)).then(
      (runs) => current && runs && setFound({ lines, runs }),
    );
    return () => {
      current = false;
    };
  }, [lines, label]);
  return found?.lines === lines ? found.runs : undefined;
}

async function highlightLines(
  lines: readonly DiffLine[],
  language: string,
): Promise<ReadonlyMap<DiffLine, readonly Run[]> | undefined> {
  const sides = [
    lines.filter(({ kind }) => kind !== 'removed'),
    lines.filter(({ kind }) => kind !== 'added'),
  ];
  const runs = new Map<DiffLine, readonly Run[]>();
  for (const side of sides) {
    const found = await codeRuns(side.map(({ text }) => visibleText(text)).join('\n'), language);
    if (!found) return undefined;
    for (const [index, line] of side.entries()) runs.set(line, found[index] ?? []);
  }
  return runs;
}

function languageOf(fileName: string): string {
  const at = fileName.lastIndexOf('.');
  return at < 0 ? '' : fileName.slice(at + 1);
}

/** The highlighted runs, if they are the text; otherwise the text as one run. */
function matching(runs: readonly Run[] | undefined, text: string): readonly Run[] {
  return runs && runs.map((run) => run.text).join('') === text ? runs : [{ text, kind: '' }];
}

interface CodeProps {
  readonly kind: DiffLine['kind'];
  readonly ranges: readonly TextRange[];
  readonly runs: readonly Run[];
}

function Code({ kind, ranges, runs }: CodeProps) {
  return (
    <>
      {markRuns(runs, ranges).map(({ text, kind: syntax, marked }, index) => {
        const piece = syntax === '' ? text : <span class={syntax}>{text}</span>;
        if (!marked) return <span key={index}>{piece}</span>;
        return kind === 'added' ? <ins key={index}>{piece}</ins> : <del key={index}>{piece}</del>;
      })}
    </>
  );
}
