// Shows the line that a search has found: loads the turns down to it, scrolls there and marks it.
import { useEffect, useState } from 'preact/hooks';
import type { ChatState, SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../../client/connection/channel.ts';
import type { Client } from '../../../client/connection/client.ts';
import { useClient } from '../../state/app.ts';
import { goTo, searchedLine } from '../../state/route.ts';
import type { SearchedLine } from '../../state/route.ts';
import { toast } from '../../state/toasts.ts';
import { placeOfLine, rangeOfLine } from '../transcript/findLine.ts';
import type { PlaceInTurn } from '../transcript/findLine.ts';
import { tabsOf } from './ChatTabs.tsx';

/** The place that is to be drawn, in the chat that is open. */
export function useSearchedLine(
  session: Channel<SessionState>,
  chat: Channel<ChatState>,
): PlaceInTurn | undefined {
  const client = useClient();
  const [place, setPlace] = useState<PlaceInTurn>();
  const wanted = searchedLine.value?.session === session.uri ? searchedLine.value : undefined;
  const ready = chat.state.value !== undefined;
  useEffect(() => {
    if (!wanted || !ready) return;
    const leaving = new AbortController();
    const show = async () => {
      const found = await loadPlace(client, chat, { line: wanted.line, signal: leaving.signal });
      if (leaving.signal.aborted) return;
      if (!found) return tryNextChat(wanted, session, chat);
      setPlace(found);
      await bringIntoView(found, wanted.line, leaving.signal);
      if (searchedLine.peek() === wanted) searchedLine.value = undefined;
    };
    show().catch(() => toast('problem', 'The turns before could not be loaded.'));
    return () => leaving.abort();
  }, [wanted, ready, chat]);
  return place;
}

interface Wish {
  readonly line: string;
  readonly signal: AbortSignal;
}

async function loadPlace(
  client: Client,
  chat: Channel<ChatState>,
  { line, signal }: Wish,
): Promise<PlaceInTurn | undefined> {
  const looked = new Set<string>();
  for (;;) {
    const state = chat.state.peek();
    if (!state || signal.aborted) return undefined;
    const { turns, activeTurn, turnsNextCursor: cursor } = state;
    const fresh = [...turns, ...(activeTurn ? [activeTurn] : [])].filter(({ id }) => !looked.has(id));
    const place = placeOfLine(fresh, line);
    if (place || cursor === undefined) return place;
    for (const { id } of fresh) looked.add(id);
    await client.request('fetchTurns', { channel: chat.uri, cursor });
    if (chat.state.peek()?.turnsNextCursor === cursor) return undefined;
  }
}

/** The search does not tell in which chat of the session the line is. */
function tryNextChat(wanted: SearchedLine, { uri, state }: Channel<SessionState>, chat: Channel<ChatState>) {
  const { tried = [] } = wanted;
  const open = state.peek();
  const all = open ? tabsOf(open).map(({ resource }) => resource) : [];
  const next = all.find((each) => each !== chat.uri && !tried.includes(each));
  searchedLine.value = next === undefined ? undefined : { ...wanted, tried: [...tried, chat.uri] };
  const back = tried[0];
  if (next !== undefined) return goTo({ page: 'session', session: uri, chat: next });
  toast('info', 'That line is not in the conversation any more.');
  if (back !== undefined) goTo({ page: 'session', session: uri, chat: back });
}

/** Long enough for what lies around the place to be drawn, which moves it. */
const settleMs = 1_000;
const drawnWithinMs = 5_000;

async function bringIntoView({ turn }: PlaceInTurn, line: string, signal: AbortSignal): Promise<void> {
  const until = new AbortController();
  const stop = () => until.abort();
  signal.addEventListener('abort', stop);
  // Who scrolls meanwhile is not called back.
  const own = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;
  for (const kind of own) addEventListener(kind, stop, { signal: until.signal, passive: true });
  let deadline = performance.now() + drawnWithinMs;
  let range: Range | undefined;
  while (!until.signal.aborted && performance.now() < deadline) {
    const article = document.querySelector(`.turn[data-turn="${CSS.escape(turn)}"]`);
    // What is drawn again, such as code with its colours, leaves the range empty.
    if (range === undefined || range.collapsed || !range.startContainer.isConnected) {
      const found = article ? rangeOfLine(article, line) : undefined;
      if (found && !range) deadline = performance.now() + settleMs;
      if (found) mark(found);
      range = found;
    }
    if (article) scrollTo(range ?? article, article.closest('.scroll'));
    await new Promise((resolve) => {
      requestAnimationFrame(resolve);
    });
  }
  stop();
}

function scrollTo(target: Range | Element, scroller: Element | null): void {
  if (!scroller) return;
  const [at, frame] = [target.getBoundingClientRect(), scroller.getBoundingClientRect()];
  const third = frame.top + frame.height / 3;
  const isNear = at.top >= frame.top && at.top <= frame.top + frame.height / 2;
  if (!isNear) scroller.scrollTop += at.top - third;
}

/** Browsers without highlights show the line unmarked. */
function mark(range: Range): void {
  if ('highlights' in CSS) CSS.highlights.set('found', new Highlight(range));
}
