// Text as it is, in a fixed-width font, with a way to see all of it when it is long.
import { useState } from 'preact/hooks';
import { lastOf, withoutEscapes } from '../../text/plain.ts';
import { size } from '../../text/words.ts';

interface PlainProps {
  readonly text: string;
  readonly label: string;
  /** How much is shown at first; the end of it counts. */
  readonly most?: number;
}

const usualMost = 4000;
/** Beyond this a browser struggles, so the rest is only counted. */
const absoluteMost = 400_000;

export function Plain({ text, label, most = usualMost }: PlainProps) {
  const [all, setAll] = useState(false);
  const { text: shown, hidden } = lastOf(text, all ? absoluteMost : most);
  return (
    <div class="plain">
      {hidden > 0 && (
        <p class="hint">
          {size(hidden)} before this.{' '}
          {!all && (
            <button type="button" class="link" onClick={() => setAll(true)}>
              Show all
            </button>
          )}
        </p>
      )}
      <pre tabIndex={0} aria-label={label}>
        {withoutEscapes(shown)}
      </pre>
    </div>
  );
}
