// The change of one text, hunk by hunk. It knows nothing of files.
import type { ComponentChildren } from 'preact';
import { useContext, useMemo, useState } from 'preact/hooks';
import { visibleText } from '../../../src/base/visibleText.ts';
import { compare } from '../../text/diff.ts';
import type { DiffLine, Hunk } from '../../text/diff.ts';
import { firstOf } from '../../text/plain.ts';
import { ReadingContext } from '../../state/reading.ts';
import { EndMark, Unfinished } from '../ask/EndMark.tsx';
import { Whole } from '../ask/Whole.tsx';

interface DiffViewProps {
  readonly before: string;
  readonly after: string;
  readonly label: string;
  /** What can be done about one hunk. */
  readonly aside?: ((hunk: Hunk) => ComponentChildren) | undefined;
}

export function DiffView({ before, after, label, aside }: DiffViewProps) {
  const difference = useMemo(() => compare(before, after), [before, after]);
  if (!difference) {
    return (
      <>
        <p class="hint">These texts are too different to compare; this is the new one.</p>
        <Whole text={visibleText(after)} label={`${label}, new text`} />
      </>
    );
  }
  if (difference.hunks.length === 0) return <p class="hint">No difference.</p>;
  return (
    <div
      class="diff"
      role="group"
      aria-label={`${label}: ${difference.added} lines added, ${difference.removed} removed`}
    >
      {difference.hunks.map((hunk) => (
        <HunkView key={hunk.header} hunk={hunk} label={label} aside={aside} />
      ))}
    </div>
  );
}

const linesAtFirst = 200;

function HunkView({
  hunk,
  label,
  aside,
}: {
  readonly hunk: Hunk;
  readonly label: string;
  readonly aside: DiffViewProps['aside'];
}) {
  const { header, lines } = hunk;
  const [all, setAll] = useState(false);
  const shown = all ? lines : lines.slice(0, linesAtFirst);
  const name = `${label}: ${header}: ${lines.map(({ text }) => text).join('\n')}`;
  return (
    <details class="hunk" open>
      <summary>{header}</summary>
      <div class="lines" role="list" tabIndex={0} aria-label={`Lines ${header}`}>
        {shown.map((line, index) => (
          <Line key={index} line={line} />
        ))}
      </div>
      {shown.length < lines.length ? <Unfinished name={name} /> : <EndMark name={name} />}
      {aside?.(hunk)}
      {shown.length < lines.length && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          Show {lines.length - shown.length} more lines
        </button>
      )}
    </details>
  );
}

const signs = { same: ' ', added: '+', removed: '−' } as const;
const words = { same: '', added: 'Added: ', removed: 'Removed: ' } as const;
const longestLine = 2000;

function Line({ line: { kind, before, after, text } }: { readonly line: DiffLine }) {
  const deciding = useContext(ReadingContext) !== undefined;
  const { text: shown, hidden } = firstOf(text, deciding ? text.length : longestLine);
  return (
    <div role="listitem" class={`line ${kind}`}>
      <span class="number" aria-hidden="true">
        {before ?? ''}
      </span>
      <span class="number" aria-hidden="true">
        {after ?? ''}
      </span>
      <span class="sign" aria-hidden="true">
        {signs[kind]}
      </span>
      <code>
        {words[kind] !== '' && <span class="unseen">{words[kind]}</span>}
        {visibleText(shown)}
        {hidden > 0 && ` … ${hidden} more characters`}
      </code>
    </div>
  );
}
