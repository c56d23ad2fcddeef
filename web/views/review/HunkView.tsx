// One hunk of a file: undo, accept and comments; and one that was undone, with redo.
import { useRef, useState } from 'preact/hooks';
import type { ChangesetOperationTarget } from '../../../src/protocols/ahp/v1_0/commands.ts';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import { isAt } from './marks.ts';
import { hunkLines } from '../../text/diff.ts';
import type { Hunk } from '../../text/diff.ts';
import { nameOf } from '../../text/format.ts';
import { Icon } from '../parts/Icon.tsx';
import { CommentForm, CommentView, setComment } from './Comments.tsx';
import type { ReviewContext } from './FileCard.tsx';
import { HunkTable, linePlace } from './HunkTable.tsx';
import type { LinePlace } from './HunkTable.tsx';
import { Operations } from './Operations.tsx';
import type { ReviewFile } from './reviewFiles.ts';

interface HunkViewProps {
  readonly hunk: Hunk;
  readonly entry: ReviewFile;
  readonly context: ReviewContext;
  readonly accepted: boolean;
  readonly onAccept: (accepted: boolean) => void;
}

/** The keys X and C press the buttons of the hunk that has the focus. */
export function HunkView({ hunk, entry, context, accepted, onAccept }: HunkViewProps) {
  const { path, resource } = entry;
  const { marks, channel, mayControl } = context;
  const { writing, setWriting, draft, endWriting } = useWriting();
  const about = `${nameOf(resource)}, lines ${hunkLines(hunk)}`;
  const below = (place: LinePlace) => {
    const comment = marks.value.comments.find((each) => isAt(each, { ...place, path }));
    if (comment)
      return <CommentView comment={comment} onDelete={() => setComment(marks, { ...comment, text: '' })} />;
    if (!writing || writing.line !== place.line || writing.side !== place.side) return undefined;
    return (
      <CommentForm
        line={place.line}
        draft={draft}
        onClose={endWriting}
        onSave={(text) => setComment(marks, { ...place, path, text })}
      />
    );
  };
  const firstChange = hunk.lines.find(({ kind }) => kind !== 'same');
  return (
    <div class="review-hunk" tabIndex={-1} role="group" aria-label={about}>
      <div class={`hunk-head ${accepted ? 'accepted' : ''}`}>
        <span class="at">{hunkLines(hunk)}</span>
        <Place of={hunk} />
        <span class="end">
          {mayControl && firstChange && (
            <button
              type="button"
              class="btn ghost icon-only small comment-key"
              aria-label={`Comment on ${about}`}
              title="Comment (C)"
              onClick={() => setWriting(linePlace(firstChange))}
            >
              <Icon name="comment" />
            </button>
          )}
          {!accepted && channel !== undefined && (
            <Operations
              channel={channel}
              operations={context.operations.filter(({ id }) => !id.startsWith(redoLines))}
              target={hunkTarget(resource, hunk)}
              about={about}
            />
          )}
          {mayControl && <Accept {...{ about, accepted, onAccept }} />}
        </span>
      </div>
      <HunkTable
        hunk={hunk}
        path={path}
        layout={context.layout}
        onComment={mayControl ? setWriting : undefined}
        renderBelow={below}
      />
    </div>
  );
}

/** The line that a comment is written on. */
function useWriting() {
  const [writing, setWriting] = useState<LinePlace>();
  const draft = useRef('');
  const endWriting = () => {
    draft.current = '';
    setWriting(undefined);
  };
  return { writing, setWriting, draft, endWriting };
}

function Place({ of: { place } }: { readonly of: Hunk }) {
  return (
    <code class="truncate" dir="ltr">
      {place}
    </code>
  );
}

interface AcceptProps extends Pick<HunkViewProps, 'accepted' | 'onAccept'> {
  readonly about: string;
}

function Accept({ about, accepted, onAccept }: AcceptProps) {
  if (!accepted)
    return (
      <button
        type="button"
        class="btn small accept-key"
        title="Accept (X)"
        aria-label={`Accept ${about}`}
        onClick={() => onAccept(true)}
      >
        <Icon name="check" />
        Accept
      </button>
    );
  return (
    <>
      <span class="row">
        <Icon name="check" kind="tickmark" />
        Accepted
      </span>
      <button
        type="button"
        class="btn ghost small accept-key"
        aria-label={`Reopen ${about}`}
        onClick={() => onAccept(false)}
      >
        Reopen
      </button>
    </>
  );
}

/** Its range is in the text that the file had before the undo. */
export function UndoneHunk({ hunk, entry, context }: Pick<HunkViewProps, 'hunk' | 'entry' | 'context'>) {
  const { resource, path } = entry;
  const [shown, setShown] = useState(false);
  const lines = hunkLines(hunk);
  const about = `${nameOf(resource)}, undone lines ${lines}`;
  return (
    <div class="review-hunk" tabIndex={-1} role="group" aria-label={about}>
      <div class="hunk-head undone">
        <span class="at">{lines}</span>
        <span>Undone</span>
        <span class="end">
          <button
            type="button"
            class="btn ghost small"
            aria-expanded={shown}
            onClick={() => setShown(!shown)}
          >
            {shown ? 'Hide' : 'Show'}
          </button>
          {context.channel !== undefined && (
            <Operations
              channel={context.channel}
              operations={context.operations.filter(({ id }) => id.startsWith(redoLines))}
              target={hunkTarget(resource, hunk)}
              about={about}
            />
          )}
        </span>
      </div>
      {shown && <HunkTable hunk={hunk} path={path} layout={context.layout} renderBelow={() => undefined} />}
    </div>
  );
}

/** How the operation of this host begins that brings back lines; only undone ones offer it. */
const redoLines = 'redoLines:';

/** The operation of this host that writes again what was undone in a file. */
export function redoId(resource: URI): string {
  return `redo:${decodeURIComponent(new URL(resource).pathname)}`;
}

/** The lines of the hunk in the new text; the end is the start of the line after the last. */
function hunkTarget(resource: URI, { after: { from, lines } }: Hunk): ChangesetOperationTarget {
  const line = Math.max(0, from - 1);
  return {
    kind: 'range',
    resource,
    side: 'after',
    range: { start: { line, character: 0 }, end: { line: line + lines, character: 0 } },
  };
}
