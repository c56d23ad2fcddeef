// Makes the mark of a footnote a way to its note, and the number of the note a way back. Buttons rather than
// links: the fragment of the address names the page of the console.

const places = '.footnote-mark, .footnote > sup:first-child';

export function linkFootnotes(root: HTMLElement): void {
  for (const place of root.querySelectorAll<HTMLElement>(places)) {
    const name = place.textContent ?? '';
    const isMark = place.matches('.footnote-mark');
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'link footnote-link';
    button.textContent = name;
    button.setAttribute('aria-label', isMark ? `Footnote ${name}` : `Back to the mark of footnote ${name}`);
    button.addEventListener('click', () => goToCounterpart(button, isMark));
    place.replaceChildren(button);
  }
}

/** The counterpart may lie in another block of the same message. */
function goToCounterpart(button: HTMLElement, isMark: boolean): void {
  const buttons = button
    .closest('.prose')
    ?.querySelectorAll<HTMLElement>(`${isMark ? '.footnote > sup' : '.footnote-mark'} > .footnote-link`);
  const found = [...(buttons ?? [])].find(({ textContent }) => textContent === button.textContent);
  found?.scrollIntoView({ block: 'center' });
  found?.focus();
}
