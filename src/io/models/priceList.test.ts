import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { workspace } from '../../../test/kit/workspace.ts';
import type { Workspace } from '../../../test/kit/workspace.ts';
import { latestPriceList } from './priceList.ts';

let place: Workspace;
let server: Server;
let said: { status: number; text: string };
let asked: number;

beforeEach(async () => {
  place = workspace();
  said = { status: 200, text: '[{"id":"new"}]' };
  asked = 0;
  server = createServer((_, response) => {
    asked += 1;
    response.writeHead(said.status).end(said.text);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});
afterEach(async () => {
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
  place.close();
});

const file = () => join(place.root, 'prices.json');
const look = (now = Date.now(), url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`) =>
  latestPriceList({ file: file(), url, fetch, now });

test('the list is fetched once a day and kept', async () => {
  expect([await look(), await look(), asked, readFileSync(file(), 'utf8')]).toEqual([
    [{ id: 'new' }],
    [{ id: 'new' }],
    1,
    '[{"id":"new"}]',
  ]);
  said.text = '[{"id":"newer"}]';
  expect([await look(Date.now() + 90_000_000), asked]).toEqual([[{ id: 'newer' }], 2]);
});

test.each([
  [500, '[{"id":"x"}]'],
  [200, 'no JSON'],
  [200, '{}'],
  [200, '[]'],
])('an answer with %i %s changes nothing', async (status, text) => {
  writeFileSync(file(), '[{"id":"old"}]');
  utimesSync(file(), 0, 0);
  said = { status, text };
  expect([await look(), asked, readFileSync(file(), 'utf8')]).toEqual([[{ id: 'old' }], 1, '[{"id":"old"}]']);
});

test('nobody is asked where that is not wanted, and without a list there is none', async () => {
  expect([await look(0, 'off'), asked]).toEqual([undefined, 0]);
  said.status = 404;
  expect(await look()).toBe(undefined);
});
