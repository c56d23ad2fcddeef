import { describe, expect, test } from 'vitest';
import { connect, sessionOf, start, unknownClient } from '../../../test/kit/acpDoor.ts';
import { testClient } from '../../../test/kit/host.ts';
import { isRejection } from '../../model/command.ts';

describe('initialize', () => {
  test.each([1, 0, 2, 65_535])('version %i is answered with version 1', async (protocolVersion) => {
    const client = unknownClient(await start());
    expect(
      await client.call('initialize', {
        protocolVersion,
        clientCapabilities: { fs: { readTextFile: true }, terminal: 'junk' },
        _meta: { a: 1 },
      }),
    ).toEqual({
      protocolVersion: 1,
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: true, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true, acp: true },
        sessionCapabilities: {
          list: {},
          resume: {},
          close: {},
          delete: {},
          additionalDirectories: {},
          fork: {},
          title: {},
          archive: {},
          status: {},
          systemPrompt: { mode: { override: {} } },
        },
        auth: { logout: {}, status: {} },
        providers: {},
      },
      agentInfo: { name: 'parley', title: 'Parley', version: '1.2.3' },
      authMethods: [{ id: 'keys', name: expect.any(String), description: expect.any(String) }],
    });
  });

  test('comes before everything else', async () => {
    const client = unknownClient(await start());
    expect(await client.failure('session/new', { cwd: '/w', mcpServers: [] })).toMatchObject({
      code: -32600,
      message: 'The first request must be initialize.',
    });
  });
});

test('an agent that does not exist is named in the error', async () => {
  const host = await start();
  const client = await connect(host, { agent: 'nobody' });
  expect(await client.failure('session/new', { cwd: '/w', mcpServers: [] })).toMatchObject({
    code: -32603,
    message: 'There is no agent named nobody.',
  });
});

test('the answer to session/new comes before anything about the session', async () => {
  const host = await start();
  host.host.follow((change) => {
    if (change.kind !== 'added') return;
    const session = host.host.opened(change.summary.id);
    if (session && !isRejection(session))
      session.dispatch({ kind: 'changeSession', changes: { title: 'At once' } }, testClient);
  });
  const client = await connect(host);
  const sessionId = await client.newSession();
  await client.seen(({ params }) => params?.update?.sessionUpdate === 'session_info_update');
  expect(client.sent.slice(1).map(({ result, params }) => result ?? params?.update)).toEqual([
    expect.objectContaining({ sessionId }),
    { sessionUpdate: 'session_info_update', title: 'At once', updatedAt: expect.any(String) },
  ]);
});

test('whoever may only look changes nothing by opening a session', async () => {
  const host = await start();
  const owner = await connect(host);
  const sessionId = await owner.newSession();
  await owner.prompt(sessionId, 'x');
  const looking = await connect(host, { role: 'observe' });
  const before = sessionOf(host, sessionId).head.seq;
  const wishes = {
    mcpServers: [{ name: 's', command: '/bin/s', args: [], env: [] }],
    additionalDirectories: ['/etc'],
    systemPrompt: { mode: 'append', content: [{ type: 'text', text: 'x' }] },
  };
  await looking.call('session/load', { sessionId, cwd: '/w', ...wishes });
  expect([host.host.toolServers.of(sessionId), sessionOf(host, sessionId).head.seq]).toEqual([[], before]);
});
