// Adding a phone from the page: the running host starts to listen for other devices with TLS, shows a QR
// code, refuses a port that is in use, listens again after a restart, and stops. One real host and a real
// browser, at desk and phone size.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { encode } from 'uqr';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../kit/freePort.ts';
import { expectAccessible, expectNoOverflow, useBrowser } from './console/browser.ts';
import { useRealHost } from './console/realHost.ts';

const browsing = useBrowser();
const real = useRealHost(
  (home) => {
    const file = join(String(home.env['PARLEY_HOME']), 'config.jsonc');
    mkdirSync(dirname(file), { recursive: true });
    // Tests listen on loopback only; a person leaves this out.
    writeFileSync(file, '{\n  // mine\n  "server": { "devices": { "host": "127.0.0.1" } }\n}\n');
  },
  { shared: true },
);

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

let occupied: Server;
const portOf = (server: Server) => String((server.address() as AddressInfo).port);

beforeAll(async () => {
  occupied = await listening();
});
afterAll(() => void occupied.close());

async function listening(): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

const row = (page: Page, name: string) => page.getByRole('listitem', { name });

async function allow(page: Page, port: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Port' }).fill(port);
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
}

test('a phone is added from the page, with no restart, and the address is closed again', async () => {
  const { page, complaints } = await browsing.open(real.at());
  await page.goto(`${real.address}#/settings/devices`);
  await page.getByRole('button', { name: 'Allow other devices…' }).click();
  await allow(page, portOf(occupied));
  await page
    .getByRole('alert')
    .filter({ hasText: `Port ${portOf(occupied)} is in use.` })
    .waitFor();
  expect(real.kept('config.jsonc')).not.toContain('enabled');
  await expectAccessible(page);
  const port = String(await freePort());
  await allow(page, port);

  await row(page, 'Other devices can connect').getByText(`https://127.0.0.1:${port}/`).waitFor();
  const link = await page.locator('.link-line code').innerText();
  expect(link).toMatch(new RegExp(`^https://127\\.0\\.0\\.1:${port}/sign-in\\?code=`));
  const { data, size } = encode(link, { border: 2 });
  const qr = page.getByRole('img', { name: 'QR code of the link' });
  expect(await qr.getAttribute('viewBox')).toBe(`0 0 ${size} ${size}`);
  const dark = data.flat().filter(Boolean).length;
  expect((await qr.locator('path').getAttribute('d'))?.match(/M/g)).toHaveLength(dark);
  await expectAccessible(page);
  await page.screenshot({ path: 'artifacts/console/other-devices.png', fullPage: true });

  const { page: mobile } = await browsing.open(link, { ...phone, ignoreHTTPSErrors: true });
  // The desk notices the phone without a reload.
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await expectNoOverflow(mobile);
  expect(real.kept('config.jsonc')).toContain('// mine');

  // The settings remember it, so the phone comes back by itself after a restart of the host.
  await real.host.kill('SIGTERM');
  real.host = await real.home.serve('--port', String(real.host.port));
  await page.reload();
  await row(page, 'Other devices can connect').waitFor();
  await mobile.goto(`https://127.0.0.1:${port}/#/inbox`);
  await mobile.getByRole('heading', { name: 'Inbox' }).waitFor();

  await page.getByRole('button', { name: 'Stop listening' }).click();
  await page.getByRole('button', { name: 'Allow other devices…' }).waitFor();
  expect(real.kept('config.jsonc')).not.toContain('enabled');
  await expect(mobile.goto(`https://127.0.0.1:${port}/`)).rejects.toThrow(/ERR_CONNECTION_REFUSED|offline/);
  expect(complaints).toEqual([]);
});

test('the same works on a page as narrow as a phone', async () => {
  const { page, complaints } = await browsing.open(real.at(), { ...phone, colorScheme: 'dark' });
  await page.goto(`${real.address}#/settings/devices`);
  await page.getByRole('button', { name: 'Allow other devices…' }).click();
  await expectNoOverflow(page);
  await expectAccessible(page);
  await page.screenshot({ path: 'artifacts/console/other-devices-phone-form.png', fullPage: true });
  await allow(page, String(await freePort()));
  await page.getByRole('img', { name: 'QR code of the link' }).waitFor();
  await page.getByText('SHA-256 fingerprint').waitFor();
  await expectNoOverflow(page);
  await expectAccessible(page);
  await page.screenshot({ path: 'artifacts/console/other-devices-phone.png', fullPage: true });
  await page.getByRole('button', { name: 'Stop listening' }).click();
  await page.getByRole('button', { name: 'Allow other devices…' }).waitFor();
  expect(complaints).toEqual([]);
});

test('a port that was taken meanwhile is told on the page, and the host starts all the same', async () => {
  const devices = { enabled: true, host: '127.0.0.1', port: Number(portOf(occupied)) };
  await real.host.kill('SIGTERM');
  writeFileSync(
    join(String(real.home.env['PARLEY_HOME']), 'config.jsonc'),
    JSON.stringify({ server: { devices } }),
  );
  real.host = await real.home.serve();
  const { page, complaints } = await browsing.open(real.at());
  await page.goto(`${real.address}#/settings/devices`);
  await page.getByText(`Port ${portOf(occupied)} is in use. Choose another one.`).waitFor();
  expect(complaints).toEqual([]);
});
