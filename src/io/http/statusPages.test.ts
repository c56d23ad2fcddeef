import { expect, test } from 'vitest';
import type { LeaseHolder } from '../store/durableStore.ts';
import { healthPage } from './statusPages.ts';
import type { HealthPage, HostStatus } from './statusPages.ts';

const mine: LeaseHolder = { name: 'a:/data', version: '1', started: 0, left: 9, sessions: 2, isMe: true };
const other = { ...mine, name: 'b:/data', isMe: false };
const version = '1';

const cases: readonly [string, HostStatus['hosts'], boolean, HealthPage][] = [
  ['a store of its own', undefined, true, { status: 200, body: { status: 'ok', version } }],
  ['a stranger', async () => [mine, other], false, { status: 200, body: { status: 'ok', version } }],
  [
    'somebody who is signed in',
    async () => [mine, other],
    true,
    { status: 200, body: { status: 'ok', version, hosts: [mine, other] } },
  ],
  ['a lost lease', async () => [other], false, { status: 503, body: { status: 'lease lost', version } }],
  [
    'a store that cannot be reached',
    () => Promise.reject(new Error('secret')),
    true,
    { status: 503, body: { status: 'store unavailable', version } },
  ],
];

test.each(cases)('%s', async (_, hosts, isKnown, expected) => {
  const status = { hosts, metrics: async () => '' };
  expect(await healthPage(status, { version, isKnown })).toEqual(expected);
});
