// The scrolling conversation of one chat: follows the end while the user is there, and
// renders only what is near.
import { useSignalEffect } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ChatState } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../../client/connection/channel.ts';
import { startedHere } from '../compose/sending.ts';
import { Icon } from '../parts/Icon.tsx';
import { createWatcher, WatcherContext } from '../parts/LazyBlock.tsx';
import type { VisibilityWatcher } from '../parts/LazyBlock.tsx';
import { Conversation } from './Conversation.tsx';

/** A distance in pixels that still counts as the end. */
const endMargin = 60;

interface TranscriptProps {
  readonly channel: Channel<ChatState>;
  /** Two transcripts on one page need different names. */
  readonly label?: string;
}

export function Transcript({ channel, label = 'Transcript' }: TranscriptProps) {
  const { scroller, content, atEnd, onScroll, toEnd } = useFollowEnd(channel);
  const [watcher, setWatcher] = useState<VisibilityWatcher>();

  useLayoutEffect(() => {
    if (scroller.current) setWatcher(createWatcher(scroller.current));
  }, []);

  return (
    <div class="chat-frame">
      <div
        ref={scroller}
        class="scroll chat"
        role="region"
        aria-label={label}
        tabIndex={0}
        onScroll={onScroll}
      >
        <div ref={content} class="column transcript" role="log" aria-live="off" aria-label="Conversation">
          {watcher && (
            <WatcherContext.Provider value={watcher}>
              <Conversation channel={channel} />
            </WatcherContext.Provider>
          )}
        </div>
      </div>
      {!atEnd && (
        <button type="button" class="btn small to-end" onClick={toEnd}>
          <Icon name="down" /> Latest
        </button>
      )}
    </div>
  );
}

/** Keeps the end in view while the content grows, unless the user has scrolled away from it. */
function useFollowEnd(channel: Channel<ChatState>) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  const top = useRef(0);
  const [atEnd, setAtEnd] = useState(true);

  useEffect(() => {
    const [outer, inner] = [scroller.current, content.current];
    if (!outer || !inner) return;
    following.current = true;
    top.current = 0;
    const follow = () => {
      if (!following.current) return;
      outer.scrollTop = outer.scrollHeight;
      // Content that has shrunk moved the place up, which must not be taken for the user's doing.
      top.current = outer.scrollTop;
    };
    const observer = new ResizeObserver(follow);
    observer.observe(inner);
    observer.observe(outer);
    follow();
    return () => observer.disconnect();
  }, [channel]);

  // Who sends a message wants to see what comes of it.
  useSignalEffect(() => {
    if (startedHere.value?.chat !== channel.uri || !scroller.current) return;
    following.current = true;
    scroller.current.scrollTop = scroller.current.scrollHeight;
  });

  const onScroll = (): void => {
    const outer = scroller.current;
    if (!outer) return;
    const isAtEnd = outer.scrollHeight - outer.scrollTop - outer.clientHeight < endMargin;
    // The event of an own scroll may come after the content has grown again: only a way up is the user's.
    if (isAtEnd || outer.scrollTop < top.current) following.current = isAtEnd;
    top.current = outer.scrollTop;
    setAtEnd(following.current);
  };
  const toEnd = (): void => {
    following.current = true;
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
    scroller.current?.focus({ preventScroll: true });
  };
  return { scroller, content, atEnd, onScroll, toEnd };
}
