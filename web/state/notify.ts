// Tells a person who looks elsewhere that a session waits: a count in the title always, a notification if they want it.
import { effect, signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import type { URI } from '../../src/protocols/ahp/v1_0/content.ts';
import type { SessionSummary } from '../../src/protocols/ahp/v1_0/state.ts';
import { announce } from './toasts.ts';

const storedAs = 'parley.notify';

/** The person's wish; the browser has a say as well. */
export const notifying = signal(false);

export function canNotify(): boolean {
  return 'Notification' in globalThis;
}

export async function setNotifying(wanted: boolean): Promise<void> {
  const allowed = wanted && canNotify() && (await Notification.requestPermission()) === 'granted';
  notifying.value = allowed;
  localStorage.setItem(storedAs, String(allowed));
}

export function watchWaiting(
  waiting: ReadonlySignal<readonly SessionSummary[]>,
  open: (session: URI) => void,
): void {
  notifying.value =
    localStorage.getItem(storedAs) === 'true' && canNotify() && Notification.permission === 'granted';
  let known = new Set<URI>();
  effect(() => {
    const sessions = waiting.value;
    document.title = sessions.length === 0 ? 'Parley' : `(${sessions.length}) Parley`;
    for (const session of sessions.filter(({ resource }) => !known.has(resource))) {
      announce(`${session.title || 'A session'} needs you.`);
      if (notifying.peek() && document.hidden) show(session, open);
    }
    known = new Set(sessions.map(({ resource }) => resource));
  });
}

function show({ resource, title }: SessionSummary, open: (session: URI) => void): void {
  const notification = new Notification('Parley needs you', { body: title, tag: resource });
  notification.addEventListener('click', () => {
    window.focus();
    open(resource);
    notification.close();
  });
}
