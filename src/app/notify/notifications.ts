// Tells people who are not looking that a session waits: browsers that subscribed, and the webhook of the
// settings. The code behind it is loaded when it is first needed.
import { existsSync } from 'node:fs';
import type { Devices } from '../../io/auth/devices.ts';
import type { PushFile } from '../../io/push/pushFile.ts';
import type { App } from '../app.ts';
import { followAsks } from './waitingAsks.ts';
import type { NewAsk } from './waitingAsks.ts';

export interface Notifications {
  readonly pushFile: () => Promise<PushFile>;
  close(): void;
}

export interface NotificationOptions {
  readonly devices: Devices;
  /** The URL of the console, with a slash at its end; undefined before the host listens. */
  readonly address: () => string | undefined;
}

export function startNotifications(app: App, { devices, address }: NotificationOptions): Notifications {
  const { host, env, paths, settings } = app;
  let opened: Promise<PushFile> | undefined;
  const pushFile = () =>
    (opened ??= import('../../io/push/pushFile.ts').then(({ openPushFile }) => openPushFile(paths.push)));
  const hasPush = () => opened !== undefined || existsSync(paths.push);
  devices.follow((id) => {
    if (hasPush() && !devices.list().some((device) => device.id === id))
      void pushFile().then((file) => file.remove(id));
  });
  const tell = async (ask: NewAsk): Promise<void> => {
    const webhook = settings.of([]).notifications?.webhook;
    if (webhook === undefined && !hasPush()) return;
    const { networkFetch } = await import('../../io/http/httpClient.ts');
    const fetcher = networkFetch(env, () => settings.of([]).network);
    if (webhook !== undefined) {
      const { sendWebhook } = await import('../../io/push/webhook.ts');
      const base = address();
      const problem = await sendWebhook(fetcher, { url: webhook, click: base && `${base}#/inbox` });
      if (problem !== undefined) host.report(new Error(problem), 'the webhook of the notifications');
    }
    if (!hasPush()) return;
    const { pushAsk } = await import('./push.ts');
    await pushAsk({ host, devices, file: await pushFile(), fetch: fetcher }, ask);
  };
  const leave = followAsks(host, (ask) => {
    tell(ask).catch((error: unknown) => host.report(error, 'a notification'));
  });
  return { pushFile, close: leave };
}
