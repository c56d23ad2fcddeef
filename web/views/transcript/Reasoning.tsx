// The reasoning of the model, folded until the user opens it.
import { useState } from 'preact/hooks';
import { Icon } from '../parts/Icon.tsx';
import { Markdown } from '../parts/Markdown.tsx';

export function Reasoning({ text, live }: { readonly text: string; readonly live: boolean }) {
  const [open, setOpen] = useState(false);
  if (text === '') return null;
  return (
    <details class="thought" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="chev" kind="chev" />
        {live ? 'Thinking…' : 'Thoughts'}
        {live && !open && (
          <span class="truncate" dir="auto">
            {text.slice(-80)}
          </span>
        )}
      </summary>
      {open && <Markdown text={text} />}
    </details>
  );
}
