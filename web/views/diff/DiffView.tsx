// The difference of two texts as a table of hunks, with syntax and changed words coloured.
import { useMemo, useState } from 'preact/hooks';
import { visibleText } from '../../../src/base/visibleText.ts';
import { compare, hunkLines, wordsOf } from '../../text/diff.ts';
import type { DiffLine, Hunk } from '../../text/diff.ts';
import { showMoreLines } from '../../text/format.ts';
import type { TextRange, Run } from '../../text/runs.ts';
import { EndMarker, UnreadMarker } from '../ask/ReadMarkers.tsx';
import { FullText } from '../ask/FullText.tsx';
import { LineCode, useHighlightedLines } from './LineCode.tsx';

interface DiffViewProps {
  readonly before: string;
  readonly after: string;
  /** The name of the file; its ending chooses the language. */
  readonly label: string;
}

export function DiffView({ before, after, label }: DiffViewProps) {
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
            <HunkView key={hunk.header} hunk={hunk} label={label} />
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
}

function HunkView({ hunk, label }: HunkViewProps) {
  const { header, place, lines } = hunk;
  const at = hunkLines(hunk);
  const [all, setAll] = useState(false);
  // The same list each time it is drawn: it is highlighted once.
  const shown = useMemo(() => (all ? lines : lines.slice(0, initialLines)), [lines, all]);
  const name = `${label}: ${header}: ${lines.map(({ text }) => text).join('\n')}`;
  const words = useMemo(() => wordsOf(lines), [lines]);
  const runs = useHighlightedLines(shown, label);
  return (
    <tbody class="hunk">
      <tr class="skip-row">
        <td colSpan={4}>
          {at.includes('–') ? 'Lines' : 'Line'} {at}{' '}
          {place !== '' && <code dir="ltr">{visibleText(place)}</code>}
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
                {showMoreLines(lines.length - shown.length)}
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

const signs = { same: '', added: '+', removed: '−' } as const;
const classes = { same: '', added: 'add', removed: 'del' } as const;

interface LineProps {
  readonly line: DiffLine;
  readonly words: readonly TextRange[] | undefined;
  readonly runs: readonly Run[] | undefined;
}

function Line({ line, words, runs }: LineProps) {
  const { kind, before, after } = line;
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
        <LineCode line={line} words={words} runs={runs} />
      </td>
    </tr>
  );
}
