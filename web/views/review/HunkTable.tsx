// The lines of one hunk, unified or side by side. Every line has a button for a comment.
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { DiffLine, Hunk } from '../../text/diff.ts';
import { wordsOf } from '../../text/diff.ts';
import { showMoreLines } from '../../text/format.ts';
import { LineCode, useHighlightedLines } from '../diff/LineCode.tsx';

export interface LinePlace {
  readonly line: number;
  readonly side: 'before' | 'after';
  readonly quote: string;
}

interface HunkTableProps {
  readonly hunk: Hunk;
  /** The path of the file. */
  readonly path: string;
  readonly layout: 'side' | 'unified';
  /** Absent where nobody may comment. */
  readonly onComment?: ((place: LinePlace) => void) | undefined;
  /** What stands below a line: its comment, or the form of one. */
  readonly renderBelow: (place: LinePlace) => ComponentChildren;
}

const initialLines = 300;

export function HunkTable(props: HunkTableProps) {
  const { hunk, path, layout } = props;
  const [all, setAll] = useState(false);
  const lines = useMemo(() => (all ? hunk.lines : hunk.lines.slice(0, initialLines)), [hunk, all]);
  const words = useMemo(() => wordsOf(lines), [lines]);
  const runs = useHighlightedLines(lines, path.slice(path.lastIndexOf('/') + 1));
  const codeOf = (line: DiffLine) => <LineCode line={line} words={words.get(line)} runs={runs?.get(line)} />;
  const Table = layout === 'side' ? SideTable : UnifiedTable;
  return (
    <div class="diff-scroll" tabIndex={0} role="group" aria-label={`Lines of ${path}`} dir="ltr">
      <Table {...props} lines={lines} codeOf={codeOf} />
      {lines.length < hunk.lines.length && (
        <button type="button" class="link more-lines" onClick={() => setAll(true)}>
          {showMoreLines(hunk.lines.length - lines.length)}
        </button>
      )}
    </div>
  );
}

interface TableProps extends HunkTableProps {
  readonly lines: readonly DiffLine[];
  readonly codeOf: (line: DiffLine) => ComponentChildren;
}

const signs = { same: '', added: '+', removed: '−' } as const;
const classes = { same: '', added: 'add', removed: 'del' } as const;

function UnifiedTable({ lines, path, codeOf, onComment, renderBelow }: TableProps) {
  return (
    <table class="diff" aria-label={`Changes of ${path}`}>
      <tbody>
        {lines.map((line, index) => {
          const place = linePlace(line);
          const below = renderBelow(place);
          const number = <LineNumber place={place} onComment={onComment} />;
          const isRemoved = line.kind === 'removed';
          return [
            <tr key={index} class={classes[line.kind]}>
              <td class="ln">{isRemoved ? number : <span aria-hidden="true">{line.before}</span>}</td>
              <td class="ln">{!isRemoved && number}</td>
              <td class="sign" aria-hidden="true">
                {signs[line.kind]}
              </td>
              <td class="src">{codeOf(line)}</td>
            </tr>,
            below && <CommentRow key={`${index} below`}>{below}</CommentRow>,
          ];
        })}
      </tbody>
    </table>
  );
}

function SideTable({ lines, path, codeOf, onComment, renderBelow }: TableProps) {
  return (
    <table class="diff side" aria-label={`Changes of ${path}, side by side`}>
      <colgroup>
        <col class="c-ln" />
        <col class="c-src" />
        <col class="c-ln" />
        <col class="c-src" />
      </colgroup>
      <tbody>
        {pairsOf(lines).map(({ left, right }, index) => {
          const places = [left && left.kind === 'removed' ? left : undefined, right].flatMap((line) =>
            line ? [linePlace(line)] : [],
          );
          const below = places.map((place) => renderBelow(place)).filter(Boolean);
          return [
            <tr key={index}>
              <Cell
                line={left}
                kind="del"
                codeOf={codeOf}
                onComment={left?.kind === 'removed' ? onComment : undefined}
              />
              <Cell line={right} kind="add" codeOf={codeOf} onComment={onComment} />
            </tr>,
            below.length > 0 && <CommentRow key={`${index} below`}>{below}</CommentRow>,
          ];
        })}
      </tbody>
    </table>
  );
}

interface CellProps {
  readonly line: DiffLine | undefined;
  readonly kind: 'add' | 'del';
  readonly codeOf: (line: DiffLine) => ComponentChildren;
  readonly onComment: HunkTableProps['onComment'];
}

function Cell({ line, kind, codeOf, onComment }: CellProps) {
  const edge = kind === 'add' ? 'new' : '';
  if (!line)
    return (
      <>
        <td class={`ln empty-cell ${edge}`} />
        <td class="src empty-cell" />
      </>
    );
  const changed = line.kind === 'same' ? '' : kind;
  const place: LinePlace =
    kind === 'add' ? linePlace(line) : { line: line.before ?? 0, side: 'before', quote: line.text };
  return (
    <>
      <td class={`ln ${changed} ${edge}`}>
        <LineNumber place={place} onComment={onComment} />
      </td>
      <td class={`src ${changed}`}>{codeOf(line)}</td>
    </>
  );
}

interface LineNumberProps {
  readonly place: LinePlace;
  readonly onComment: HunkTableProps['onComment'];
}

/** Not a tab stop of its own: the key C comments on a hunk. */
function LineNumber({ place, onComment }: LineNumberProps) {
  if (!onComment) return <span aria-hidden="true">{place.line}</span>;
  const title = `Comment on line ${place.line}`;
  return (
    <button
      type="button"
      class="line-number"
      tabIndex={-1}
      title={title}
      aria-label={title}
      onClick={() => onComment(place)}
    >
      {place.line}
    </button>
  );
}

function CommentRow({ children }: { readonly children: ComponentChildren }) {
  return (
    <tr class="comment-row">
      <td colSpan={4}>{children}</td>
    </tr>
  );
}

/** A removed line has a number in the old text only. */
export function linePlace({ kind, before, after, text }: DiffLine): LinePlace {
  return kind === 'removed'
    ? { line: before ?? 0, side: 'before', quote: text }
    : { line: after ?? 0, side: 'after', quote: text };
}

interface Pair {
  readonly left: DiffLine | undefined;
  readonly right: DiffLine | undefined;
}

/** Removed lines stand beside the added ones that took their place. */
function pairsOf(lines: readonly DiffLine[]): readonly Pair[] {
  const pairs: Pair[] = [];
  let [removed, added]: [DiffLine[], DiffLine[]] = [[], []];
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1)
      pairs.push({ left: removed[at], right: added[at] });
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === 'removed') removed.push(line);
    else if (line.kind === 'added') added.push(line);
    else {
      flush();
      pairs.push({ left: line, right: line });
    }
  }
  flush();
  return pairs;
}
