// Preformatted text. Of a long text the end is shown first, with a button for the rest.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { keepEnd, stripEscapes } from '../../text/plainText.ts';
import { formatSize } from '../../text/format.ts';

interface PlainTextProps {
  readonly text: string;
  readonly label: string;
  /** How many characters are shown at first. */
  readonly maxLength?: number;
  /** Scrolled to its last lines, where a failure is told. */
  readonly fromEnd?: boolean;
}

const defaultMaxLength = 4000;
/** Browsers become slow with longer texts. */
const absoluteMaxLength = 400_000;

export function PlainText({ text, label, maxLength = defaultMaxLength, fromEnd = false }: PlainTextProps) {
  const [all, setAll] = useState(false);
  const box = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    if (fromEnd && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [fromEnd]);
  const { text: shown, hidden } = keepEnd(text, all ? absoluteMaxLength : maxLength);
  return (
    <div class="frame plain">
      {hidden > 0 && (
        <p class="frame-head">
          {all ? (
            `Earlier output is not shown (${formatSize(hidden)})`
          ) : (
            <button type="button" class="link" onClick={() => setAll(true)}>
              Show earlier output ({formatSize(hidden)})
            </button>
          )}
        </p>
      )}
      <pre ref={box} class="term" tabIndex={0} aria-label={label} dir="ltr">
        {stripEscapes(shown)}
      </pre>
    </div>
  );
}
