import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { sendWebhook } from './webhook.ts';

test.each([
  [200, undefined],
  [403, 'The webhook answered with status 403.'],
])('a webhook that answers with %i', async (status, problem) => {
  const received: unknown[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { title, click } = request.headers;
      received.push({ method: request.method, body, title, click });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/topic`;
  expect(await sendWebhook(fetch, { url, click: 'http://host/#/inbox' })).toBe(problem);
  const click = 'http://host/#/inbox';
  expect(received).toEqual([{ method: 'POST', body: 'A session needs you.', title: 'Parley', click }]);
});

test('a webhook that is not there', async () => {
  expect(await sendWebhook(fetch, { url: 'http://127.0.0.1:1/', click: undefined })).toMatch(
    /^The webhook cannot be reached/,
  );
});
