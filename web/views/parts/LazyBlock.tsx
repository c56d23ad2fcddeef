// A stretch of a long list that is drawn only while it is near the screen, so that any length scrolls smoothly.
import { createContext } from 'preact';
import type { ComponentChildren } from 'preact';
import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Watches stretches within one scrolling element. */
export interface Watcher {
  watch(element: Element, seen: (near: boolean) => void): () => void;
}

export const WatcherContext = createContext<Watcher | undefined>(undefined);

export function createWatcher(root: Element): Watcher {
  const listeners = new Map<Element, (near: boolean) => void>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) listeners.get(target)?.(isIntersecting);
    },
    // Two screens ahead and behind: enough to read on without seeing a gap.
    { root, rootMargin: '200% 0px' },
  );
  return {
    watch: (element, seen) => {
      listeners.set(element, seen);
      observer.observe(element);
      return () => {
        listeners.delete(element);
        observer.unobserve(element);
      };
    },
  };
}

interface LazyBlockProps {
  /** The height to assume until the stretch has been drawn once. */
  readonly estimate: number;
  /** Drawn from the beginning and for ever: the end of the list, where things happen. */
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
    return watcher.watch(element, (isNear) => {
      // Whoever types or selects in it keeps it.
      if (!isNear && element.contains(document.activeElement)) return;
      if (!isNear && element.dataset['drawn'] !== undefined) height.current = element.offsetHeight;
      setNear(isNear);
    });
  }, [watcher, always]);
  const drawn = near || always;
  return (
    <div
      ref={root}
      class="stretch"
      data-drawn={drawn ? '' : undefined}
      style={drawn ? {} : { height: `${height.current}px` }}
    >
      {drawn && children()}
    </div>
  );
}
