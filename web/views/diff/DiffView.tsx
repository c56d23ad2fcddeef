// The difference of two texts as a table of hunks, with syntax and changed words coloured.
import type { ComponentChildren } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import { visibleText } from '../../../src/base/visibleText.ts';
import { codeRuns } from '../../text/codeRuns.ts';
import { compare, wordsOf } from '../../text/diff.ts';
import type { DiffLine, Hunk } from '../../text/diff.ts';
import { markRuns } from '../../text/runs.ts';
import type { Range, Run } from '../../text/runs.ts';
import { keepStart } from '../../text/plainText.ts';
import { ReadTrackingContext } from '../../state/readTracking.ts';
import { EndMarker, UnreadMarker } from '../ask/ReadMarkers.tsx';
import { FullText } from '../ask/FullText.tsx';

interface DiffViewProps {
  readonly before: string;
  readonly after: string;
  /** The name of the file; its ending chooses the language. */
  readonly label: string;
  /** Renders buttons at the head of a hunk. */
  readonly renderHunkActions?: ((hunk: Hunk) => ComponentChildren) | undefined;
}

export function DiffView({ before, after, label, renderHunkActions }: DiffViewProps) {
  const difference = useMemo(() => compare(before, after), [before, after]);
  if (!difference) {
    return (
      <>
        <p class="note">The texts are too different to compare. This is the new text.</p>
        <FullText text={visibleText(after)} label={`${label}, new text`} />
      </>
    );
  }
  if (difference.hunks.length === 0) return <p class="note">No difference</p>;
  return (
    <div
      class="frame"
      role="group"
      aria-label={`${label}: ${difference.added} lines added, ${difference.removed} removed`}
    >
      <div class="diff-scroll" role="group" aria-label={`Lines of ${label}`} tabIndex={0} dir="ltr">
        <table class="diff" aria-label={label}>
          {difference.hunks.map((hunk) => (
            <HunkView key={hunk.header} hunk={hunk} label={label} renderHunkActions={renderHunkActions} />
          ))}
        </table>
      </div>
    </div>
  );
}

const initialLines = 200;

interface HunkViewProps {
  readonly hunk: Hunk;
  readonly label: string;
  readonly renderHunkActions: DiffViewProps['renderHunkActions'];
}

function HunkView({ hunk, label, renderHunkActions }: HunkViewProps) {
  const { header, lines } = hunk;
  const [all, setAll] = useState(false);
  const shown = all ? lines : lines.slice(0, initialLines);
  const name = `${label}: ${header}: ${lines.map(({ text }) => text).join('\n')}`;
  const words = useMemo(() => wordsOf(lines), [lines]);
  const runs = useHighlightedLines(shown, label);
  return (
    <tbody class="hunk">
      <tr class="skip-row">
        <td colSpan={4}>
          {header} {renderHunkActions?.(hunk)}
        </td>
      </tr>
      {shown.map((line, index) => (
        <Line key={index} line={line} words={words.get(line)} runs={runs?.get(line)} />
      ))}
      <tr class="skip-row ending">
        <td colSpan={4}>
          {shown.length < lines.length ? (
            <>
              <UnreadMarker name={name} />
              <button type="button" class="link" onClick={() => setAll(true)}>
                Show {lines.length - shown.length} more lines
              </button>
            </>
          ) : (
            <EndMarker name={name} />
          )}
        </td>
      </tr>
    </tbody>
  );
}

const maxHighlighted = 400;

/** The old and the new text are highlighted on their own, because each is code only as a whole. */
function useHighlightedLines(
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

const signs = { same: '', added: '+', removed: '−' } as const;
const labels = { same: '', added: 'Added: ', removed: 'Removed: ' } as const;
const classes = { same: '', added: 'add', removed: 'del' } as const;
const maxLineLength = 2000;

interface LineProps {
  readonly line: DiffLine;
  readonly words: readonly Range[] | undefined;
  readonly runs: readonly Run[] | undefined;
}

function Line({ line: { kind, before, after, text }, words = [], runs }: LineProps) {
  const inApproval = useContext(ReadTrackingContext) !== undefined;
  const { text: shown, hidden } = keepStart(text, inApproval ? text.length : maxLineLength);
  const visible = visibleText(shown);
  // Ranges count the characters of the text itself; what was made visible has other positions.
  const ranges = visible === text ? words : [];
  return (
    <tr class={classes[kind]}>
      <td class="ln" aria-hidden="true">
        {before ?? ''}
      </td>
      <td class="ln" aria-hidden="true">
        {after ?? ''}
      </td>
      <td class="sign" aria-hidden="true">
        {signs[kind]}
      </td>
      <td class="src">
        {labels[kind] !== '' && <span class="unseen">{labels[kind]}</span>}
        <Code kind={kind} ranges={ranges} runs={matching(runs, visible)} />
        {hidden > 0 && ` … ${hidden} more characters`}
      </td>
    </tr>
  );
}

/** The highlighted runs, if they are the text; otherwise the text as one run. */
function matching(runs: readonly Run[] | undefined, text: string): readonly Run[] {
  return runs && runs.map((run) => run.text).join('') === text ? runs : [{ text, kind: '' }];
}

interface CodeProps {
  readonly kind: DiffLine['kind'];
  readonly ranges: readonly Range[];
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
