// Whether the sidebar is shown, and which sessions are pinned; both are remembered by this browser.
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

function readPins(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(pinsKey) ?? '[]');
    return Array.isArray(stored) ? stored.filter((each) => typeof each === 'string') : [];
  } catch {
    return [];
  }
}
