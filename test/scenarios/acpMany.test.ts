// Many sessions on one connection, and clients that come over the network instead of a pipe.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createWebSocketTransport } from '../../src/rpc/transports/websocket.ts';
import { acpOver, acpProcess } from '../kit/acpClient.ts';
import type { AcpClient } from '../kit/acpClient.ts';
import { newHome } from '../kit/parley.ts';
import type { Home, Served } from '../kit/parley.ts';

let home: Home;
let host: Served;

beforeAll(async () => {
  home = newHome();
  host = await home.serve();
});

afterAll(() => home.dispose());

function said(client: AcpClient, session: string): string {
  return client
    .updates(session)
    .flatMap((update) =>
      update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
        ? [update.content.text]
        : [],
    )
    .join('');
}

test('20 sessions stream at once over one connection, each in order, and a permission in one delays none', async () => {
  const client = acpProcess(home);
  await client.initialize();
  const cwd = home.workspace;
  let allow = (_: unknown) => {};
  client.permission = () =>
    new Promise((resolve) => {
      allow = resolve;
    });
  const asking = await client.newSession({ cwd });
  const waiting = client.prompt(asking, 'tool shell_command {"command":"echo waited"}');
  await client.seen(({ method }) => method === 'session/request_permission');

  const sessions = await Promise.all(Array.from({ length: 20 }, () => client.newSession({ cwd })));
  const lines = Array.from({ length: 200 }, (_, i) => `say ${i}`);
  const answers = await Promise.all(sessions.map((id) => client.prompt(id, lines.join('\n'))));
  expect(answers).toEqual(sessions.map(() => expect.objectContaining({ stopReason: 'end_turn' })));
  const expected = lines.map((line) => `${line.slice(4)}\n`).join('');
  for (const id of sessions) expect(said(client, id)).toBe(expected);
  const firstAnswer = client.sent.findIndex(({ result }) => result && 'stopReason' in result);
  const begun = new Set(
    client.sent.slice(0, firstAnswer).flatMap(({ params }) => (params?.update ? [params.sessionId] : [])),
  );
  expect(begun.size).toBeGreaterThan(5);

  allow({ outcome: { outcome: 'selected', optionId: 'allow' } });
  expect(await waiting).toMatchObject({ stopReason: 'end_turn' });
  await client.close();
  expect(client.problems).toEqual([]);
});

describe('over a WebSocket', () => {
  const names: unknown[] = [];

  async function remote(path: string, headers: { readonly [name: string]: string } = {}): Promise<AcpClient> {
    const socket = new WebSocket(`ws://127.0.0.1:${host.port}${path}`, { headers });
    socket.once('upgrade', ({ headers: given }) => names.push(given['acp-connection-id']));
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    return acpOver(createWebSocketTransport(socket));
  }

  test('the same rules hold, and the session is shared with the editors on pipes', async () => {
    const cwd = home.workspace;
    const far = await remote(`/acp?tkn=${host.token}`);
    expect(names).toEqual([expect.stringMatching(/^[\da-f-]{36}$/)]);
    expect(await far.failure('session/list', {})).toMatchObject({ code: -32600 });
    expect(await far.initialize()).toMatchObject({ protocolVersion: 1, agentInfo: { name: 'parley' } });
    const session = await far.newSession({ cwd });
    far.peer.sendRaw('{"jsonrpc":');
    expect(await far.failure('nothing/known')).toMatchObject({ code: -32601 });
    expect(await far.prompt(session, 'say From afar.')).toMatchObject({ stopReason: 'end_turn' });
    const near = acpProcess(home);
    await near.initialize();
    await near.call('session/load', { sessionId: session, cwd, mcpServers: [] });
    expect(said(near, session)).toBe('From afar.\n');
    await near.prompt(session, 'say And from here.');
    await far.seen(({ params }) => JSON.stringify(params?.update ?? null).includes('here.'));
    await Promise.all([far.close(), near.close()]);
    expect([...far.problems, ...near.problems]).toEqual([]);
  });

  const refused: readonly (readonly [
    string,
    (token: string) => readonly [string, { readonly [name: string]: string }?],
  ])[] = [
    ['no token', () => ['/acp']],
    ['a wrong token', () => ['/acp?tkn=wrong']],
    ['a foreign page', () => ['/acp?tkn=wrong', { origin: 'https://evil.example' }]],
    ['a foreign host', (token) => [`/acp?tkn=${token}`, { host: 'evil.example' }]],
  ];

  test.each(refused)('%s is turned away', async (_, given) => {
    await expect(remote(...given(host.token))).rejects.toThrow(/Unexpected server response: 40[13]/);
  });
});
