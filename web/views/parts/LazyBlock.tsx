// A part of a long list that is rendered only while it is near the screen, so that long
// transcripts scroll smoothly.
import { createContext } from 'preact';
import type { ComponentChildren } from 'preact';
import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Reports when elements come near the visible part of one scrolling element. */
export interface VisibilityWatcher {
  watch(element: Element, onChange: (near: boolean) => void): () => void;
}

export const WatcherContext = createContext<VisibilityWatcher | undefined>(undefined);

export function createWatcher(root: Element): VisibilityWatcher {
  const listeners = new Map<Element, (near: boolean) => void>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) listeners.get(target)?.(isIntersecting);
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
        observer.unobserve(element);
      };
    },
  };
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
    return watcher.watch(element, (isNear) => {
      // A block that has the focus stays rendered.
      if (!isNear && element.contains(document.activeElement)) return;
      if (!isNear && element.dataset['drawn'] !== undefined) height.current = element.offsetHeight;
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
