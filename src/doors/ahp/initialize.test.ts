// How a client and the host come to know each other.
import { describe, expect, test } from 'vitest';
import { attach } from '../../../test/kit/ahp.ts';
import { ahpRig, checkAgrees, outcome, turnStarted } from '../../../test/kit/ahpRig.ts';
import type { Loose } from '../../../test/kit/wire.ts';

const { client, host, inSession, open } = ahpRig();

describe('the first message', () => {
  const offers: readonly (readonly [string, unknown, Loose])[] = [
    ['one version', ['1.0.0'], '1.0.0'],
    ['the older version', ['0.9.0'], '0.9.0'],
    ['a newer minor', ['1.7.0', '0.9.0'], '1.7.0'],
    ['VS Code 1.139', ['0.9.0', '0.7.0', '0.6.0', '0.5.2', '0.5.1'], '0.9.0'],
    ['the number VS Code used before 1.0', ['0.10.0', '0.9.0'], '0.10.0'],
    [
      'nothing we speak',
      ['2.0.0', '0.8.0'],
      { code: -32005, data: { supportedVersions: ['^1.0.0', '^0.9.0'] } },
    ],
    ['no version at all', [], { code: -32005, data: { supportedVersions: ['^1.0.0', '^0.9.0'] } }],
    ['something malformed', ['1.0.0', '1.0'], { code: -32602, data: undefined }],
    ['no list', '1.0.0', { code: -32602, data: undefined }],
  ];
  test.each(offers)('%s', async (_, protocolVersions, expected) => {
    const on = await host();
    const one = attach(on.host);
    open.push(() => one.close());
    const got = await outcome(
      one.request('initialize', { channel: 'ahp-root://', protocolVersions, clientId: 'c' }),
    );
    expect(got.result?.protocolVersion ?? got).toEqual(expected);
  });

  test('answers with the root, who we are and where to begin', async () => {
    const on = await host();
    const one = attach(on.host, { defaultDirectory: 'file:///w' });
    open.push(() => one.close());
    const result = await one.request('initialize', {
      protocolVersions: ['1.0.0'],
      clientId: 'c',
      initialSubscriptions: ['ahp-root:', 'script:/nowhere'],
    });
    expect(result).toEqual({
      protocolVersion: '1.0.0',
      serverSeq: result.serverSeq,
      serverInfo: { name: 'parley', version: '1.2.3' },
      completionTriggerCharacters: ['@', '/', '#'],
      defaultDirectory: 'file:///w',
      snapshots: [
        {
          resource: 'ahp-root://',
          fromSeq: result.serverSeq,
          state: {
            activeSessions: 0,
            config: { schema: { type: 'object', properties: {} }, values: {} },
            agents: [
              {
                provider: 'script',
                displayName: 'Script',
                description: 'Does what a test says.',
                protectedResources: [],
                capabilities: {
                  multipleChats: { fork: true, sideChat: true },
                  multipleWorkingDirectories: {},
                },
                models: [{ id: 'script/one', provider: 'script', name: 'One', maxContextWindow: 1000 }],
              },
            ],
          },
        },
      ],
    });
  });

  test('that we cannot speak with ends the connection', async () => {
    const one = attach((await host()).host);
    expect(
      (await outcome(one.request('initialize', { protocolVersions: ['0.1.0'], clientId: 'c' }))).code,
    ).toBe(-32005);
    expect((await one.peer.closed).kind).toBe('ended');
  });

  test('always has a list of snapshots', async () => {
    const one = attach((await host()).host);
    open.push(() => one.close());
    expect(
      (await one.request('initialize', { protocolVersions: ['0.9.0'], clientId: 'c' })).snapshots,
    ).toEqual([]);
  });

  test('must be initialize or reconnect, and comes once', async () => {
    const on = await host();
    const one = attach(on.host);
    open.push(() => one.close());
    expect((await outcome(one.request('listSessions', {}))).code).toBe(-32600);
    const two = await client(on);
    expect(
      (await outcome(two.request('initialize', { protocolVersions: ['1.0.0'], clientId: 'x' }))).code,
    ).toBe(-32600);
    expect(await two.request('ping')).toBeNull();
  });

  test('a client id belongs to the credential it came with first', async () => {
    const on = await host();
    await client(on, { id: 'mine', principal: 'owner' });
    const thief = attach(on.host, { id: 'mine', principal: 'guest' });
    open.push(() => thief.close());
    expect(
      (await outcome(thief.request('initialize', { protocolVersions: ['1.0.0'], clientId: 'mine' }))).code,
    ).toBe(-32009);
    const other = attach(on.host, { id: 'mine', principal: 'guest' });
    open.push(() => other.close());
    expect(
      (
        await outcome(
          other.request('reconnect', { clientId: 'mine', lastSeenServerSeq: 0, subscriptions: [] }),
        )
      ).code,
    ).toBe(-32008);
  });

  test('a client that comes twice closes its older connection', async () => {
    const on = await host();
    const old = await client(on, { id: 'same' });
    await client(on, { id: 'same' });
    expect((await old.peer.closed).kind).toBe('ended');
  });
});

describe('spellings', () => {
  test('VS Code may name the default chat through its session, and gets it back as it said it', async () => {
    const on = await host();
    const one = await client(on);
    await one.request('createSession', { channel: 'script:/s1' });
    const alias = `ahp-chat://default/${Buffer.from('script:/s1').toString('base64url')}`;
    expect((await one.subscribe(alias)).snapshot).toMatchObject({
      resource: alias,
      state: { resource: alias },
    });
    await one.echo(one.dispatch(alias, turnStarted('t1', 'hello')));
    const done = await one.action('chat/turnComplete');
    expect(done.params.channel).toBe(alias);
    await checkAgrees(one, alias);
  });

  test('a session is the same by any scheme', async () => {
    const on = await host();
    const one = await inSession(on);
    expect((await one.subscribe('ahp-session:/s1')).snapshot.resource).toBe('ahp-session:/s1');
    const { params } = await one.echo(
      one.dispatch('ahp-session:/s1', { type: 'session/titleChanged', title: 'x' }),
    );
    expect(
      one.said
        .filter(({ params: said }) => said?.serverSeq === params.serverSeq)
        .map(({ params: said }) => said.channel),
    ).toEqual(['script:/s1', 'ahp-session:/s1']);
  });
});
