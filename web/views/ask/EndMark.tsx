// Stands at the end of whatever an approval shows; see the state of reading.
import { useEndMark, useUnfinished } from '../../state/reading.ts';

export function EndMark({ name }: { readonly name: string }) {
  return <span ref={useEndMark(name)} class="end-mark" aria-hidden="true" />;
}

/** There is more that is not shown yet. */
export function Unfinished({ name }: { readonly name: string }) {
  useUnfinished(name);
  return null;
}
