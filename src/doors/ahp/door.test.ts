import { afterEach, describe, expect, test } from 'vitest';
import { attach, connect } from '../../../test/kit/ahp.ts';
import type { AhpClient } from '../../../test/kit/ahp.ts';
import { rig, until } from '../../../test/kit/host.ts';
import type { Rig } from '../../../test/kit/host.ts';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';
import type { Loose } from '../../../test/kit/wire.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

async function host(store?: MemoryStore): Promise<Rig> {
  const made = await rig(store);
  open.push(() => made.close());
  return made;
}

async function client(on: Rig, options: Parameters<typeof connect>[1] = {}): Promise<AhpClient> {
  const made = await connect(on.host, options);
  open.push(() => made.close());
  return made;
}

/** A client on a fresh session, following it and its default chat. */
async function inSession(on: Rig, options: Parameters<typeof connect>[1] = {}, id = 's1'): Promise<AhpClient> {
  const made = await client(on, options);
  if (!on.host.summary(id)) await made.request('createSession', { channel: `script:/${id}`, provider: 'script', workingDirectories: ['file:///w'] });
  await made.subscribe(`script:/${id}`);
  await made.subscribe(`ahp-chat:/${id}`);
  return made;
}

const turnStarted = (turnId: string, text: string) => ({ type: 'chat/turnStarted', turnId, startedAt: '2026-01-01T00:00:00.000Z', message: { text, origin: { kind: 'user' } } });

/** The client believes what a new subscriber is told. */
async function checkAgrees(one: AhpClient, channel: string): Promise<void> {
  const fresh = (await one.peer.request('subscribe', { channel })) as Loose;
  expect(one.views.get(channel)).toEqual(fresh.snapshot.state);
  expect(one.problems).toEqual([]);
}

/** The error of a request, or its result where it has none. */
async function outcome(request: Promise<Loose>): Promise<Loose> {
  return request.then((result: unknown) => ({ result }), (error: Loose) => ({ code: error.code, data: error.data }));
}

describe('the first message', () => {
  const offers: readonly (readonly [string, unknown, Loose])[] = [
    ['one version', ['1.0.0'], '1.0.0'],
    ['the older version', ['0.9.0'], '0.9.0'],
    ['a newer minor', ['1.7.0', '0.9.0'], '1.7.0'],
    ['VS Code 1.139', ['0.9.0', '0.7.0', '0.6.0', '0.5.2', '0.5.1'], '0.9.0'],
    ['the number VS Code used before 1.0', ['0.10.0', '0.9.0'], '0.10.0'],
    ['nothing we speak', ['2.0.0', '0.8.0'], { code: -32005, data: { supportedVersions: ['^1.0.0', '^0.9.0'] } }],
    ['no version at all', [], { code: -32005, data: { supportedVersions: ['^1.0.0', '^0.9.0'] } }],
    ['something malformed', ['1.0.0', '1.0'], { code: -32602, data: undefined }],
    ['no list', '1.0.0', { code: -32602, data: undefined }],
  ];
  test.each(offers)('%s', async (_, protocolVersions, expected) => {
    const on = await host();
    const one = attach(on.host);
    open.push(() => one.close());
    const got = await outcome(one.request('initialize', { channel: 'ahp-root://', protocolVersions, clientId: 'c' }));
    expect(got.result?.protocolVersion ?? got).toEqual(expected);
  });

  test('answers with the root, who we are and where to begin', async () => {
    const on = await host();
    const one = attach(on.host, { defaultDirectory: 'file:///w' });
    open.push(() => one.close());
    const result = await one.request('initialize', { protocolVersions: ['1.0.0'], clientId: 'c', initialSubscriptions: ['ahp-root:', 'script:/nowhere'] });
    expect(result).toEqual({
      protocolVersion: '1.0.0', serverSeq: result.serverSeq, serverInfo: { name: 'parley', version: '1.2.3' }, completionTriggerCharacters: ['@', '/', '#'], defaultDirectory: 'file:///w',
      snapshots: [{
        resource: 'ahp-root://', fromSeq: result.serverSeq,
        state: {
          activeSessions: 0, config: { schema: { type: 'object', properties: {} }, values: {} },
          agents: [{
            provider: 'script', displayName: 'Script', description: 'Does what a test says.', protectedResources: [], capabilities: { multipleChats: { fork: true, sideChat: true }, multipleWorkingDirectories: {} },
            models: [{ id: 'script/one', provider: 'script', name: 'One', maxContextWindow: 1000 }],
          }],
        },
      }],
    });
  });

  test('that we cannot speak with ends the connection', async () => {
    const one = attach((await host()).host);
    expect((await outcome(one.request('initialize', { protocolVersions: ['0.1.0'], clientId: 'c' }))).code).toBe(-32005);
    expect((await one.peer.closed).kind).toBe('ended');
  });

  test('always has a list of snapshots', async () => {
    const one = attach((await host()).host);
    open.push(() => one.close());
    expect((await one.request('initialize', { protocolVersions: ['0.9.0'], clientId: 'c' })).snapshots).toEqual([]);
  });

  test('must be initialize or reconnect, and comes once', async () => {
    const on = await host();
    const one = attach(on.host);
    open.push(() => one.close());
    expect((await outcome(one.request('listSessions', {}))).code).toBe(-32600);
    const two = await client(on);
    expect((await outcome(two.request('initialize', { protocolVersions: ['1.0.0'], clientId: 'x' }))).code).toBe(-32600);
    expect(await two.request('ping')).toBeNull();
  });

  test('a client id belongs to the credential it came with first', async () => {
    const on = await host();
    await client(on, { id: 'mine', principal: 'owner' });
    const thief = attach(on.host, { id: 'mine', principal: 'guest' });
    open.push(() => thief.close());
    expect((await outcome(thief.request('initialize', { protocolVersions: ['1.0.0'], clientId: 'mine' }))).code).toBe(-32009);
    const other = attach(on.host, { id: 'mine', principal: 'guest' });
    open.push(() => other.close());
    expect((await outcome(other.request('reconnect', { clientId: 'mine', lastSeenServerSeq: 0, subscriptions: [] }))).code).toBe(-32008);
  });

  test('a client that comes twice closes its older connection', async () => {
    const on = await host();
    const old = await client(on, { id: 'same' });
    await client(on, { id: 'same' });
    expect((await old.peer.closed).kind).toBe('ended');
  });
});

describe('sessions', () => {
  test('can be followed and used before they are answered to exist', async () => {
    const on = await host();
    const one = await client(on);
    const created = one.request('createSession', { channel: 'script:/s1', workingDirectories: ['file:///w/a%20b'], config: { mode: 'interactive' } });
    const seq = one.dispatch('script:/s1', { type: 'session/titleChanged', title: 'Named at once' });
    const [session, chat] = await Promise.all([one.subscribe('script:/s1'), one.subscribe('ahp-chat:/s1')]);
    expect(await created).toBeNull();
    expect(session.snapshot.state).toMatchObject({
      provider: 'script', lifecycle: 'ready', defaultChat: 'ahp-chat:/s1', workingDirectories: ['file:///w/a%20b'], config: { values: { mode: 'interactive' } }, activeClients: [],
    });
    expect(chat.snapshot.state).toMatchObject({ resource: 'ahp-chat:/s1', turns: [], status: 33 });
    expect(one.views.get('script:/s1').title).toBe('Named at once');
    expect(one.said.some(({ params }) => params?.origin?.clientSeq === seq)).toBe(false);
  });

  const wrong: readonly (readonly [string, Loose, number])[] = [
    ['a name that is taken', { channel: 'script:/taken' }, -32003],
    ['a name that is taken, spelled otherwise', { channel: 'ahp-session:/taken' }, -32003],
    ['a provider nobody has', { channel: 'script:/x', provider: 'nobody' }, -32002],
    ['a scheme nobody has', { channel: 'nobody:/x' }, -32002],
    ['no name of a session', { channel: 'ahp-root://' }, -32602],
    ['a name with a path', { channel: 'script:/x/y' }, -32602],
    ['a name with blanks', { channel: 'script:/a%20b' }, -32602],
    ['a folder elsewhere', { channel: 'script:/x', workingDirectories: ['vscode-remote://box/w'] }, -32602],
    ['another client as active', { channel: 'script:/x', activeClient: { clientId: 'someone-else', tools: [] } }, -32602],
    ['no channel', {}, -32602],
  ];
  test.each(wrong)('cannot be made with %s', async (_, params, code) => {
    const on = await host();
    const one = await client(on);
    await one.request('createSession', { channel: 'script:/taken' });
    expect((await outcome(one.request('createSession', params))).code).toBe(code);
  });

  test('are announced and listed once somebody has written to them, in the spelling of the client', async () => {
    const on = await host();
    const maker = await inSession(on, { id: 'maker' });
    const modern = await client(on, { id: 'modern', versions: ['0.9.0'] });
    expect(await modern.request('listSessions', { channel: 'ahp-root://' })).toEqual({ items: [] });
    maker.dispatch('ahp-chat:/s1', turnStarted('t1', 'hello'));
    const { params } = await maker.wait(({ method }) => method === 'root/sessionAdded');
    expect(params.summary).toMatchObject({ resource: 'script:/s1', provider: 'script', workingDirectories: ['file:///w'], defaultChat: 'ahp-chat:/s1' });
    const older = await modern.wait(({ method }) => method === 'root/sessionAdded');
    expect(Object.keys(older.params.summary).toSorted()).toEqual(['changes', 'createdAt', 'modifiedAt', 'provider', 'resource', 'status', 'title', 'workingDirectories']);
    const changed = await maker.wait(({ method, params: said }) => method === 'root/sessionSummaryChanged' && said.changes.status === 1);
    expect(changed.params.session).toBe('script:/s1');
    const spec = attach(on.host, { id: 'spec' });
    open.push(() => spec.close());
    await spec.request('initialize', { protocolVersions: ['1.0.0'], clientId: 'spec', _meta: { 'vscode.ahpSessionUris': true } });
    expect((await spec.request('listSessions', {})).items.map(({ resource }: Loose) => resource)).toEqual(['ahp-session:/s1']);
    await checkAgrees(maker, 'ahp-root://');
  });

  test('are listed in pages', async () => {
    const on = await host();
    const one = await client(on);
    for (const id of ['a', 'b', 'c']) {
      const session = await on.create(id);
      session.dispatch({ kind: 'startTurn', chat: id, turn: `t-${id}`, message: { id: 'm', text: 'x' } }, { kind: 'host' });
      await until(session, ({ chats }) => chats[id]?.turns.length === 1);
    }
    const names = ({ items }: Loose) => items.map(({ resource }: Loose) => resource);
    const first = await one.request('listSessions', { limit: 2 });
    expect(names(first)).toEqual(['script:/c', 'script:/b']);
    const second = await one.request('listSessions', { limit: 2, cursor: first.nextCursor });
    expect([names(second), second.nextCursor]).toEqual([['script:/a'], undefined]);
    expect((await outcome(one.request('listSessions', { cursor: 'bogus' }))).code).toBe(-32602);
    expect((await outcome(one.request('listSessions', { limit: 0 }))).code).toBe(-32602);
  });

  test('that a client disposes of stop, are gone for it, and keep their history', async () => {
    const on = await host();
    on.scripts.set('*', ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'cancelled' }))));
    const one = await inSession(on);
    const other = await inSession(on, { id: 'other' });
    one.dispatch('ahp-chat:/s1', turnStarted('t1', 'go on for ever'));
    await other.action('chat/turnStarted');
    expect(await one.request('disposeSession', { channel: 'script:/s1' })).toBeNull();
    await one.wait(({ method, params }) => method === 'root/sessionRemoved' && params.session === 'script:/s1');
    await other.action('chat/turnCancelled');
    expect((await one.request('listSessions', {})).items).toHaveLength(1);
    expect((await one.subscribe('ahp-chat:/s1')).snapshot.state.turns).toHaveLength(1);
    expect((await outcome(one.request('disposeSession', { channel: 'script:/nope' }))).code).toBe(-32001);
  });
});

describe('chats', () => {
  test('come with a first message and go again', async () => {
    const on = await host();
    const one = await inSession(on);
    const created = one.request('createChat', { channel: 'script:/s1', chat: 'ahp-chat:/c2', initialMessage: { text: 'hello', origin: { kind: 'user' } } });
    await one.subscribe('ahp-chat:/c2');
    expect(await created).toBeNull();
    await until(on.host.opened('s1') as Loose, ({ chats }) => chats['c2']?.turns.length === 1);
    await checkAgrees(one, 'ahp-chat:/c2');
    await checkAgrees(one, 'script:/s1');
    expect(one.views.get('script:/s1').chats.map(({ resource }: Loose) => resource)).toEqual(['ahp-chat:/s1', 'ahp-chat:/c2']);
    expect((await outcome(one.request('createChat', { channel: 'script:/s1', chat: 'ahp-chat:/c2' }))).code).toBe(-32010);
    expect((await outcome(one.request('createChat', { channel: 'script:/s1', chat: 'ahp-chat:/c3', source: { kind: 'fork', chat: 'ahp-chat:/c2', turnId: 't' } }))).code).toBe(-32008);
    expect((await outcome(one.request('createChat', { channel: 'script:/s1', chat: 'ahp-chat:/c3', source: { kind: 'sideChat', chat: 'ahp-chat:/c2', turnId: 't' } }))).code).toBe(-32008);
    expect(await one.request('disposeChat', { channel: 'ahp-chat:/c2' })).toBeNull();
    expect((await outcome(one.subscribe('ahp-chat:/c2'))).code).toBe(-32008);
    expect((await outcome(one.request('disposeChat', { channel: 'ahp-chat:/s1' }))).code).toBe(-32602);
    await checkAgrees(one, 'script:/s1');
  });
});

describe('the past of a chat', () => {
  async function long() {
    const on = await host();
    const one = await inSession(on);
    for (const turn of ['t1', 't2', 't3']) {
      one.dispatch('ahp-chat:/s1', turnStarted(turn, turn));
      await until(on.host.opened('s1') as Loose, ({ chats }) => chats['s1']?.turns.at(-1)?.id === turn);
    }
    return { on, one };
  }

  test('begins another chat, up to a turn, and nothing of it runs again', async () => {
    const { on, one } = await long();
    let prompted = 0;
    on.scripts.set('*', () => {
      prompted += 1;
      return Promise.resolve();
    });
    expect(await one.request('createChat', { channel: 'script:/s1', chat: 'ahp-chat:/f', source: { kind: 'fork', chat: 'ahp-chat:/s1', turnId: 't2' } })).toBeNull();
    const { snapshot: { state } } = await one.subscribe('ahp-chat:/f');
    expect(state).toMatchObject({ origin: { kind: 'fork', chat: 'ahp-chat:/s1', turnId: 't2' }, turns: [{ id: 't1' }, { id: 't2' }], status: 1 });
    await checkAgrees(one, 'script:/s1');
    expect(prompted).toBe(0);
    one.dispatch('ahp-chat:/f', turnStarted('t9', 'on'));
    await until(on.host.opened('s1') as Loose, ({ chats }) => chats['f']?.turns.length === 3);
    expect(prompted).toBe(1);
    await checkAgrees(one, 'ahp-chat:/f');
  });

  test('is shown in part where a client wants so, and fetched by a cursor', async () => {
    const { on, one } = await long();
    const other = await client(on, { id: 'other' });
    const { snapshot } = await other.request('subscribe', { channel: 'ahp-chat:/s1', view: { turns: 1 } });
    expect(snapshot.state.turns.map(({ id }: Loose) => id)).toEqual(['t3']);
    expect(await other.request('fetchTurns', { channel: 'ahp-chat:/s1', cursor: snapshot.state.turnsNextCursor })).toEqual({});
    expect(other.views.get('ahp-chat:/s1').turns.map(({ id }: Loose) => id)).toEqual(['t1', 't2', 't3']);
    await checkAgrees(other, 'ahp-chat:/s1');
    expect(one.said.some(({ params }) => params?.action?.type === 'chat/turnsLoaded')).toBe(false);
  });

  test('what its turns did to files is a channel of the session, and one of each turn', async () => {
    const { on, one } = await long();
    const edit = (tool: string, before: string | null, after: string) => {
      on.scripts.set(tool, (turn) => {
        turn.report({ kind: 'tool.started', tool, name: 'write', title: 'Write', toolKind: 'edit', source: 'native' });
        turn.report({ kind: 'tool.running', tool, basis: { how: 'agent' } });
        turn.report({ kind: 'tool.ended', tool, result: { status: 'done', content: [{ type: 'edit', path: '/w/a', before, after }] } });
        return Promise.resolve();
      });
      one.dispatch('ahp-chat:/s1', turnStarted(`turn-${tool}`, tool));
      return until(on.host.opened('s1') as Loose, ({ chats }) => chats['s1']?.turns.at(-1)?.id === `turn-${tool}`);
    };
    expect(one.views.get('script:/s1').changesets.map(({ uriTemplate }: Loose) => uriTemplate)).toEqual(['ahp-changeset:/s1', 'ahp-changeset:/s1/{turnId}']);
    expect((await one.subscribe('ahp-changeset:/s1')).snapshot.state).toMatchObject({ status: 'ready', files: [], operations: [{ id: 'undo' }] });
    await edit('one', null, 'x\n');
    await edit('two', 'x\n', 'y\nz\n');
    await one.action('changeset/contentChanged');
    const [file, ...others] = (await one.subscribe('ahp-changeset:/s1')).snapshot.state.files;
    expect(others).toEqual([]);
    expect(file.edit).toMatchObject({ after: { uri: 'file:///w/a' }, diff: { added: 2, removed: 0 } });
    expect(file.edit).not.toHaveProperty('before');
    expect((await one.request('resourceRead', { uri: file.edit.after.content.uri })).data).toBe('y\nz\n');
    expect((await one.subscribe('ahp-changeset:/s1/turn-two')).snapshot.state.files).toMatchObject([{ edit: { diff: { added: 2, removed: 1 } } }]);
    expect((await outcome(one.subscribe('ahp-changeset:/s1/none'))).code).toBe(-32008);
    expect((await outcome(one.request('invokeChangesetOperation', { channel: 'ahp-changeset:/s1', operationId: 'undo' }))).code).toBe(-32601);
  });

  test('the folders of a session change at the wish of a client', async () => {
    const { one } = await long();
    const act = async (action: Loose) => (await one.echo(one.dispatch('script:/s1', action))).params.rejectionReason as unknown;
    expect(await act({ type: 'session/workingDirectorySet', directory: 'file:///v' })).toBeUndefined();
    expect(await act({ type: 'session/workingDirectoryReplaced', directory: 'file:///w', replacement: 'file:///u' })).toBeUndefined();
    expect(one.views.get('script:/s1').workingDirectories).toEqual(['file:///u', 'file:///v']);
    expect(await act({ type: 'session/workingDirectoryRemoved', directory: 'file:///u' })).toBeUndefined();
    expect(one.views.get('script:/s1').workingDirectories).toEqual(['file:///v']);
    await checkAgrees(one, 'script:/s1');
  });
});

describe('a turn', () => {
  test('streams to everybody, and its sender gets its own action back once', async () => {
    const on = await host();
    on.scripts.set('hello', async (turn) => {
      turn.report({ kind: 'text.added', item: 'r', channel: 'reasoning', text: 'Hm.' });
      turn.report({ kind: 'text.added', item: 'a', channel: 'answer', text: 'Hello' });
      await Promise.resolve();
      turn.report({ kind: 'text.added', item: 'a', channel: 'answer', text: ' there.' });
      turn.report({ kind: 'usage.reported', usage: { input: 3, output: 4 } });
    });
    const one = await inSession(on);
    const two = await inSession(on, { id: 'client-2', versions: ['0.9.0'] });
    const seq = one.dispatch('ahp-chat:/s1', turnStarted('request_1', 'hello'));
    await two.action('chat/turnComplete');
    await one.action('chat/turnComplete');
    expect(one.said.filter(({ params }) => params?.origin?.clientSeq === seq).map(({ params }) => params.action.type)).toEqual(['chat/turnStarted']);
    expect(one.views.get('ahp-chat:/s1').turns).toMatchObject([{
      id: 'request_1', state: 'complete', message: { text: 'hello', origin: { kind: 'user' } }, usage: { inputTokens: 3, outputTokens: 4 },
      responseParts: [{ kind: 'reasoning', content: 'Hm.' }, { kind: 'markdown', content: 'Hello there.' }],
    }]);
    for (const channel of ['script:/s1', 'ahp-chat:/s1', 'ahp-root://']) {
      await checkAgrees(one, channel);
      await checkAgrees(two, channel);
    }
  });

  test('is confirmed by whoever answers first; the other is told who that was', async () => {
    const on = await host();
    on.scripts.set('*', async (turn) => {
      turn.report({ kind: 'tool.started', tool: 'tc1', name: 'shell_command', title: 'Run', toolKind: 'execute', source: 'native' });
      turn.report({ kind: 'tool.ready', tool: 'tc1', input: { command: 'ls' }, title: 'ls', toolKind: 'execute' });
      const verdict = await turn.approve({ tool: 'tc1', name: 'shell_command', toolKind: 'execute', title: 'Run ls?', input: { command: 'ls' }, paths: [], command: 'ls', editable: true });
      turn.report({ kind: 'tool.ended', tool: 'tc1', result: { status: 'done', content: [{ type: 'text', text: JSON.stringify(verdict) }] } });
    });
    const one = await inSession(on);
    const two = await inSession(on, { id: 'client-2' });
    one.dispatch('ahp-chat:/s1', turnStarted('t1', 'run it'));
    const asked = await two.wait(({ params }) => params?.action?.type === 'chat/toolCallReady');
    expect(asked.params.action).toMatchObject({ toolInput: 'ls', confirmationTitle: 'Run ls?', editable: true });
    expect(two.views.get('script:/s1').inputNeeded).toMatchObject([{ kind: 'toolConfirmation', chat: 'ahp-chat:/s1', turnId: 't1', toolCall: { toolCallId: 'tc1' } }]);
    const won = two.dispatch('ahp-chat:/s1', { type: 'chat/toolCallConfirmed', turnId: 't1', toolCallId: 'tc1', approved: true, confirmed: 'user-action', selectedOptionId: 'allow', editedToolInput: 'ls -la' });
    const lost = one.dispatch('ahp-chat:/s1', { type: 'chat/toolCallConfirmed', turnId: 't1', toolCallId: 'tc1', approved: false, reason: 'denied' });
    expect((await two.echo(won)).params.rejectionReason).toBeUndefined();
    expect((await one.echo(lost)).params.rejectionReason).toBe('This was already answered by Tester client-2.');
    await one.action('chat/turnComplete');
    await two.action('chat/turnComplete');
    expect(one.views.get('ahp-chat:/s1').turns[0].responseParts[0].toolCall).toMatchObject({
      status: 'completed', toolInput: 'ls -la', confirmed: 'user-action', _meta: { decidedBy: 'Tester client-2', decision: 'Allow once' },
      content: [{ type: 'terminal', title: 'ls', isPty: false }, { type: 'text', text: JSON.stringify({ allowed: true, option: 'allow', input: { command: 'ls -la' } }) }],
    });
    expect(two.said.filter(({ params }) => params?.origin?.clientId === 'client-1' && params.action.type === 'chat/toolCallConfirmed')).toEqual([]);
    for (const channel of ['script:/s1', 'ahp-chat:/s1']) {
      await checkAgrees(one, channel);
      await checkAgrees(two, channel);
    }
  });

  test('shows edits by reference, and the host has the texts', async () => {
    const on = await host();
    on.scripts.set('*', (turn) => {
      turn.report({ kind: 'tool.started', tool: 'tc1', name: 'write_file', title: 'Write', toolKind: 'edit', source: 'native' });
      turn.report({ kind: 'tool.ended', tool: 'tc1', result: { status: 'done', content: [{ type: 'text', text: 'ok' }, { type: 'edit', path: '/w/a', before: 'old\n', after: 'new ü\n' }] } });
      return Promise.resolve();
    });
    const one = await inSession(on);
    one.dispatch('ahp-chat:/s1', turnStarted('t1', 'edit'));
    await one.action('chat/turnComplete');
    const { before, after } = one.views.get('ahp-chat:/s1').turns[0].responseParts[0].toolCall.content[1];
    expect([before.uri, after.uri]).toEqual(['file:///w/a', 'file:///w/a']);
    expect(await one.request('resourceRead', { uri: before.content.uri })).toEqual({ data: 'old\n', encoding: 'utf-8', contentType: 'text/plain' });
    expect(await one.request('resourceRead', { uri: after.content.uri, encoding: 'base64' })).toEqual({ data: Buffer.from('new ü\n').toString('base64'), encoding: 'base64', contentType: 'text/plain' });
  });

  test('asks questions that two clients fill in together', async () => {
    const on = await host();
    on.scripts.set('*', async (turn) => {
      const answer = await turn.ask({ kind: 'question', message: 'Tell me', questions: [
        { id: 'colour', message: 'Which?', required: true, answer: { type: 'one', choices: [{ id: 'r', label: 'Red' }, { id: 'b', label: 'Blue' }], freeform: true } },
        { id: 'sure', message: 'Sure?', answer: { type: 'boolean' } },
      ] });
      turn.report({ kind: 'text.added', item: 'a', channel: 'answer', text: JSON.stringify(answer) });
    });
    const one = await inSession(on);
    const two = await inSession(on, { id: 'client-2' });
    one.dispatch('ahp-chat:/s1', turnStarted('t1', 'ask me'));
    const requestId = (await two.action('chat/inputRequested')).params.action.request.id as string;
    const draft = one.dispatch('ahp-chat:/s1', { type: 'chat/inputAnswerChanged', requestId, questionId: 'sure', answer: { state: 'submitted', value: { kind: 'boolean', value: true } } });
    await one.echo(draft);
    const bad = two.dispatch('ahp-chat:/s1', { type: 'chat/inputAnswerChanged', requestId, questionId: 'sure', answer: { state: 'draft', value: { kind: 'text', value: 'yes' } } });
    expect((await two.echo(bad)).params.rejectionReason).toMatch(/boolean/);
    const early = two.dispatch('ahp-chat:/s1', { type: 'chat/inputCompleted', requestId, response: 'accept' });
    expect((await two.echo(early)).params.rejectionReason).toMatch(/colour/);
    two.dispatch('ahp-chat:/s1', { type: 'chat/inputCompleted', requestId, response: 'accept', answers: { colour: { state: 'submitted', value: { kind: 'selected', value: 'b' } } } });
    await one.action('chat/turnComplete');
    await two.action('chat/turnComplete');
    expect(two.views.get('ahp-chat:/s1').turns[0].responseParts.at(-1).content).toBe(JSON.stringify({ kind: 'fields', values: { colour: 'b', sure: true } }));
    const late = one.dispatch('ahp-chat:/s1', { type: 'chat/inputCompleted', requestId, response: 'decline' });
    expect((await one.echo(late)).params.rejectionReason).toBe('This was already answered by Tester client-2.');
    await checkAgrees(one, 'ahp-chat:/s1');
  });

  test('is steered, queued behind, cancelled and gone back on', async () => {
    const on = await host();
    on.scripts.set('slow', ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'cancelled' }))));
    const one = await inSession(on);
    const say = (text: string) => ({ text, origin: { kind: 'user' } });
    await one.echo(one.dispatch('ahp-chat:/s1', turnStarted('t1', 'slow')));
    const busy = await one.echo(one.dispatch('ahp-chat:/s1', turnStarted('t2', 'slow')));
    expect(busy.params.rejectionReason).toMatch(/running/);
    for (const [id, text] of [['q1', 'first'], ['q2', 'slow'], ['q3', 'third']] as const) {
      await one.echo(one.dispatch('ahp-chat:/s1', { type: 'chat/pendingMessageSet', kind: 'queued', id, message: say(text) }));
    }
    await one.echo(one.dispatch('ahp-chat:/s1', { type: 'chat/pendingMessageSet', kind: 'steering', id: 'st', message: say('left') }));
    await one.echo(one.dispatch('ahp-chat:/s1', { type: 'chat/queuedMessagesReordered', order: ['q2'] }));
    await one.echo(one.dispatch('ahp-chat:/s1', { type: 'chat/pendingMessageRemoved', kind: 'queued', id: 'q1' }));
    expect((await one.echo(one.dispatch('ahp-chat:/s1', { type: 'chat/pendingMessageRemoved', kind: 'steering', id: 'q3' }))).params.rejectionReason).toMatch(/not waiting/);
    expect(one.views.get('ahp-chat:/s1')).toMatchObject({ steeringMessage: { id: 'st' }, queuedMessages: [{ id: 'q2' }, { id: 'q3' }] });
    await one.echo(one.dispatch('ahp-chat:/s1', { type: 'chat/pendingMessageRemoved', kind: 'steering', id: 'st' }));
    expect((await one.echo(one.dispatch('ahp-chat:/s1', { type: 'chat/turnCancelled', turnId: 'other', duration: 1 }))).params.rejectionReason).toBeDefined();
    const cancelled = await one.echo(one.dispatch('ahp-chat:/s1', { type: 'chat/turnCancelled', turnId: 't1', duration: 1 }));
    expect(cancelled.params.action.type).toBe('chat/turnCancelled');
    await one.wait(({ params }) => params?.action?.queuedMessageId === 'q2');
    const back = await one.echo(one.dispatch('ahp-chat:/s1', { type: 'chat/truncated', turnId: 't1' }));
    expect([back.params.action, back.params.rejectionReason]).toEqual([{ type: 'chat/truncated', turnId: 't1' }, undefined]);
    expect(one.said.filter(({ params }) => params?.origin?.clientSeq === back.params.origin.clientSeq)).toHaveLength(1);
    expect(one.views.get('ahp-chat:/s1')).toMatchObject({ turns: [{ id: 't1', state: 'cancelled' }], queuedMessages: [{ id: 'q3' }] });
    expect((await one.echo(one.dispatch('ahp-chat:/s1', { type: 'chat/turnCancelled', turnId: 't1', duration: 1 }))).params.rejectionReason).toBeDefined();
    expect((await one.echo(one.dispatch('ahp-chat:/s1', { type: 'chat/truncated', turnId: 'nope' }))).params.rejectionReason).toBeDefined();
    await checkAgrees(one, 'ahp-chat:/s1');
    await checkAgrees(one, 'script:/s1');
  });
});

describe('settings and marks', () => {
  test('of a session are kept, shown to everybody and come back', async () => {
    const on = await host();
    const one = await inSession(on);
    const two = await inSession(on, { id: 'client-2' });
    const actions: readonly Loose[] = [
      { type: 'session/titleChanged', title: 'A title' },
      { type: 'session/isReadChanged', isRead: false },
      { type: 'session/isArchivedChanged', isArchived: true },
      { type: 'session/configChanged', config: { autoApprove: 'all' } },
      { type: 'session/configChanged', config: { mode: 'plan' } },
      { type: 'session/activeClientSet', activeClient: { clientId: 'client-1', tools: [{ name: 'usages' }] } },
    ];
    for (const action of actions) expect((await one.echo(one.dispatch('script:/s1', action))).params.action.type).toBe(action.type);
    const onChat = await one.echo(one.dispatch('ahp-chat:/s1', { type: 'session/titleChanged', title: 'From the chat' }));
    expect(onChat.params).toMatchObject({ channel: 'ahp-chat:/s1', action: { type: 'session/titleChanged' } });
    const draft = { text: 'unfinished', origin: { kind: 'user' } };
    await one.echo(one.dispatch('ahp-chat:/s1', { type: 'chat/draftChanged', draft }));
    await checkAgrees(two, 'script:/s1');
    await checkAgrees(two, 'ahp-chat:/s1');
    expect(two.views.get('script:/s1')).toMatchObject({ title: 'From the chat', status: 65, config: { values: { autoApprove: 'all', mode: 'plan' } }, activeClients: [{ clientId: 'client-1' }] });
    expect(two.views.get('ahp-chat:/s1').draft).toEqual(draft);
    await one.echo(one.dispatch('script:/s1', { type: 'session/activeClientRemoved', clientId: 'client-1' }));
    await one.echo(one.dispatch('ahp-chat:/s1', { type: 'chat/draftChanged' }));
    await checkAgrees(two, 'script:/s1');
    await checkAgrees(two, 'ahp-chat:/s1');
  });

  test('of the root are shared and survive, and allow nothing', async () => {
    const store = new MemoryStore();
    const on = await host(store);
    const one = await client(on);
    const two = await client(on, { id: 'client-2' });
    const config = { terminalAutoApproveEnabled: true, 'http.proxy': '' };
    const first = await one.echo(one.dispatch('ahp-root://', { type: 'root/configChanged', config }));
    const again = await one.echo(one.dispatch('ahp-root://', { type: 'root/configChanged', config }));
    expect(again.params.serverSeq).toBeGreaterThan(first.params.serverSeq);
    await checkAgrees(two, 'ahp-root://');
    expect(two.views.get('ahp-root://').config.values).toEqual(config);
    expect(on.host.own.head.rules).toEqual([]);
    await on.close();
    const later = await rig(store);
    open.push(() => later.close());
    expect((await client(later)).views.get('ahp-root://').config.values).toEqual(config);
  });
});

describe('what a client may not do', () => {
  const bad: readonly (readonly [string, string, Loose, RegExp])[] = [
    ['a delta of the host', 'ahp-chat:/s1', { type: 'chat/delta', turnId: 't', partId: 'p', content: 'forged' }, /Only the host/],
    ['the end of a turn', 'ahp-chat:/s1', { type: 'chat/turnComplete', turnId: 't', duration: 1 }, /Only the host/],
    ['an unknown action', 'ahp-chat:/s1', { type: 'x-private/thing' }, /does not know/],
    ['a turn without an id', 'ahp-chat:/s1', { type: 'chat/turnStarted', message: { text: 'x', origin: { kind: 'user' } } }, /Malformed/],
    ['a turn with an empty id', 'ahp-chat:/s1', turnStarted('', 'x'), /needs an id/],
    ['a title that is no text', 'script:/s1', { type: 'session/titleChanged', title: 7 }, /Malformed/],
    ['null where only absence clears', 'ahp-chat:/s1', { type: 'chat/truncated', turnId: null }, /Malformed/],
    ['a chat action on the session', 'script:/s1', turnStarted('t', 'x'), /does not belong/],
    ['a session action on the chat', 'ahp-chat:/s1', { type: 'session/isReadChanged', isRead: true }, /does not belong/],
    ['a session action on the root', 'ahp-root://', { type: 'session/titleChanged', title: 'x' }, /does not belong/],
    ['a terminal that is not there', 'script:/s1', { type: 'terminal/input', data: 'x' }, /does not support/],
    ['somebody else as active client', 'script:/s1', { type: 'session/activeClientSet', activeClient: { clientId: 'client-9', tools: [] } }, /itself/],
    ['somebody else as inactive client', 'script:/s1', { type: 'session/activeClientRemoved', clientId: 'client-9' }, /itself/],
    ['a confirmation nobody asked for', 'ahp-chat:/s1', { type: 'chat/toolCallConfirmed', turnId: 't', toolCallId: 'tc', approved: true, confirmed: 'user-action' }, /no such tool call/],
    ['a cancel without a turn', 'ahp-chat:/s1', { type: 'chat/turnCancelled', turnId: 't', duration: 1 }, /./],
    ['a turn that cannot go on', 'ahp-chat:/s1', { type: 'chat/turnResume', turnId: 't' }, /Only the last turn/],
    ['a working directory elsewhere', 'script:/s1', { type: 'session/workingDirectorySet', directory: 'http://x/' }, /of this machine/],
    ['no working directory', 'script:/s1', { type: 'session/workingDirectoryRemoved', directory: 'file:///w' }, /at least one/],
    ['the same working directory', 'script:/s1', { type: 'session/workingDirectorySet', directory: 'file:///w' }, /already/],
  ];
  test.each(bad)('%s', async (...[, channel, action, reason]) => {
    const on = await host();
    const one = await inSession(on);
    const two = await inSession(on, { id: 'client-2' });
    const before = two.said.length;
    const { params } = await one.echo(one.dispatch(channel, action));
    expect(params).toMatchObject({ channel, action, serverSeq: one.lastSeen(), origin: { clientId: 'client-1' } });
    expect(params.rejectionReason).toMatch(reason);
    await two.request('ping');
    expect(two.said.slice(before)).toEqual([]);
    await checkAgrees(one, 'script:/s1');
    await checkAgrees(one, 'ahp-chat:/s1');
  });

  test('actions on channels that are not there, and malformed ones, are ignored', async () => {
    const on = await host();
    const one = await inSession(on);
    const before = one.said.length;
    for (const channel of ['script:/nowhere', 'ahp-chat:/nowhere', 'ahp-terminal:/t', 'nonsense', 'script:/$host']) one.dispatch(channel, { type: 'session/titleChanged', title: 'x' });
    one.notify('dispatchAction', { channel: 'script:/s1', clientSeq: 'no number', action: { type: 'session/titleChanged', title: 'x' } });
    one.notify('dispatchAction', { channel: 'script:/s1', clientSeq: 1 });
    one.notify('dispatchAction');
    one.notify('unsubscribe', {});
    one.notify('setClientManagedSettingsPermissions', { permissions: {} });
    await one.request('ping');
    expect(one.said.slice(before)).toEqual([]);
    expect(on.problems).toEqual([]);
  });

  const methods: readonly (readonly [string, Loose, number])[] = [
    ['subscribe', { channel: 'script:/nowhere' }, -32001],
    ['subscribe', { channel: 'ahp-chat:/nowhere' }, -32008],
    ['subscribe', { channel: 'ahp-terminal:/x' }, -32008],
    ['subscribe', { channel: 7 }, -32602],
    ['subscribe', {}, -32602],
    ['authenticate', { resource: 'https://x', token: 't' }, -32602],
    ['fetchTurns', { channel: 'ahp-chat:/s1', cursor: 'bogus' }, -32602],
    ['resourceRead', { uri: 'file:///etc/passwd' }, -32009],
    ['resourceRead', { uri: 'parley-content:/s1/s1/t/x/result/0/after' }, -32008],
    ['resourceWrite', { uri: 'file:///x', data: '', encoding: 'utf-8' }, -32601],
    ['moveChat', { channel: 'ahp-chat:/s1', destination: { kind: 'newSession' } }, -32602],
    ['createTerminal', { channel: 'ahp-terminal:/x', claim: { kind: 'client', clientId: 'c' } }, -32601],
    ['no/such/method', {}, -32601],
    ['toString', {}, -32601],
  ];
  test.each(methods)('%s %j', async (method, params, code) => {
    const on = await host();
    const one = await inSession(on);
    expect((await outcome(one.request(method, params))).code).toBe(code);
    expect(on.problems).toEqual([]);
  });

  test('the quiet requests answer as little as they may', async () => {
    const one = await inSession(await host());
    expect(await one.request('resolveSessionConfig', { provider: 'script', workingDirectory: 'file:///w' })).toEqual({ schema: { type: 'object', properties: {} }, values: {} });
    expect(await one.request('completions', { channel: 'script:/s1', kind: 'userMessage', text: '@', offset: 1 })).toEqual({ items: [] });
    expect(await one.request('fetchTurns', { channel: 'ahp-chat:/s1' })).toEqual({});
    await checkAgrees(one, 'ahp-chat:/s1');
  });
});

describe('spellings', () => {
  test('VS Code may name the default chat through its session, and gets it back as it said it', async () => {
    const on = await host();
    const one = await client(on);
    await one.request('createSession', { channel: 'script:/s1' });
    const alias = `ahp-chat://default/${Buffer.from('script:/s1').toString('base64url')}`;
    expect((await one.subscribe(alias)).snapshot).toMatchObject({ resource: alias, state: { resource: alias } });
    await one.echo(one.dispatch(alias, turnStarted('t1', 'hello')));
    const done = await one.action('chat/turnComplete');
    expect(done.params.channel).toBe(alias);
    await checkAgrees(one, alias);
  });

  test('a session is the same by any scheme', async () => {
    const on = await host();
    const one = await inSession(on);
    expect((await one.subscribe('ahp-session:/s1')).snapshot.resource).toBe('ahp-session:/s1');
    const { params } = await one.echo(one.dispatch('ahp-session:/s1', { type: 'session/titleChanged', title: 'x' }));
    expect(one.said.filter(({ params: said }) => said?.serverSeq === params.serverSeq).map(({ params: said }) => said.channel)).toEqual(['script:/s1', 'ahp-session:/s1']);
  });
});
