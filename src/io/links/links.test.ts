// Links over real sockets: who gets in, what is believed, and what happens when a link breaks.
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { LinkAddress, SessionOwner } from '../../host/ownership/hostLinks.ts';
import type { LinkCommand, LinkFollower } from '../../host/ownership/hostLinks.ts';
import { eventually } from '../../../test/kit/patience.ts';
import { ownCertificate } from '../http/certificate.ts';
import { listenWeb } from '../http/server.ts';
import type { WebOptions, WebServer } from '../http/server.ts';
import { HostLinks } from './hostLinks.ts';
import { makeProof, newLinkKey, ProofCheck } from './linkProof.ts';
import { serveLink } from './serveLink.ts';

const keys = { a: newLinkKey(), b: newLinkKey() };
/** What the store has. */
const publicKeyOf = (lease: string) =>
  Promise.resolve(lease === 'a' || lease === 'b' ? keys[lease].publicKey : undefined);
const newCheck = () => new ProofCheck({ key: keys.a, me: 'a', publicKeyOf });
const theirs = keys.a.publicKey;
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

test('a proof names both hosts and counts once', async () => {
  const check = newCheck();
  const ends = { key: keys.b, theirs, from: 'b', to: 'a' };
  const { authorization, accepts } = makeProof(ends);
  const answer = (await check.answerTo(authorization)) ?? '';
  expect([accepts(answer), accepts(''), accepts(keys.a.sign('x')), makeProof(ends).accepts(answer)]).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect(makeProof({ ...ends, theirs: 'no key' }).accepts(answer)).toBe(false);
  expect(await check.answerTo(authorization)).toBeUndefined();
  const refused = [
    undefined,
    '',
    'Bearer token',
    makeProof({ ...ends, to: 'c' }).authorization,
    // Whoever reads the database has the public keys only.
    makeProof({ ...ends, key: newLinkKey() }).authorization,
    makeProof({ ...ends, from: 'unknown' }).authorization,
    makeProof({ ...ends, key: keys.a, from: 'a' }).authorization,
    makeProof(ends, 'short').authorization,
    `${makeProof(ends).authorization} more`,
  ];
  const answers = await Promise.all(refused.map((each) => check.answerTo(each)));
  expect(answers).toEqual(refused.map(() => undefined));
});

test('only hosts of the store get in: neither strangers, nor the token, nor a page', async () => {
  const { server } = await owner();
  const knock = (headers: Record<string, string>, query = '') =>
    new Promise<number>((resolve) => {
      const socket = new WebSocket(`ws://127.0.0.1:${server.port}/link${query}`, { headers });
      socket.on('unexpected-response', (_, { statusCode = 0 }) => resolve(statusCode));
      socket.on('open', () => {
        socket.terminate();
        resolve(101);
      });
      socket.on('error', () => {});
    });
  const { authorization } = makeProof({ key: keys.b, theirs, from: 'b', to: 'a' });
  expect(await knock({})).toBe(401);
  expect(await knock({ authorization: 'Bearer the-token' })).toBe(401);
  expect(await knock({}, '?tkn=the-token')).toBe(401);
  expect(await knock({ authorization, origin: 'http://evil.example' })).toBe(403);
  expect(await knock({ authorization, host: 'evil.example' })).toBe(403);
  expect(await knock({ authorization })).toBe(101);
  expect(await knock({ authorization })).toBe(401);
});

test('commands and news go over a link, and followers hear again after it broke', async () => {
  const { address, given, followers, breakAll, restart } = await owner();
  const links = linksTo();
  const link = links.to({ ...lease, address });
  const news: string[] = [];
  const broken: string[] = [];
  const follower = {
    stored: () => news.push('stored'),
    gone: () => news.push('gone'),
    broke: () => broken.push('broke'),
  };
  const leave = link.follow('s1', follower);
  await eventually(() => news.length === 1 && followers.size === 1, 'the first news');
  expect(await link.command(command('c1'))).toEqual({ seq: 7 });
  expect(given).toEqual([command('c1')]);
  expect(await link.letGo('s1')).toBe(true);
  expect(links.status()).toEqual([{ host: 'A', url: address.url, isUp: true, sessions: 1 }]);
  followers.get('s1')?.stored();
  await eventually(() => news.length === 2, 'news');
  breakAll();
  await eventually(() => broken.length === 1, 'the news that the link broke');
  await eventually(() => news.length === 3 && link.isUp, 'news after the link came back');
  followers.get('s1')?.gone();
  await eventually(() => news.includes('gone'), 'the end');
  await restart.close();
  await expect(link.command(command('c2'))).rejects.toMatchObject({ name: 'LinkBroken' });
  await eventually(() => links.status()[0]?.isUp === false, 'the link is down');
  expect(links.status()).toMatchObject([{ isUp: false, problem: expect.stringMatching(/./) }]);
  leave();
});

test('another program at the address, or another certificate, is not believed', async () => {
  const stranger = await owner({ answer: 'I am A' });
  await expect(
    linksTo()
      .to({ ...lease, address: stranger.address })
      .letGo('s1'),
  ).rejects.toThrow('Another program answers at its address.');
  const folder = mkdtempSync(join(tmpdir(), 'parley-links-'));
  closers.push(() => rmSync(folder, { recursive: true }));
  const tls = ownCertificate({ cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }, ['127.0.0.1']);
  const { server } = await owner({ tls });
  const url = `https://127.0.0.1:${server.port}/`;
  const fingerprint = new X509Certificate(tls.cert).fingerprint256;
  expect(
    await linksTo()
      .to({ ...lease, address: { url, fingerprint } })
      .letGo('s1'),
  ).toBe(true);
  await expect(
    linksTo()
      .to({ ...lease, address: { url } })
      .letGo('s1'),
  ).rejects.toThrow('not known');
  await expect(
    linksTo()
      .to({ ...lease, address: { url, fingerprint: anotherFingerprint(fingerprint) } })
      .letGo('s1'),
  ).rejects.toThrow('Its certificate is not the one in the store.');
});

/** The fingerprint with another first digit. */
function anotherFingerprint(fingerprint: string): string {
  return (fingerprint.startsWith('A') ? 'B' : 'A') + fingerprint.slice(1);
}

const lease: SessionOwner = { host: 'A', lease: 'a', renewed: '1' };

function command(id: string): LinkCommand {
  const by = { kind: 'client', door: 'ahp', client: 'phone', device: 'Phone', most: 'ask' } as const;
  return { id, session: 's1', command: { kind: 'stopTurn', chat: 's1', next: 'n' }, by };
}

function linksTo(): HostLinks {
  const links = new HostLinks({
    name: 'B',
    me: () => 'b',
    key: () => Promise.resolve(keys.b),
    publicKeyOf,
  });
  closers.push(() => links.close());
  return links;
}

interface OwnerOptions {
  readonly tls?: WebOptions['tls'];
  /** What it answers instead of its proof. */
  readonly answer?: string;
}

/** A web server that takes links for a host with one session. */
async function owner({ tls, answer }: OwnerOptions = {}) {
  const given: LinkCommand[] = [];
  const followers = new Map<string, LinkFollower>();
  const open = new Set<{ close(): void }>();
  const check = newCheck();
  const service = {
    command: (one: LinkCommand) => {
      given.push(one);
      return Promise.resolve({ seq: 7 });
    },
    letGo: (_: string, to: string) => Promise.resolve(to === 'B'),
    follow: (session: string, on: LinkFollower) => {
      followers.set(session, on);
      return () => void followers.delete(session);
    },
  };
  const server: WebServer = await listenWeb({
    host: '127.0.0.1',
    port: 0,
    names: ['127.0.0.1'],
    version: '0',
    // Only what a link could reach is real.
    token: { current: () => 'the-token', follow: () => () => {}, rotate: () => Promise.resolve('x') },
    devices: { find: () => undefined, follow: () => () => {} } as never,
    status: { metrics: () => Promise.resolve('') },
    doors: {
      paths: [],
      accept: () => {},
      links: {
        answerTo: async (authorization) => {
          const proof = await check.answerTo(authorization);
          return proof && (answer ?? proof);
        },
        serve: (transport) => {
          open.add(transport);
          void serveLink(transport, { service, report: () => {} });
        },
      },
    },
    ...(tls ? { tls } : {}),
  });
  closers.push(() => server.close());
  const address: LinkAddress = { url: `http://127.0.0.1:${server.port}/` };
  const breakAll = () => {
    for (const each of open) each.close();
  };
  return { server, address, given, followers, breakAll, restart: server };
}
