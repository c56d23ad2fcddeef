// Keys that work on every page. They all need Alt, so that they never get in the way of typing.
import { goTo } from './route.ts';

export function listenForShortcuts(): void {
  addEventListener('keydown', (event) => {
    if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // Keyboards that write other characters with Alt still have the key in its place.
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
