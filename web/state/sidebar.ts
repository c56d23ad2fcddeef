// Whether the sidebar is shown, and which sessions are pinned, both remembered by this browser; and which
// sessions are selected to be changed together.
import { effect, signal } from '@preact/signals';
import type { URI } from '../../src/protocols/ahp/v1_0/content.ts';

const hiddenKey = 'parley.sidebarHidden';
const pinsKey = 'parley.pins';

export const sidebarHidden = signal(false);

export const pins = signal<ReadonlySet<URI>>(new Set());

export function rememberSidebar(): void {
  sidebarHidden.value = localStorage.getItem(hiddenKey) === 'true';
  pins.value = new Set(readPins());
  effect(() => localStorage.setItem(hiddenKey, String(sidebarHidden.value)));
  effect(() => localStorage.setItem(pinsKey, JSON.stringify([...pins.value])));
}

export function togglePin(session: URI): void {
  const next = new Set(pins.value);
  if (!next.delete(session)) next.add(session);
  pins.value = next;
}

/** Pins or unpins several sessions. */
export function setPinned(sessions: Iterable<URI>, isPinned: boolean): void {
  const next = new Set(pins.value);
  for (const session of sessions) {
    if (isPinned) next.add(session);
    else next.delete(session);
  }
  pins.value = next;
}

/** The selected sessions; undefined while rows of the list are opened and not selected. */
export const selection = signal<ReadonlySet<URI> | undefined>(undefined);

export function toggleSelected(session: URI): void {
  const next = new Set(selection.value);
  if (!next.delete(session)) next.add(session);
  selection.value = next;
}

/** Selects every row from the one that was selected last to this one; `rows` are in the order of the list. */
export function selectTo(session: URI, rows: readonly URI[]): void {
  const anchor = [...(selection.value ?? [])].at(-1);
  const from = anchor === undefined ? -1 : rows.indexOf(anchor);
  const to = rows.indexOf(session);
  if (from < 0 || to < 0) return toggleSelected(session);
  const range = rows.slice(Math.min(from, to), Math.max(from, to) + 1);
  selection.value = new Set([...(selection.value ?? []), ...range]);
}

function readPins(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(pinsKey) ?? '[]');
    return Array.isArray(stored) ? stored.filter((each) => typeof each === 'string') : [];
  } catch {
    return [];
  }
}
