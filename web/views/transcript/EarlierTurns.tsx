// Loads older turns from the host when the user scrolls near the first loaded turn.
import { errorText } from '../../../src/base/errorText.ts';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import { useClient } from '../../state/app.ts';
import { Loading } from '../parts/Loading.tsx';
import { WatcherContext } from '../parts/LazyBlock.tsx';

export function EarlierTurns({ chat, cursor }: { readonly chat: URI; readonly cursor: string }) {
  const client = useClient();
  const watcher = useContext(WatcherContext);
  const root = useRef<HTMLDivElement>(null);
  const [problem, setProblem] = useState('');
  const load = (): void => {
    setProblem('');
    // The turns arrive as an action on the chat before the request is answered.
    client
      .request('fetchTurns', { channel: chat, cursor })
      .catch((error: unknown) => setProblem(errorText(error)));
  };
  useEffect(() => {
    const element = root.current;
    if (!element || !watcher) return;
    return watcher.watch(element, (near) => near && load());
  }, [cursor, watcher]);
  return (
    <div ref={root} class="earlier">
      {problem === '' ? <Loading what="earlier turns" /> : <p class="field-error">{problem}</p>}
      <button type="button" class="link" onClick={load}>
        Load earlier turns
      </button>
    </div>
  );
}
