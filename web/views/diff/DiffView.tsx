// The difference of two texts as foldable hunks.
import type { ComponentChildren } from 'preact';
import { useContext, useMemo, useState } from 'preact/hooks';
import { visibleText } from '../../../src/base/visibleText.ts';
import { compare } from '../../text/diff.ts';
import type { DiffLine, Hunk } from '../../text/diff.ts';
import { keepStart } from '../../text/plainText.ts';
import { ReadTrackingContext } from '../../state/readTracking.ts';
import { EndMarker, UnreadMarker } from '../ask/ReadMarkers.tsx';
import { FullText } from '../ask/FullText.tsx';

interface DiffViewProps {
  readonly before: string;
  readonly after: string;
  readonly label: string;
  /** Renders buttons below a hunk. */
  readonly renderHunkActions?: ((hunk: Hunk) => ComponentChildren) | undefined;
}

export function DiffView({ before, after, label, renderHunkActions }: DiffViewProps) {
  const difference = useMemo(() => compare(before, after), [before, after]);
  if (!difference) {
    return (
      <>
        <p class="hint">The texts are too different to compare. This is the new text.</p>
        <FullText text={visibleText(after)} label={`${label}, new text`} />
      </>
    );
  }
  if (difference.hunks.length === 0) return <p class="hint">No difference</p>;
  return (
    <div
      class="diff"
      role="group"
      aria-label={`${label}: ${difference.added} lines added, ${difference.removed} removed`}
    >
      {difference.hunks.map((hunk) => (
        <HunkView key={hunk.header} hunk={hunk} label={label} renderHunkActions={renderHunkActions} />
      ))}
    </div>
  );
}

const initialLines = 200;

function HunkView({
  hunk,
  label,
  renderHunkActions,
}: {
  readonly hunk: Hunk;
  readonly label: string;
  readonly renderHunkActions: DiffViewProps['renderHunkActions'];
}) {
  const { header, lines } = hunk;
  const [all, setAll] = useState(false);
  const shown = all ? lines : lines.slice(0, initialLines);
  const name = `${label}: ${header}: ${lines.map(({ text }) => text).join('\n')}`;
  return (
    <details class="hunk" open>
      <summary>{header}</summary>
      <div class="lines" role="list" tabIndex={0} aria-label={`Lines ${header}`}>
        {shown.map((line, index) => (
          <Line key={index} line={line} />
        ))}
      </div>
      {shown.length < lines.length ? <UnreadMarker name={name} /> : <EndMarker name={name} />}
      {renderHunkActions?.(hunk)}
      {shown.length < lines.length && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          Show {lines.length - shown.length} more lines
        </button>
      )}
    </details>
  );
}

const signs = { same: ' ', added: '+', removed: '−' } as const;
const labels = { same: '', added: 'Added: ', removed: 'Removed: ' } as const;
const maxLineLength = 2000;

function Line({ line: { kind, before, after, text } }: { readonly line: DiffLine }) {
  const inApproval = useContext(ReadTrackingContext) !== undefined;
  const { text: shown, hidden } = keepStart(text, inApproval ? text.length : maxLineLength);
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
        {labels[kind] !== '' && <span class="unseen">{labels[kind]}</span>}
        {visibleText(shown)}
        {hidden > 0 && ` … ${hidden} more characters`}
      </code>
    </div>
  );
}
