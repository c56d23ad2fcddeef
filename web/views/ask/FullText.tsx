// Text of an approval, shown from its beginning, with a count of what is below the visible part.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { rightToLeftWords } from '../../text/direction.ts';
import { EndMarker, UnreadMarker } from './ReadMarkers.tsx';

interface FullTextProps {
  readonly text: string;
  readonly label: string;
  /** A command line looks different. */
  readonly kind?: 'command' | 'text';
}

/** Keeps the order of the words: a browser would turn `>` between words that read from the right. */
function inOrder(text: string) {
  return rightToLeftWords(text).map((part, at) => (at % 2 === 1 ? <bdi key={at}>{part}</bdi> : part));
}

/** Browsers become slow with longer texts. */
const chunkLength = 100_000;

export function FullText({ text, label, kind = 'text' }: FullTextProps) {
  const box = useRef<HTMLPreElement>(null);
  const name = `${label}: ${text}`;
  const [loaded, setLoaded] = useState(chunkLength);
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
  }, [text, loaded, open]);
  const lineHeight = box.current ? Number.parseFloat(getComputedStyle(box.current).lineHeight) : 1;
  const share = box.current && below > 1 ? below / box.current.scrollHeight : 0;
  const characters = Math.max(1, Math.round(share * Math.min(loaded, text.length)));
  const lines = share > 0 ? Math.max(1, Math.round(below / lineHeight)) : 0;
  return (
    <div class="whole">
      <pre
        ref={box}
        tabIndex={0}
        dir="ltr"
        aria-label={label}
        class={`${kind === 'command' ? 'command' : 'command plainfile'} ${open ? 'unbounded' : ''}`}
        onScroll={measure}
      >
        {kind === 'command' ? inOrder(text.slice(0, loaded)) : text.slice(0, loaded)}
        {loaded >= text.length ? <EndMarker name={name} /> : <UnreadMarker name={name} />}
      </pre>
      {lines > 0 && (
        <p class="unread-hint">
          {lines} more {lines === 1 ? 'line' : 'lines'}, about {characters} characters below.{' '}
          <button type="button" class="link" onClick={() => setOpen(true)}>
            Show all
          </button>
        </p>
      )}
      {loaded < text.length && (
        <p class="unread-hint">
          {text.length - loaded} more characters are not loaded yet.{' '}
          <button type="button" class="link" onClick={() => setLoaded(loaded + chunkLength)}>
            Load more
          </button>
        </p>
      )}
    </div>
  );
}
