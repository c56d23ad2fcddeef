// Builds the search index soon after the start, in the background, so that the first search finds it built. A
// host with few sessions leaves it to that search.
import type { Host } from '../../host/host.ts';

/** The first clients come before it. */
const delay = 2_000;

/** With fewer sessions a search builds what is missing in a moment. */
const fewest = 200;

/** Returns a function that calls it off. Once begun, the index goes on until it is closed. */
export function prepareSearch(host: Pick<Host, 'clock' | 'summaries' | 'search' | 'report'>): () => void {
  const stop = new AbortController();
  const recall = host.clock.after(delay, () => {
    if (host.summaries().filter(({ started }) => started).length < fewest) return;
    host
      .search({ words: [], limit: 0, within: 0, signal: stop.signal })
      .catch((error: unknown) => host.report(error, 'building the search index'));
  });
  return () => {
    recall();
    stop.abort();
  };
}
