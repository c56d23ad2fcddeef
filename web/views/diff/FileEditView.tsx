// What happens or happened to one file: its name, the counts, and the difference when it is unfolded.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { visibleText } from '../../../src/base/visibleText.ts';
import type { ContentRef, FileEdit } from '../../../src/protocols/ahp/v1_0/content.ts';
import { useResource } from '../../state/resources.ts';
import type { Resource } from '../../state/resources.ts';
import type { Hunk } from '../../text/diff.ts';
import { nameOf, placeOf } from '../../text/words.ts';
import { isPicture, Picture } from '../parts/Picture.tsx';
import { Unfinished } from '../ask/EndMark.tsx';
import { DiffView } from './DiffView.tsx';

interface FileEditViewProps {
  readonly edit: FileEdit;
  readonly unfolded?: boolean;
  /** What can be done about one hunk of it. */
  readonly aside?: (hunk: Hunk) => ComponentChildren;
}

export function FileEditView({ edit, unfolded = false, aside }: FileEditViewProps) {
  const [open, setOpen] = useState(unfolded);
  const { verb, name, place } = describe(edit);
  const { added, removed } = edit.diff ?? {};
  return (
    <details class="file-edit" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="verb">{verb}</span> <strong title={place}>{visibleText(name)}</strong>
        {added !== undefined && (
          <span class="added" aria-label={`${added} lines added`}>
            +{added}
          </span>
        )}
        {removed !== undefined && (
          <span class="removed" aria-label={`${removed} lines removed`}>
            −{removed}
          </span>
        )}
      </summary>
      <p class="place">{visibleText(place)}</p>
      {open && <Sides before={edit.before?.content} after={edit.after?.content} label={name} aside={aside} />}
    </details>
  );
}

interface SidesProps {
  readonly before: ContentRef | undefined;
  readonly after: ContentRef | undefined;
  readonly label: string;
  readonly aside: FileEditViewProps['aside'] | undefined;
}

function Sides({ before, after, label, aside }: SidesProps) {
  const old = useResource(before);
  const fresh = useResource(after);
  const present = [before && old, after && fresh].filter((side): side is Resource => side !== undefined);
  const problem = present.find((side) => side.kind === 'problem');
  if (problem?.kind === 'problem') return <p class="hint">The content cannot be shown: {problem.why}</p>;
  if (present.some(({ kind }) => kind === 'loading'))
    return (
      <p class="hint">
        Loading…
        <Unfinished name={`${label}, ${before?.uri ?? ''} ${after?.uri ?? ''}`} />
      </p>
    );
  if (present.some(({ kind }) => kind === 'bytes')) return <Pictures sides={present} label={label} />;
  return (
    <DiffView
      before={before ? textOf(old) : ''}
      after={after ? textOf(fresh) : ''}
      label={label}
      aside={aside}
    />
  );
}

function Pictures({ sides, label }: { readonly sides: readonly Resource[]; readonly label: string }) {
  const pictures = sides.filter((side) => side.kind === 'bytes' && isPicture(side.contentType));
  if (pictures.length === 0) return <p class="hint">This is not a text file.</p>;
  return (
    <>
      {pictures.map(
        (side, index) => side.kind === 'bytes' && <Picture key={index} {...side} label={label} />,
      )}
    </>
  );
}

function textOf(resource: Resource): string {
  return resource.kind === 'text' ? resource.text : '';
}

function describe({ before, after }: FileEdit): {
  readonly verb: string;
  readonly name: string;
  readonly place: string;
} {
  if (!before && after) return { verb: 'Create', name: nameOf(after.uri), place: placeOf(after.uri) };
  if (before && !after) return { verb: 'Delete', name: nameOf(before.uri), place: placeOf(before.uri) };
  if (before && after && before.uri !== after.uri) {
    return { verb: 'Move', name: nameOf(after.uri), place: `${placeOf(before.uri)} → ${placeOf(after.uri)}` };
  }
  const uri = after?.uri ?? before?.uri ?? '';
  return { verb: 'Edit', name: nameOf(uri), place: placeOf(uri) };
}
