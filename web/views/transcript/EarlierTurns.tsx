// Brings older turns from the host when the reader comes near the beginning of what is loaded.
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import { useClient } from '../../state/app.ts';
import { problemText } from '../../state/toasts.ts';
import { WatcherContext } from '../parts/LazyBlock.tsx';

export function EarlierTurns({ chat, cursor }: { readonly chat: URI; readonly cursor: string }) {
  const client = useClient();
  const watcher = useContext(WatcherContext);
  const root = useRef<HTMLDivElement>(null);
  const [problem, setProblem] = useState('');
  const load = (): void => {
    setProblem('');
    // The turns come as an action on the chat, before this is answered.
    client
      .request('fetchTurns', { channel: chat, cursor })
      .catch((error: unknown) => setProblem(problemText(error)));
  };
  useEffect(() => {
    const element = root.current;
    if (!element || !watcher) return;
    return watcher.watch(element, (near) => near && load());
  }, [cursor, watcher]);
  return (
    <div ref={root} class="earlier">
      {problem === '' ? <p class="hint">Loading earlier turns…</p> : <p class="problem">{problem}</p>}
      <button type="button" class="link" onClick={load}>
        Load earlier turns
      </button>
    </div>
  );
}
