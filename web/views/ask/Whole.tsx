// Text that somebody decides on, from its beginning, with a count of what is out of view.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { EndMark, Unfinished } from './EndMark.tsx';

interface WholeProps {
  readonly text: string;
  readonly label: string;
}

/** More at once makes a browser struggle. */
const piece = 100_000;

export function Whole({ text, label }: WholeProps) {
  const box = useRef<HTMLPreElement>(null);
  const name = `${label}: ${text}`;
  const [most, setMost] = useState(piece);
  const [open, setOpen] = useState(false);
  const [below, setBelow] = useState(0);
  const measure = (): void => {
    if (!box.current) return;
    const { scrollHeight, clientHeight, scrollTop } = box.current;
    setBelow(Math.max(0, scrollHeight - clientHeight - scrollTop));
  };
  useLayoutEffect(() => {
    measure();
    if (!box.current) return undefined;
    const observer = new ResizeObserver(measure);
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [text, most, open]);
  const lineHeight = box.current ? Number.parseFloat(getComputedStyle(box.current).lineHeight) : 1;
  const share = box.current && below > 1 ? below / box.current.scrollHeight : 0;
  const letters = Math.max(1, Math.round(share * Math.min(most, text.length)));
  const lines = share > 0 ? Math.max(1, Math.round(below / lineHeight)) : 0;
  return (
    <div class="plain whole">
      <pre ref={box} tabIndex={0} aria-label={label} class={open ? 'unbounded' : ''} onScroll={measure}>
        {text.slice(0, most)}
        {most >= text.length ? <EndMark name={name} /> : <Unfinished name={name} />}
      </pre>
      {lines > 0 && (
        <p class="hint more">
          {lines} more {lines === 1 ? 'line' : 'lines'}, about {letters} characters below.{' '}
          <button type="button" class="link" onClick={() => setOpen(true)}>
            Show all
          </button>
        </p>
      )}
      {most < text.length && (
        <p class="hint more">
          {text.length - most} more characters are not loaded yet.{' '}
          <button type="button" class="link" onClick={() => setMost(most + piece)}>
            Load more
          </button>
        </p>
      )}
    </div>
  );
}
