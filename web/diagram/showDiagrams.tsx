// Draws the diagrams in rendered markdown: those in lists, quotes and folded parts belong to a larger block.
import { render } from 'preact';
import { WatcherContext } from '../views/parts/LazyBlock.tsx';
import type { VisibilityWatcher } from '../views/parts/LazyBlock.tsx';
import { DiagramBlock } from './DiagramBlock.tsx';

const sources = 'pre:has(> code[class="language-mermaid" i])';

/** The returned function puts the code back. */
export function showDiagrams(root: HTMLElement, watcher: VisibilityWatcher | undefined): () => void {
  const shown = [...root.querySelectorAll(sources)].map((source) => {
    const place = document.createElement('div');
    source.replaceWith(place);
    render(
      <WatcherContext.Provider value={watcher}>
        <DiagramBlock code={(source.textContent ?? '').replace(/\n$/, '')} />
      </WatcherContext.Provider>,
      place,
    );
    return { source, place };
  });
  return () => {
    for (const { source, place } of shown) {
      render(null, place);
      place.replaceWith(source);
    }
  };
}
