// Short messages that disappear after a while, and announcements for screen readers.
import { signal } from '@preact/signals';

export interface Toast {
  readonly id: number;
  readonly kind: 'info' | 'problem';
  readonly text: string;
}

export const toasts = signal<readonly Toast[]>([]);

/** A screen reader reads this once it has finished its current sentence. */
export const announcement = signal('');

const shownMs = 8000;

let lastId = 0;

export function toast(kind: Toast['kind'], text: string): void {
  const id = ++lastId;
  toasts.value = [...toasts.value.slice(-3), { id, kind, text }];
  setTimeout(() => dismiss(id), shownMs);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((entry) => entry.id !== id);
}

export function announce(text: string): void {
  // Screen readers read only changes, so a repeated text needs a different ending.
  announcement.value = announcement.value === text ? `${text}\u00A0` : text;
}
