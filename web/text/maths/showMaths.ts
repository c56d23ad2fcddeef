// Typesets the formulas in rendered markdown. The typesetter is loaded with the first formula; until then,
// and where a formula is wrong, its source is shown.
import { formulaIn } from './maths.ts';
import type { Typeset } from './typesetter.ts';

export const showMaths = createMathsView(async () => (await import('./typesetter.ts')).typeset);

function createMathsView(load: () => Promise<Typeset>): (root: HTMLElement) => void {
  let loaded: Typeset | undefined;
  const show = (found: readonly HTMLElement[], typeset: Typeset): void => {
    for (const source of found) replaceSource(source, typeset);
  };
  return (root) => {
    const found = [...root.querySelectorAll<HTMLElement>('code.maths')];
    if (found.length === 0) return;
    // At once if possible: the page must not jump when a part of a long transcript is shown again.
    if (loaded) return show(found, loaded);
    load().then(
      (typeset) => show(found, (loaded = typeset)),
      () => undefined,
    );
  };
}

function replaceSource(source: HTMLElement, typeset: Typeset): void {
  const isDisplay = source.classList.contains('maths-block');
  const result = typeset(formulaIn(source.textContent ?? ''), isDisplay);
  if ('element' in result) source.replaceWith(result.element);
  else source.title = result.problem;
}
