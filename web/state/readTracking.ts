// Tracks which parts of an approval the user has seen. Each part has a marker at its end and counts as read
// once that marker was in view.
import { createContext } from 'preact';
import { useContext, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';

export interface ReadTracking {
  readonly unread: boolean;
  /** Scrolls to the next unread part. */
  readonly showNext: () => void;
  readonly markers: ReadMarkers;
}

export interface ReadMarkers {
  readonly add: (name: string, element: HTMLElement | undefined) => void;
  readonly read: (name: string) => void;
  readonly remove: (name: string) => void;
}

/** Undefined outside an approval, where nothing has to be read. */
export const ReadTrackingContext = createContext<ReadMarkers | undefined>(undefined);

export function useReadTracking(): ReadTracking {
  const [unread, setUnread] = useState<ReadonlyMap<string, HTMLElement | undefined>>(new Map());
  const seen = useRef(new Set<string>());
  const markers = useMemo<ReadMarkers>(() => {
    const remove = (name: string): void => {
      setUnread((old) => new Map([...old].filter(([each]) => each !== name)));
    };
    return {
      remove,
      add(name, element) {
        if (!seen.current.has(name)) setUnread((old) => new Map([...old, [name, element]]));
      },
      read(name) {
        seen.current.add(name);
        remove(name);
      },
    };
  }, []);
  const showNext = (): void => scrollTo([...unread.values()].find((element) => element?.isConnected));
  return { unread: unread.size > 0, showNext, markers };
}

/** Put the returned ref on an element at the end of a part. Folding the part does not mark it as read. */
export function useEndMarker(name: string): RefObject<HTMLSpanElement | null> {
  const markers = useContext(ReadTrackingContext);
  const marker = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const element = marker.current;
    if (!markers || !element) return undefined;
    markers.add(name, element);
    const observe = (entries: readonly IntersectionObserverEntry[]): void => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) markers.read(name);
    };
    const observer = new IntersectionObserver(observe, { threshold: 0.5 });
    observer.observe(element);
    return () => observer.disconnect();
  }, [markers, name]);
  return marker;
}

/** Blocks the approval as long as the calling component is mounted: some content is not shown yet. */
export function useUnreadMarker(name: string): void {
  const markers = useContext(ReadTrackingContext);
  useLayoutEffect(() => {
    markers?.add(name, undefined);
    return () => markers?.remove(name);
  }, [markers, name]);
}

/** Unfolds what hides the marker. A long text box scrolls by one screen instead of jumping to its end. */
function scrollTo(marker: HTMLElement | undefined): void {
  if (!marker) return;
  const foldedAround = (): HTMLDetailsElement | null => marker.closest('details:not([open])');
  for (let folded = foldedAround(); folded; folded = foldedAround()) folded.open = true;
  const box = marker.closest<HTMLElement>('.whole pre');
  if (!box) return marker.scrollIntoView({ block: 'center' });
  box.scrollIntoView({ block: 'nearest' });
  box.scrollBy({ top: box.clientHeight * 0.9 });
  return box.focus({ preventScroll: true });
}
