// How a session or chat stands, as a mark with its meaning in words for those who do not see it.
import { standingOf, standingWords } from '../../text/words.ts';

export function StatusMark({
  status,
  worded = false,
}: {
  readonly status: number;
  readonly worded?: boolean;
}) {
  const standing = standingOf(status);
  return (
    <span class={`mark ${standing}`}>
      <span class="dot" aria-hidden="true" />
      <span class={worded ? 'word' : 'unseen'}>{standingWords[standing]}</span>
    </span>
  );
}
