// Content that the state only refers to: fetched when it is unfolded; pictures are unfolded from the start.
import { useState } from 'preact/hooks';
import type { ContentRef } from '../../../src/protocols/ahp/v1_0/content.ts';
import { useResource } from '../../state/resources.ts';
import { formatSize, nameOf, pathOf } from '../../text/format.ts';
import { Loading } from './Loading.tsx';
import { isPicture, Picture } from './Picture.tsx';
import { PlainText } from './PlainText.tsx';

export function ContentRefView({ content }: { readonly content: ContentRef }) {
  const { uri, contentType = '', sizeHint } = content;
  const [open, setOpen] = useState(isPicture(contentType));
  return (
    <details class="details" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <strong title={pathOf(uri)}>{nameOf(uri)}</strong>{' '}
        {sizeHint !== undefined && <span class="note">{formatSize(sizeHint)}</span>}
      </summary>
      {open && <Content content={content} />}
    </details>
  );
}

function Content({ content }: { readonly content: ContentRef }) {
  const resource = useResource(content);
  const label = nameOf(content.uri);
  if (resource.kind === 'loading') return <Loading what="the content" />;
  if (resource.kind === 'problem') return <p class="note">The content cannot be shown: {resource.reason}</p>;
  if (resource.kind === 'text') return <PlainText text={resource.text} label={label} />;
  return isPicture(resource.contentType) ? (
    <Picture {...resource} label={label} />
  ) : (
    <p class="note">This file is not text.</p>
  );
}
