// Markers for the read tracking of an approval; see state/readTracking.ts.
import { useEndMarker, useUnreadMarker } from '../../state/readTracking.ts';

/** The part before this marker counts as read once the marker was in view. */
export function EndMarker({ name }: { readonly name: string }) {
  return <span ref={useEndMarker(name)} class="end-mark" aria-hidden="true" />;
}

/** The part counts as unread as long as this is rendered, because some of it is not shown yet. */
export function UnreadMarker({ name }: { readonly name: string }) {
  useUnreadMarker(name);
  return null;
}
