// A log that a newer version of Parley has gone on with: listed and opened as such in every door, read as far
// as possible, never changed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LogNewer } from '../../src/host/session/logStore.ts';
import { loadDatabase, query } from '../../src/io/store/sqlite/database.ts';
import type { Database } from '../../src/io/store/sqlite/database.ts';
import { openStore } from '../../src/io/store/sqlite/open.ts';
import { isRejection } from '../../src/model/command.ts';
import { format } from '../../src/model/upgrade.ts';
import { acpClient } from '../kit/acpClient.ts';
import { connect } from '../kit/ahp.ts';
import { connectV1 } from '../kit/ahp/integer1/client.ts';
import { ecaClient } from '../kit/ecaClient.ts';
import { rig, testClient } from '../kit/host.ts';
import type { Rig } from '../kit/host.ts';

const title = 'Mine (written by a newer version of Parley)';
let directory: string;
let on: Rig;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'parley-newer-'));
  const first = await rig(await openStore({ directory, report: () => {} }));
  for (const id of ['s', 'all-newer']) {
    const session = await first.create(id);
    session.dispatch({ kind: 'changeSession', changes: { title: 'Mine' } }, testClient);
    session.dispatch(
      { kind: 'startTurn', chat: id, turn: 't', message: { id: 'm', text: 'Hello' } },
      testClient,
    );
    await session.settled();
  }
  await first.close();
  const database = (await loadDatabase())(join(directory, 'log.db'));
  goOn(database, 's');
  database.prepare("DELETE FROM entries WHERE session = 'all-newer'").run();
  goOn(database, 'all-newer');
  database.close();
  on = await rig(await openStore({ directory, report: () => {} }));
});

afterEach(async () => {
  await on.close();
  rmSync(directory, { recursive: true });
});

/** Appends what only the next version can read. */
function goOn(database: Database, session: string): void {
  const last = query(database, `SELECT max(seq) FROM entries WHERE session = '${session}'`)()[0]?.[0];
  const seq = Number(last ?? 0) + 1;
  const [pos, at, by, event] = [
    1_000 + seq,
    5,
    JSON.stringify({ kind: 'host' }),
    JSON.stringify({ kind: 'from.the.future' }),
  ];
  const crc = crc32(`${session}\n${seq} ${pos} ${at} ${format + 1}\n${by}\n${event}`);
  database
    .prepare(
      'INSERT INTO entries (session, by, format, pos, seq, at, event, crc) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    )
    .run(session, by, format + 1, pos, seq, at, event, crc);
  database.prepare('UPDATE sessions SET format = ?').run(format + 1);
}

test('reading ends with a typed outcome that is no damage, and nothing is written', async () => {
  const reading = async () => {
    for await (const entry of on.store.read('s')) expect(entry.seq).toBeLessThan(100);
  };
  await expect(reading()).rejects.toThrow(LogNewer);
  expect(on.store.summaries().find(({ id }) => id === 's')).toMatchObject({ newer: true });
  expect(on.store.summaries().find(({ id }) => id === 's')?.damage).toBeUndefined();
  expect(on.store.unfinished()).toEqual([]);
  const session = await on.host.open('s');
  expect(
    isRejection(session)
      ? session
      : session.dispatch({ kind: 'changeSession', changes: { title: 'x' } }, testClient),
  ).toMatchObject({
    rejected: 'newer',
    message: expect.stringContaining('newer version of Parley') as unknown,
  });
});

describe('every door says so, in its list and when the session is opened', () => {
  test('ACP', async () => {
    const client = acpClient(on.host);
    await client.initialize();
    expect(JSON.stringify(await client.call('session/list', {}))).toContain(title);
    await client.call('session/load', { sessionId: 's', cwd: '/w', mcpServers: [] });
    const said = await client
      .call('session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'x' }] })
      .catch((error: unknown) => error);
    expect(said instanceof Error ? said.message : JSON.stringify(said)).toContain('newer version of Parley');
    await client.close();
  });

  test('ECA', async () => {
    const client = ecaClient(on.host);
    await client.request('initialize', {
      processId: null,
      workspaceFolders: [{ name: 'w', uri: 'file:///w' }],
      capabilities: {},
    });
    expect(JSON.stringify((await client.request('chat/list', {})).result)).toContain(title);
    await client.request('chat/open', { chatId: 's' });
    expect(JSON.stringify(client.wire)).toContain(`"chat/opened","params":{"chatId":"s","title":"${title}"}`);
    await client.close();
  });

  test('AHP', async () => {
    const client = await connect(on.host);
    expect(JSON.stringify(await client.request('listSessions', {}))).toContain(title);
    await client.subscribe('script:/s');
    expect(client.views.get('script:/s')).toMatchObject({ title });
    const echo = await client.echo(
      client.dispatch('script:/s', { type: 'session/titleChanged', title: 'x' }),
    );
    expect(echo.params.rejectionReason).toContain('newer version of Parley');
    await client.close();
  });
});

describe('a session of which nothing can be read is refused in words by every door', () => {
  const words = 'A newer version of Parley wrote this session';

  test('ACP', async () => {
    const client = acpClient(on.host);
    await client.initialize();
    for (const method of ['session/load', 'session/resume'])
      await expect(
        client.call(method, { sessionId: 'all-newer', cwd: '/w', mcpServers: [] }),
      ).rejects.toThrow(words);
    await client.close();
  });

  test('ECA', async () => {
    const client = ecaClient(on.host);
    await client.request('initialize', {
      processId: null,
      workspaceFolders: [{ name: 'w', uri: 'file:///w' }],
      capabilities: {},
    });
    for (const method of ['chat/open', 'chat/history', 'chat/delete', 'chat/clear'])
      expect(await client.request(method, { chatId: 'all-newer' }), method).toMatchObject({
        error: { message: expect.stringContaining(words) as unknown },
      });
    const { result } = await client.request('chat/prompt', { chatId: 'all-newer', message: 'x' });
    expect(result).toMatchObject({ status: 'error' });
    await client.request('chat/prompt', { chatId: 'mine', message: '/resume all-newer' });
    const shown = client.wire
      .map((message) => JSON.stringify(message))
      .filter((text) => text.includes(words));
    expect(shown.filter((text) => text.includes('$/showMessage'))).toHaveLength(1);
    expect(shown.filter((text) => text.includes('chat/contentReceived'))).toHaveLength(1);
    await client.close();
  });

  test('AHP', async () => {
    const client = await connect(on.host);
    for (const channel of ['script:/all-newer', 'ahp-chat:/all-newer'])
      await expect(client.subscribe(channel)).rejects.toThrow(words);
    await expect(client.request('fetchTurns', { channel: 'ahp-chat:/all-newer' })).rejects.toThrow(words);
    await expect(
      client.request('createChat', { channel: 'script:/all-newer', chat: 'ahp-chat:/c' }),
    ).rejects.toThrow(words);
    await client.close();
  });

  test('AHP 1', async () => {
    const client = await connectV1(on.host);
    await expect(client.subscribe('script:/all-newer')).rejects.toThrow(words);
    for (const method of ['fetchTurns', 'disposeSession'])
      await expect(client.request(method, { session: 'script:/all-newer' }), method).rejects.toThrow(words);
    const fork = { session: 'script:/all-newer', turnId: 't' };
    await expect(
      client.request('createSession', { session: 'script:/copy', provider: 'script', fork }),
    ).rejects.toThrow(words);
    await client.close();
  });
});
