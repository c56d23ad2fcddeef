// Short messages that come and go, and what screen readers are told.
import { errorText } from '../../src/base/errorText.ts';
import { signal } from '@preact/signals';

export interface Toast {
  readonly id: number;
  readonly kind: 'info' | 'problem';
  readonly text: string;
}

export const toasts = signal<readonly Toast[]>([]);

/** Read out when the reader has finished its sentence. */
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
  // The same words twice are no change, and only changes are read out.
  announcement.value = announcement.value === text ? `${text}\u00A0` : text;
}

export function problemText(error: unknown): string {
  return errorText(error, String(error));
}
