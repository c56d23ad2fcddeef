// Registers the service worker, and lets this browser be told about waiting sessions while no page is open.
import { signal } from '@preact/signals';
import { errorText } from '../../src/base/errorText.ts';
import { isRecord } from '../../src/base/isRecord.ts';
import type { Client } from '../../client/connection/client.ts';
import { toast } from '../state/toasts.ts';

/** Whether this browser is subscribed; undefined where it cannot be. */
export const pushEnabled = signal<boolean | undefined>(undefined);

/** Browsers offer workers to encrypted pages and to those of the own machine. */
export async function registerWorker(): Promise<void> {
  if (!isSecureContext || !('serviceWorker' in navigator)) return;
  try {
    const registration = await navigator.serviceWorker.register(workerAddress(), { scope: '/' });
    if (!('pushManager' in registration)) return;
    pushEnabled.value = (await registration.pushManager.getSubscription()) !== null;
  } catch {
    // A browser that forbids workers shows the console all the same.
  }
}

/** The page's policy accepts the address of a worker from this place only. */
function workerAddress(): string {
  const types: unknown = Reflect.get(globalThis, 'trustedTypes');
  if (!hasPolicies(types)) return workerFile;
  return types.createPolicy('parley-worker', { createScriptURL: () => workerFile }).createScriptURL('');
}

const workerFile = '/sw.js';

interface Policies {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: (text: string) => string },
  ): { createScriptURL(text: string): string };
}

function hasPolicies(value: unknown): value is Policies {
  return (isRecord(value) || typeof value === 'object') && value !== null && 'createPolicy' in value;
}

export async function setPush(client: Client, wanted: boolean): Promise<void> {
  try {
    const { pushManager } = await navigator.serviceWorker.ready;
    const known = await pushManager.getSubscription();
    if (!wanted) {
      await known?.unsubscribe();
      await client.requestExtension('push/unsubscribe', {});
      pushEnabled.value = false;
      return;
    }
    const { key } = await client.requestExtension('push/key', {});
    const subscription =
      known ?? (await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }));
    const { endpoint, keys } = subscription.toJSON();
    await client.requestExtension('push/subscribe', {
      endpoint: endpoint ?? '',
      keys: { p256dh: keys?.['p256dh'] ?? '', auth: keys?.['auth'] ?? '' },
    });
    pushEnabled.value = true;
  } catch (error) {
    toast('problem', `Notifications could not be changed: ${errorText(error)}`);
  }
}
