// The console on a phone: installable, a page for when the host is away, and a notification that is
// answered while no page is open. One real host, a push service on loopback that decrypts, and a real
// browser.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { ownCertificate } from '../../src/io/http/certificate.ts';
import { proxyTo } from '../kit/proxy.ts';
import { pushService } from '../kit/pushService.ts';
import type { PushService } from '../kit/pushService.ts';
import { expectAccessible, useBrowser } from './console/browser.ts';
import { useRealHost } from './console/realHost.ts';
import { eventually } from '../kit/patience.ts';

const browsing = useBrowser();
const services: PushService[] = [];
const real = useRealHost(
  async (home) => {
    const files = { cert: join(home.dir, 'push.crt'), key: join(home.dir, 'push.key') };
    const { subscription, ...service } = await pushService({ tls: ownCertificate(files, ['push.example']) });
    const { port } = new URL(subscription.endpoint);
    // The host finds and believes the push service as it would a real one on the internet.
    const proxy = await proxyTo(Number(port));
    const endpoint = `https://push.example:${port}/push/1`;
    const close = () => {
      service.close();
      void proxy.close();
    };
    services.push({ ...service, close, subscription: { ...subscription, endpoint } });
    Object.assign(home.env, { SSL_CERT_FILE: files.cert, HTTPS_PROXY: proxy.url });
  },
  { shared: true },
);
afterAll(() => services.forEach((service) => service.close()));

const phoneOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  permissions: ['notifications'],
};

/** Signs a phone in by a link, as the owner's page makes it. */
async function addPhone(page: Page, role: 'observe' | 'approve'): Promise<Page> {
  await page.goto(`${real.address}#/settings/devices`);
  await page.getByRole('combobox', { name: 'Role', exact: true }).selectOption(role);
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = await page.locator('.link-line code').innerText();
  const { page: phone } = await browsing.open(link, phoneOptions);
  await phone.goto(`${real.address}#/settings`);
  return phone;
}

/** Turns notifications on; no push service beyond this machine is asked for the address. */
async function subscribe(phone: Page, { subscription }: PushService): Promise<void> {
  await phone.getByRole('switch', { name: /Also while this page is closed/ }).waitFor();
  await phone.evaluate(
    `PushManager.prototype.subscribe = async (options) => {
      if (!(options.userVisibleOnly && options.applicationServerKey)) throw new Error('wrong options');
      return { toJSON: () => (${JSON.stringify(subscription)}) };
    }`,
  );
  await phone.getByRole('switch', { name: /Also while this page is closed/ }).check();
  await expect.poll(() => real.kept('push.json')).toContain(subscription.endpoint);
}

/** Gives the worker a message, as the push service of the browser would. */
async function deliver(context: BrowserContext, data: string): Promise<void> {
  const blank = await context.newPage();
  const session = await context.newCDPSession(blank);
  const known = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL === real.address);
      if (own) resolve(own.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  const registrationId = await known;
  await session.send('ServiceWorker.deliverPushMessage', {
    origin: real.address.replace(/\/$/, ''),
    registrationId,
    data,
  });
}

const shownNotifications = `registration.getNotifications().then((list) =>
  list.map(({ title, body, actions }) => ({ title, body, actions: actions.map(({ action }) => action) })))`;

test('a notification names what waits, and is answered while no page is open', async () => {
  const [service] = services;
  if (!service) throw new Error('There is no push service.');
  const { page } = await browsing.open(real.at());
  const phone = await addPhone(page, 'approve');
  await subscribe(phone, service);
  await expectAccessible(phone);
  await phone.screenshot({ path: 'artifacts/console/phone-notifications.png' });
  const context = phone.context();
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  await phone.goto('about:blank');

  await real.begin(page, 'create notes.txt with milk');
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  const { text } = await eventually(() => service.received.at(-1), 'the push message arrives');
  // Ids and nothing else leave this machine.
  expect(Object.keys(JSON.parse(text) as object).toSorted()).toEqual(['ask', 'chat', 'mayAnswer', 'session']);
  expect(text).not.toMatch(/milk|notes/);
  await deliver(context, text);
  await expect
    .poll(() => worker.evaluate(shownNotifications))
    .toEqual([
      {
        title: 'create notes.txt with milk',
        body: expect.stringContaining('notes.txt'),
        actions: ['allow', 'deny'],
      },
    ]);
  expect(existsSync(join(real.home.workspace, 'notes.txt'))).toBe(false);
  await worker.evaluate(`registration.getNotifications().then(([notification]) => {
    dispatchEvent(new NotificationEvent('notificationclick', { notification, action: 'allow' }));
  })`);
  await expect.poll(() => existsSync(join(real.home.workspace, 'notes.txt'))).toBe(true);
  await expect.poll(() => worker.evaluate(shownNotifications)).toEqual([]);
});

test('a notification comes without content while the host does not answer', async () => {
  const [service] = services;
  if (!service) throw new Error('There is no push service.');
  const { page } = await browsing.open(real.at());
  const phone = await addPhone(page, 'approve');
  await subscribe(phone, service);
  const context = phone.context();
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  await phone.goto('about:blank');
  const before = service.received.length;
  await real.begin(page, 'create sugar.txt with sugar');
  const { text } = await eventually(() => service.received[before], 'the push message arrives');
  // As from a network that loses everything: connections open, and nothing comes back.
  process.kill(real.host.pid, 'SIGSTOP');
  try {
    await deliver(context, text);
    // A browser ends a worker that has shown nothing after 90 seconds.
    await expect
      .poll(() => worker.evaluate(shownNotifications))
      .toEqual([{ title: 'A session needs you', body: 'Open Parley to see what it asks.', actions: [] }]);
  } finally {
    process.kill(real.host.pid, 'SIGCONT');
  }
});

test('a device that only looks gets no answers, and a revoked one gets nothing', async () => {
  const [first] = services;
  if (!first) throw new Error('There is no push service.');
  const { page } = await browsing.open(real.at());
  const phone = await addPhone(page, 'observe');
  await subscribe(phone, first);
  const before = first.received.length;
  await real.begin(page, 'create tea.txt with tea');
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  // The other phones are told, too, in any order.
  await expect
    .poll(() => first.received.slice(before).map(({ text }) => JSON.parse(text) as unknown))
    .toContainEqual(expect.objectContaining({ mayAnswer: false }));
  await page.goto(`${real.address}#/settings/devices`);
  const buttons = page.getByRole('button', { name: 'Sign out' });
  await buttons.first().waitFor();
  for (let left = await buttons.count(); left > 0; left -= 1) {
    await buttons.first().click();
    await expect.poll(() => buttons.count()).toBe(left - 1);
  }
  await page.getByText('No devices signed in').waitFor();
  expect(real.kept('push.json')).not.toContain('endpoint');
  const count = first.received.length;
  await real.begin(page, 'create coffee.txt with coffee');
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  expect(first.received.length).toBe(count);
});

test('the console can be installed, and says so when its host is away', async () => {
  const { page } = await browsing.open(real.at(), { ...phoneOptions, colorScheme: 'dark' });
  const manifest = await page.evaluate(`fetch('/manifest.webmanifest').then((answer) => answer.json())`);
  expect(manifest).toMatchObject({ name: 'Parley', display: 'standalone', start_url: '/' });
  // Safari takes the picture of the home screen from this link alone, and knows no SVG there.
  const icon = await page.evaluate(`fetch(document.querySelector('link[rel=apple-touch-icon]').href)
    .then(async (answer) => createImageBitmap(await answer.blob())).then(({ width }) => width)`);
  expect(icon).toBe(180);
  const session = await page.context().newCDPSession(page);
  const { errors } = await session.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
  await real.host.kill('SIGTERM');
  await page.goto(real.address);
  await page.getByRole('heading', { name: 'The host cannot be reached' }).waitFor();
  await expectAccessible(page);
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect(await page.evaluate(overflow)).toBe(0);
  real.host = await real.home.serve();
});
