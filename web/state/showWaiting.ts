// Brings the next approval or question of the page into view and gives it the focus.

export function showNextWaiting(): void {
  const all = [...document.querySelectorAll<HTMLElement>('.ask')];
  const current = all.findIndex((card) => card.contains(document.activeElement));
  const next = all[(current + 1) % Math.max(1, all.length)];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: 'center' });
}
