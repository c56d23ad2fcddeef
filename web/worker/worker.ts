// The service worker: a page for when the host cannot be reached, and notifications of sessions that
// wait, which can be answered while no page is open.
import { isRecord } from '../../src/base/isRecord.ts';
import icon from '../public/apple-touch-icon.png';
import { addressOf } from '../state/route.ts';
import { callHost } from './callHost.ts';

interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface WorkerEvents {
  install: ExtendableEvent;
  activate: ExtendableEvent;
  fetch: ExtendableEvent & { readonly request: Request; respondWith(response: Promise<Response>): void };
  push: ExtendableEvent & { readonly data: { json(): unknown } | null };
  notificationclick: ExtendableEvent & { readonly notification: Notification; readonly action: string };
}

interface WindowClient {
  readonly visibilityState: string;
  focus(): Promise<unknown>;
  navigate(url: string): Promise<unknown>;
}

/** What of the scope of a service worker is used here; the compiler knows the scope of pages only. */
interface WorkerScope {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { readonly type: 'window' }): Promise<readonly WindowClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener<Name extends keyof WorkerEvents>(
    name: Name,
    listener: (event: WorkerEvents[Name]) => void,
  ): void;
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see WorkerScope
const scope = self as unknown as WorkerScope;

const offlineFiles = ['/offline.html', '/offline.css'];
const cacheName = 'offline-1';

scope.addEventListener('install', (event) => {
  event.waitUntil(caches.open(cacheName).then((cache) => cache.addAll(offlineFiles)));
  void scope.skipWaiting();
});

scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()));

scope.addEventListener('fetch', (event) => {
  const { request } = event;
  const isOfflineFile = offlineFiles.includes(new URL(request.url).pathname);
  if (request.mode !== 'navigate' && !isOfflineFile) return;
  event.respondWith(
    fetch(request).catch(
      async () => (await caches.match(isOfflineFile ? request : '/offline.html')) ?? Response.error(),
    ),
  );
});

interface Waiting {
  readonly session: string;
  readonly chat: string;
  readonly ask: string;
  readonly mayAnswer: boolean;
}

scope.addEventListener('push', (event) => {
  const waiting = readWaiting(event.data?.json());
  if (waiting) event.waitUntil(show(waiting));
});

/**
 * Answers are offered only where the whole of what they are about is shown. A host that cannot be reached
 * leaves a notification without content.
 */
async function show(waiting: Waiting): Promise<void> {
  const { mayAnswer, ...place } = waiting;
  const pages = await scope.clients.matchAll({ type: 'window' });
  // A page that is seen tells it itself.
  if (pages.some(({ visibilityState }) => visibilityState === 'visible')) return;
  const ask = () => callHost('push/waiting', place);
  const found = await ask()
    .catch(ask)
    .catch(() => undefined);
  if (found === null) return;
  const text = found?.command ?? found?.title ?? '';
  const isShown = text !== '' && text.length <= longestShown;
  const options: NotificationOptions & { readonly actions: readonly object[] } = {
    tag: waiting.ask,
    data: waiting,
    icon,
    body: isShown ? text : 'Open Parley to see what it asks.',
    requireInteraction: true,
    actions: mayAnswer && isShown ? answers : [],
  };
  await scope.registration.showNotification(found?.session || 'A session needs you', options);
}

const answers = [
  { action: 'allow', title: 'Allow once' },
  { action: 'deny', title: 'Deny' },
];

/** Systems cut longer texts. */
const longestShown = 160;

scope.addEventListener('notificationclick', (event) => {
  const { notification, action } = event;
  notification.close();
  const waiting = readWaiting(notification.data);
  if (waiting) event.waitUntil(action === '' ? open(waiting) : answer(waiting, action === 'allow'));
});

async function answer(waiting: Waiting, allow: boolean): Promise<void> {
  const { mayAnswer: _, ...place } = waiting;
  try {
    await callHost('push/answer', { ...place, allow });
  } catch (error) {
    const body = error instanceof Error ? error.message : 'The host cannot be reached.';
    await scope.registration.showNotification('The answer did not arrive', { body, data: waiting });
  }
}

async function open({ session }: Waiting): Promise<void> {
  const url = `/${addressOf({ page: 'session', session: `ahp-session:/${encodeURIComponent(session)}` })}`;
  const [page] = await scope.clients.matchAll({ type: 'window' });
  if (!page) return void (await scope.clients.openWindow(url));
  await page.navigate(url);
  await page.focus();
}

function readWaiting(value: unknown): Waiting | undefined {
  if (!isRecord(value)) return undefined;
  const { session, chat, ask, mayAnswer } = value;
  return typeof session === 'string' && typeof chat === 'string' && typeof ask === 'string'
    ? { session, chat, ask, mayAnswer: mayAnswer === true }
    : undefined;
}
