// The conversation of one chat in its own scrolling region: it stays at the end while the reader is there, and draws only what is near.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ChatState } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../client/channel.ts';
import { Icon } from '../parts/Icon.tsx';
import { createWatcher, WatcherContext } from '../parts/LazyBlock.tsx';
import type { Watcher } from '../parts/LazyBlock.tsx';
import { Conversation } from './Conversation.tsx';

/** Closer to the end than this counts as being there. */
const nearEnd = 60;

export function Transcript({ channel }: { readonly channel: Channel<ChatState> }) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const pinned = useRef(true);
  const [atEnd, setAtEnd] = useState(true);
  const [watcher, setWatcher] = useState<Watcher>();

  useLayoutEffect(() => {
    if (scroller.current) setWatcher(createWatcher(scroller.current));
  }, []);

  useEffect(() => {
    const [outer, inner] = [scroller.current, content.current];
    if (!outer || !inner) return;
    pinned.current = true;
    const follow = () => {
      if (pinned.current) outer.scrollTop = outer.scrollHeight;
    };
    const observer = new ResizeObserver(follow);
    observer.observe(inner);
    observer.observe(outer);
    follow();
    return () => observer.disconnect();
  }, [channel]);

  const scrolled = (): void => {
    const outer = scroller.current;
    if (!outer) return;
    pinned.current = outer.scrollHeight - outer.scrollTop - outer.clientHeight < nearEnd;
    setAtEnd(pinned.current);
  };

  const toEnd = (): void => {
    pinned.current = true;
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
    scroller.current?.focus({ preventScroll: true });
  };

  return (
    <div class="transcript-frame">
      <div
        ref={scroller}
        class="transcript"
        role="log"
        aria-live="off"
        aria-label="Conversation"
        tabIndex={0}
        onScroll={scrolled}
      >
        <div ref={content} class="conversation">
          {watcher && (
            <WatcherContext.Provider value={watcher}>
              <Conversation channel={channel} />
            </WatcherContext.Provider>
          )}
        </div>
      </div>
      {!atEnd && (
        <button type="button" class="to-end" onClick={toEnd}>
          <Icon name="down" /> Latest
        </button>
      )}
    </div>
  );
}
