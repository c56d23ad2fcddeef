// A part of a long list that is rendered only while it is near the screen, so that long
// transcripts scroll smoothly.
import { createContext } from 'preact';
import type { ComponentChildren } from 'preact';
import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Reports when elements, with their height, come near the visible part of one scrolling element. */
export interface VisibilityWatcher {
  watch(element: Element, onChange: (near: boolean, height: number) => void): () => void;
}

export const WatcherContext = createContext<VisibilityWatcher | undefined>(undefined);

export function createWatcher(root: Element): VisibilityWatcher {
  const listeners = new Map<Element, (near: boolean, height: number) => void>();
  const pending = new Map<Element, IntersectionObserverEntry>();
  // One block per frame, however many come near at once: a frame with all of them would stutter.
  const tellNext = (): void => {
    const next = mostUrgent([...pending.values()]);
    if (!next) return;
    const { target, isIntersecting, boundingClientRect } = next;
    pending.delete(target);
    listeners.get(target)?.(isIntersecting, boundingClientRect.height);
    if (pending.size > 0) requestAnimationFrame(tellNext);
  };
  const observer = new IntersectionObserver(
    (entries) => {
      if (pending.size === 0) requestAnimationFrame(tellNext);
      for (const entry of entries) pending.set(entry.target, entry);
    },
    // Two screens ahead and behind, so that scrolling shows no gap.
    { root, rootMargin: '200% 0px' },
  );
  return {
    watch: (element, onChange) => {
      listeners.set(element, onChange);
      observer.observe(element);
      return () => {
        listeners.delete(element);
        pending.delete(element);
        observer.unobserve(element);
      };
    },
  };
}

/** What comes near goes before what went away, and the middle of the screen before its surroundings. */
function mostUrgent(entries: readonly IntersectionObserverEntry[]): IntersectionObserverEntry | undefined {
  const urgency = (entry: IntersectionObserverEntry) =>
    entry.isIntersecting ? distanceOf(entry) : Number.MAX_VALUE;
  return entries.toSorted((a, b) => urgency(a) - urgency(b))[0];
}

function distanceOf({ boundingClientRect: { top, bottom }, rootBounds }: IntersectionObserverEntry): number {
  const middle = rootBounds ? (rootBounds.top + rootBounds.bottom) / 2 : 0;
  return Math.max(0, top - middle, middle - bottom);
}

interface LazyBlockProps {
  /** The height to assume until the block has been rendered once. */
  readonly estimate: number;
  /** Always rendered: the end of the list, which changes. */
  readonly always?: boolean;
  readonly children: () => ComponentChildren;
}

export function LazyBlock({ estimate, always = false, children }: LazyBlockProps) {
  const watcher = useContext(WatcherContext);
  const root = useRef<HTMLDivElement>(null);
  const height = useRef(estimate);
  const [near, setNear] = useState(always);
  useLayoutEffect(() => {
    const element = root.current;
    if (!element || always || !watcher) return;
    return watcher.watch(element, (isNear, drawnHeight) => {
      // A block that has the focus stays rendered.
      if (!isNear && element.contains(document.activeElement)) return;
      if (!isNear && element.dataset['drawn'] !== undefined) height.current = drawnHeight;
      setNear(isNear);
    });
  }, [watcher, always]);
  const rendered = near || always;
  return (
    <div
      ref={root}
      class="stretch"
      data-drawn={rendered ? '' : undefined}
      style={rendered ? {} : { height: `${height.current}px` }}
    >
      {rendered && children()}
    </div>
  );
}
