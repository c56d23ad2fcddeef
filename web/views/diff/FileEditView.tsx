// The edit of one file: its name and line counts, and the diff when unfolded.
import { useState } from 'preact/hooks';
import { visibleText } from '../../../src/base/visibleText.ts';
import type { ContentRef, FileEdit } from '../../../src/protocols/ahp/v1_0/content.ts';
import { useShortPath } from '../../state/chat.ts';
import { useResource } from '../../state/resources.ts';
import type { Resource } from '../../state/resources.ts';
import { nameOf, pathOf } from '../../text/format.ts';
import { Icon } from '../parts/Icon.tsx';
import { LineCounts } from '../parts/LineCounts.tsx';
import { isPicture, Picture } from '../parts/Picture.tsx';
import { UnreadMarker } from '../ask/ReadMarkers.tsx';
import { DiffView } from './DiffView.tsx';

interface FileEditViewProps {
  readonly edit: FileEdit;
  readonly unfolded?: boolean;
}

export function FileEditView({ edit, unfolded = false }: FileEditViewProps) {
  const [open, setOpen] = useState(unfolded);
  const { added, removed } = edit.diff ?? {};
  return (
    <details class="file-edit" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="chev" kind="chev" />
        <span class="verb">{describe(edit).verb}</span> <EditPath edit={edit} />
        <LineCounts added={added} removed={removed} />
      </summary>
      {open && <EditDiff edit={edit} />}
    </details>
  );
}

/** The path of an edited file, from the folder of the session. */
export function EditPath({ edit }: { readonly edit: FileEdit }) {
  const { name, path, from } = describe(edit);
  const [to, start] = [useShortPath(path), useShortPath(from ?? '')];
  const before = from === undefined ? '' : `${start} → `;
  return (
    <span class="path" title={visibleText(from === undefined ? path : `${from} → ${path}`)} dir="ltr">
      <span class="truncate">{visibleText(before + to.slice(0, to.length - name.length))}</span>
      <b class="truncate">{visibleText(name)}</b>
    </span>
  );
}

/** An edit whose file is named above it. */
export function EditDiff({ edit }: { readonly edit: FileEdit }) {
  return (
    <EditContent before={edit.before?.content} after={edit.after?.content} label={describe(edit).name} />
  );
}

interface EditContentProps {
  readonly before: ContentRef | undefined;
  readonly after: ContentRef | undefined;
  readonly label: string;
}

function EditContent({ before, after, label }: EditContentProps) {
  const beforeContent = useResource(before);
  const afterContent = useResource(after);
  const sides = [before && beforeContent, after && afterContent].filter(
    (side): side is Resource => side !== undefined,
  );
  const problem = sides.find((side) => side.kind === 'problem');
  if (problem?.kind === 'problem') return <p class="note">The content cannot be shown: {problem.reason}</p>;
  if (sides.some(({ kind }) => kind === 'loading'))
    return (
      <p class="note">
        Loading…
        <UnreadMarker name={`${label}, ${before?.uri ?? ''} ${after?.uri ?? ''}`} />
      </p>
    );
  if (sides.some(({ kind }) => kind === 'bytes')) return <Pictures sides={sides} label={label} />;
  return (
    <DiffView
      before={before ? resourceText(beforeContent) : ''}
      after={after ? resourceText(afterContent) : ''}
      label={label}
    />
  );
}

export function Pictures({ sides, label }: { readonly sides: readonly Resource[]; readonly label: string }) {
  const pictures = sides.filter((side) => side.kind === 'bytes' && isPicture(side.contentType));
  if (pictures.length === 0) return <p class="note">This file is not text.</p>;
  return (
    <>
      {pictures.map(
        (side, index) => side.kind === 'bytes' && <Picture key={index} {...side} label={label} />,
      )}
    </>
  );
}

export function resourceText(resource: Resource): string {
  return resource.kind === 'text' ? resource.text : '';
}

function describe({ before, after }: FileEdit): {
  readonly verb: string;
  readonly name: string;
  readonly path: string;
  /** Where a file was that has been moved. */
  readonly from?: string;
} {
  if (!before && after) return { verb: 'Create', name: nameOf(after.uri), path: pathOf(after.uri) };
  if (before && !after) return { verb: 'Delete', name: nameOf(before.uri), path: pathOf(before.uri) };
  if (before && after && before.uri !== after.uri)
    return { verb: 'Move', name: nameOf(after.uri), path: pathOf(after.uri), from: pathOf(before.uri) };
  const uri = after?.uri ?? before?.uri ?? '';
  return { verb: 'Edit', name: nameOf(uri), path: pathOf(uri) };
}
