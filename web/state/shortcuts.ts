// Keyboard shortcuts for every page. All need Alt, so that they do not interfere with typing.
import { goTo } from './route.ts';

export function listenForShortcuts(): void {
  addEventListener('keydown', (event) => {
    if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // `code` is the physical key: some layouts type another character with Alt.
    const run = shortcuts.get(event.code);
    if (!run) return;
    event.preventDefault();
    run();
  });
}

const shortcuts: ReadonlyMap<string, () => void> = new Map([
  ['KeyN', () => goTo({ page: 'new' })],
  ['KeyI', () => goTo({ page: 'inbox' })],
  ['KeyS', () => document.querySelector<HTMLElement>('.search-field')?.focus()],
  ['KeyW', () => document.querySelector<HTMLElement>('.ask button, .ask input, .ask textarea')?.focus()],
  ['KeyM', () => document.querySelector<HTMLElement>('.message-field')?.focus()],
]);
