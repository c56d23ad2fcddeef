// Short messages that disappear after a while, and announcements for screen readers.
import { signal } from '@preact/signals';

export interface Toast {
  readonly id: number;
  readonly kind: 'info' | 'problem';
  readonly text: string;
  /** A button that takes back what the message tells. */
  readonly action?: ToastAction | undefined;
}

export interface ToastAction {
  readonly label: string;
  readonly run: () => void;
}

export const toasts = signal<readonly Toast[]>([]);

/** A screen reader reads this once it has finished its current sentence. */
export const announcement = signal('');

const shownMs = 8000;

let lastId = 0;
let paused = false;

export function toast(kind: Toast['kind'], text: string, action?: ToastAction): void {
  const id = ++lastId;
  toasts.value = [...toasts.value.slice(-3), { id, kind, text, action }];
  dismissLater(id);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((entry) => entry.id !== id);
}

/** While the pointer is on a message no message disappears. */
export function pauseToasts(isPaused: boolean): void {
  paused = isPaused;
}

function dismissLater(id: number): void {
  setTimeout(() => (paused ? dismissLater(id) : dismiss(id)), shownMs);
}

export function announce(text: string): void {
  // Screen readers read only changes, so a repeated text needs a different ending.
  announcement.value = announcement.value === text ? `${text}\u00A0` : text;
}
