// What signs a browser in, in real Chromium on the real host: it works in every tab, after a reload and
// after a restart, and another server on the same address gets nothing with which it could come in.
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { afterEach, expect, test } from 'vitest';
import { useBrowser } from './console/browser.ts';
import { useRealHost } from './console/realHost.ts';

const browsing = useBrowser();
const real = useRealHost();
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function signInLink(role: string): Promise<string> {
  const { out } = await real.home.run('devices', 'add', '--role', role).done;
  return /http:\/\/\S+/.exec(out)?.[0] ?? '';
}

/** A server of somebody else on the same address; it keeps every header that a browser sends it. */
async function otherServer() {
  const headers: { readonly [name: string]: string | readonly string[] | undefined }[] = [];
  const server = createServer((request, response) => {
    headers.push(request.headers);
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Another server</h1>');
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, headers };
}

/** The status with which the host answers whoever connects with these headers. */
function statusFor(headers: Record<string, string>, query = ''): Promise<number> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${real.host.port}/ahp${query}`, { headers });
    socket.once('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.once('unexpected-response', (_, response) => resolve(response.statusCode ?? 0));
    socket.once('error', () => {});
  });
}

test('a link signs a browser in: all its tabs, after a reload and after a restart of the host', async () => {
  const { page, complaints } = await browsing.open(await signInLink('control'));
  await page.getByText('No sessions yet.').waitFor();
  expect(page.url()).toBe(real.address);
  await page.reload();
  await page.getByText('No sessions yet.').waitFor();
  const second = await page.context().newPage();
  await second.goto(real.address);
  await second.getByText('No sessions yet.').waitFor();
  const { port } = real.host;
  await real.host.kill('SIGTERM');
  await page.getByText('Reconnecting…').waitFor();
  real.host = await real.home.serve('--port', String(port));
  for (const tab of [page, second]) {
    await tab.getByText('Reconnecting…').waitFor({ state: 'detached' });
    await tab.getByText('No sessions yet.').waitFor();
  }
  // Another link for a browser that is known changes its role; it does not make another device.
  await second.goto(await signInLink('approve'));
  await second.getByRole('heading', { name: 'Sessions' }).waitFor();
  expect(JSON.parse((await real.home.run('devices', '--json').done).out)).toMatchObject([
    { role: 'approve' },
  ]);
  expect(complaints).toEqual([]);
  // A phone is a device of its own, and is out immediately when it is revoked.
  const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
  const { page: small } = await browsing.open(await signInLink('observe'), phone);
  await small.getByRole('heading', { name: 'Sessions' }).waitFor();
  const devices = JSON.parse((await real.home.run('devices', '--json').done).out) as { id: string }[];
  expect(devices).toMatchObject([{ role: 'approve' }, { role: 'observe', connections: 1 }]);
  await real.home.run('devices', 'revoke', devices[1]?.id ?? '').done;
  await small.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('another server on the same address gets nothing that lets it in', async () => {
  const { page } = await browsing.open(await signInLink('control'));
  await page.getByText('No sessions yet.').waitFor();
  const proofs: string[] = [];
  page.on('websocket', (socket) => proofs.push(new URL(socket.url()).search));
  await page.reload();
  await page.getByText('No sessions yet.').waitFor();
  const other = await otherServer();
  await page.goto(other.address);
  await page.getByText('Another server').waitFor();
  const [sent = {}] = other.headers;
  expect(sent['cookie']).toBeUndefined();
  const cookie = String(sent['cookie']);
  expect(await statusFor({ cookie, origin: `http://127.0.0.1:${real.host.port}` })).toBe(401);
  expect(
    await page.evaluate('indexedDB.databases().then((all) => [all.length, localStorage.length])'),
  ).toEqual([0, 0]);
  // What our own page sent is worth nothing to anybody else either, not even to whoever saw it.
  expect(proofs).toEqual([expect.stringMatching(/^\?device=[\w-]+&challenge=[\w.-]+&proof=[\w-]+$/)]);
  expect(await statusFor({ origin: `http://127.0.0.1:${real.host.port}` }, proofs[0])).toBe(401);
});
