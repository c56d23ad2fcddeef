// Keyboard shortcuts for every page. Those with a letter need Alt or Ctrl, so that they do not interfere
// with typing.
import { signal } from '@preact/signals';
import { openPalette, paletteOpen } from './palette.ts';
import { goTo, route } from './route.ts';
import { renaming } from './sessionChanges.ts';
import { showNextWaiting } from './showWaiting.ts';
import { sidebarHidden } from './sidebar.ts';

/** Whether the list of all shortcuts is open. */
export const shortcutsOpen = signal(false);

export const shortcutList: readonly (readonly [keys: string, meaning: string])[] = [
  ['Ctrl+K', 'search and commands'],
  ['Alt+N', 'new session'],
  ['Alt+I', 'inbox'],
  ['Alt+↑ / Alt+↓', 'previous or next session'],
  ['Space', 'select the session, in the list; Shift+↑ and Shift+↓ select more'],
  ['F2', 'rename the session'],
  ['Alt+E', 'archive the session, or take it back'],
  ['Alt+C', 'conversation or changes'],
  ['Ctrl+`', 'sub-agents, jobs and terminals'],
  ['Ctrl+B', 'show or hide the sidebar'],
  ['Ctrl+,', 'settings'],
  ['Alt+W', 'jump to what waits, again for the next'],
  ['A, E, D', 'allow, edit or deny, while the waiting card has the focus'],
  ['1 to 4', 'how long to allow, while the waiting card has the focus'],
  ['J, K', 'next or previous change, in the changes'],
  ['X, C', 'accept the change, or comment on it'],
  ['Alt+M', 'jump to the message field'],
  ['Enter', 'send the message, or queue it while the agent works'],
  ['Ctrl+Enter', 'steer the current turn'],
  ['Shift+Enter', 'new line'],
  ['Shift+Tab', 'next mode, in the message field'],
  ['Escape', 'close a menu, or stop the turn'],
  ['?', 'all shortcuts'],
];

/** `archive` archives the session that is open. */
export function listenForShortcuts(archive: () => void): void {
  addEventListener('keydown', (event) => {
    const run = actionFor(event, archive);
    if (!run) return;
    event.preventDefault();
    run();
  });
}

function actionFor(event: KeyboardEvent, archive: () => void): (() => void) | undefined {
  const { altKey, shiftKey, code, key, target } = event;
  const isCtrl = event.ctrlKey || event.metaKey;
  // `code` is the physical key: some layouts type another character with Alt.
  if (altKey && !isCtrl && !shiftKey) return code === 'KeyE' ? archive : withAlt.get(code);
  if (isCtrl && !altKey && !shiftKey) return withCtrl.get(key.toLowerCase());
  if (key === 'F2') return renameOpenSession;
  const isTyping = target instanceof HTMLElement && target.matches('input, textarea, select');
  return key === '?' && !isTyping ? () => (shortcutsOpen.value = true) : undefined;
}

const withAlt: ReadonlyMap<string, () => void> = new Map([
  ['KeyN', () => goTo({ page: 'new' })],
  ['KeyI', () => goTo({ page: 'inbox' })],
  ['KeyS', openPalette],
  ['KeyW', showNextWaiting],
  ['KeyM', () => document.querySelector<HTMLElement>('.message-field')?.focus()],
  ['KeyC', () => document.querySelector<HTMLElement>('.changes-button')?.click()],
  ['ArrowUp', () => moveSession(-1)],
  ['ArrowDown', () => moveSession(1)],
]);

const withCtrl: ReadonlyMap<string, () => void> = new Map<string, () => void>([
  ['k', () => (paletteOpen.value = !paletteOpen.value)],
  ['`', () => document.querySelector<HTMLElement>('.jobs-button')?.click()],
  ['b', () => (sidebarHidden.value = !sidebarHidden.value)],
  [',', () => goTo({ page: 'settings' })],
]);

function renameOpenSession(): void {
  if (route.value.page === 'session') renaming.value = route.value.session;
}

/** Opens the neighbour of the current session in the sidebar. */
function moveSession(step: number): void {
  const rows = [...document.querySelectorAll<HTMLAnchorElement>('.sessions .session')];
  const at = rows.findIndex((row) => row.hasAttribute('aria-current'));
  const next = at < 0 ? 0 : at + step;
  rows[Math.min(rows.length - 1, Math.max(0, next))]?.click();
}
