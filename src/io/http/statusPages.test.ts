import { expect, test } from 'vitest';
import type { LeaseHolder } from '../store/durableStore.ts';
import { healthPage } from './statusPages.ts';
import type { HealthPage, HostStatus } from './statusPages.ts';

const mine: LeaseHolder = { name: 'a:/data', version: '1', started: 0, left: 9, sessions: 2, isMe: true };
const other = { ...mine, name: 'b:/data', isMe: false };
const version = '1';

const cases: readonly [string, { hosts: HostStatus['hosts']; isKnown: boolean }, HealthPage][] = [
  [
    'a store of its own',
    { hosts: undefined, isKnown: true },
    { status: 200, body: { status: 'ok', version } },
  ],
  [
    'a stranger',
    { hosts: async () => [mine, other], isKnown: false },
    { status: 200, body: { status: 'ok', version } },
  ],
  [
    'somebody who is signed in',
    { hosts: async () => [mine, other], isKnown: true },
    { status: 200, body: { status: 'ok', version, hosts: [mine, other], links: [] } },
  ],
  [
    'a lost lease',
    { hosts: async () => [other], isKnown: false },
    { status: 503, body: { status: 'lease lost', version } },
  ],
  [
    'a store that cannot be reached',
    { hosts: () => Promise.reject(new Error('secret')), isKnown: true },
    { status: 503, body: { status: 'store unavailable', version } },
  ],
];

test.each(cases)('%s', async (_, { hosts, isKnown }, expected) => {
  const status = { hosts, metrics: async () => '' };
  expect(await healthPage(status, { version, isKnown })).toEqual(expected);
});
