// Knows what of an approval was not in view yet. Each part puts a mark at its end; a part whose mark was in
// view is read.
import { createContext } from 'preact';
import { useContext, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';

export interface Reading {
  readonly unread: boolean;
  /** Brings the next piece of what is unread into view. */
  readonly readOn: () => void;
  readonly marks: Marks;
}

interface Marks {
  readonly set: (name: string, element: HTMLElement | undefined) => void;
  readonly read: (name: string) => void;
  readonly remove: (name: string) => void;
}

/** Absent outside an approval, where nothing has to be read. */
export const ReadingContext = createContext<Marks | undefined>(undefined);

export function useReading(): Reading {
  const [unread, setUnread] = useState<ReadonlyMap<string, HTMLElement | undefined>>(new Map());
  const seen = useRef(new Set<string>());
  const marks = useMemo<Marks>(() => {
    const remove = (name: string): void => {
      setUnread((old) => new Map([...old].filter(([each]) => each !== name)));
    };
    return {
      remove,
      set(name, element) {
        if (!seen.current.has(name)) setUnread((old) => new Map([...old, [name, element]]));
      },
      read(name) {
        seen.current.add(name);
        remove(name);
      },
    };
  }, []);
  const readOn = (): void => show([...unread.values()].find((element) => element?.isConnected));
  return { unread: unread.size > 0, readOn, marks };
}

/** The part that ends with this element is read once it was in view; folding it away does not count. */
export function useEndMark(name: string): RefObject<HTMLSpanElement | null> {
  const marks = useContext(ReadingContext);
  const mark = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const element = mark.current;
    if (!marks || !element) return undefined;
    marks.set(name, element);
    const look = (entries: readonly IntersectionObserverEntry[]): void => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) marks.read(name);
    };
    const observer = new IntersectionObserver(look, { threshold: 0.5 });
    observer.observe(element);
    return () => observer.disconnect();
  }, [marks, name]);
  return mark;
}

/** Keeps the approval shut as long as the caller is shown: there is more than can be seen. */
export function useUnfinished(name: string): void {
  const marks = useContext(ReadingContext);
  useLayoutEffect(() => {
    marks?.set(name, undefined);
    return () => marks?.remove(name);
  }, [marks, name]);
}

function show(mark: HTMLElement | undefined): void {
  if (!mark) return;
  const foldedAround = (): HTMLDetailsElement | null => mark.closest('details:not([open])');
  for (let folded = foldedAround(); folded; folded = foldedAround()) folded.open = true;
  const box = mark.closest<HTMLElement>('.whole pre');
  if (!box) return mark.scrollIntoView({ block: 'center' });
  box.scrollIntoView({ block: 'nearest' });
  box.scrollBy({ top: box.clientHeight * 0.9 });
  return box.focus({ preventScroll: true });
}
