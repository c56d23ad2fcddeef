// Tells the user that a session waits: a count in the page title, and a browser notification if enabled.
import { effect, signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import type { URI } from '../../src/protocols/ahp/v1_0/content.ts';
import type { SessionSummary } from '../../src/protocols/ahp/v1_0/state.ts';
import { pageTitle, titleText } from './pageTitle.ts';
import { announce } from './toasts.ts';

const storageKey = 'parley.notify';

/** True if the user enabled notifications and the browser permits them. */
export const notificationsEnabled = signal(false);

export function canNotify(): boolean {
  return 'Notification' in globalThis;
}

export async function setNotificationsEnabled(wanted: boolean): Promise<void> {
  const allowed = wanted && canNotify() && (await Notification.requestPermission()) === 'granted';
  notificationsEnabled.value = allowed;
  localStorage.setItem(storageKey, String(allowed));
}

export function announceWaitingSessions(
  waiting: ReadonlySignal<readonly SessionSummary[]>,
  open: (session: URI) => void,
): void {
  notificationsEnabled.value =
    localStorage.getItem(storageKey) === 'true' && canNotify() && Notification.permission === 'granted';
  effect(() => {
    document.title = titleText(pageTitle.value, waiting.value.length);
  });
  let known = new Set<URI>();
  effect(() => {
    const sessions = waiting.value;
    for (const session of sessions.filter(({ resource }) => !known.has(resource))) {
      announce(`${session.title || 'A session'} needs you.`);
      if (notificationsEnabled.peek() && document.hidden) show(session, open);
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
