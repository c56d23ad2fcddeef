// Sessions and chats as clients of AHP 1.0 make, list, follow and leave them.
import { describe, expect, test } from 'vitest';
import { attach } from '../../../test/kit/ahp.ts';
import { ahpRig, checkAgrees, outcome, turnStarted } from '../../../test/kit/ahpRig.ts';
import { until } from '../../../test/kit/host.ts';
import type { Loose } from '../../../test/kit/wire.ts';

const { client, host, inSession, open } = ahpRig();

describe('sessions', () => {
  test('can be followed and used before they are answered to exist', async () => {
    const on = await host();
    const one = await client(on);
    const created = one.request('createSession', {
      channel: 'script:/s1',
      workingDirectories: ['file:///w/a%20b'],
      config: { mode: 'interactive' },
    });
    const seq = one.dispatch('script:/s1', { type: 'session/titleChanged', title: 'Named at once' });
    const [session, chat] = await Promise.all([one.subscribe('script:/s1'), one.subscribe('ahp-chat:/s1')]);
    expect(await created).toBeNull();
    expect(session.snapshot.state).toMatchObject({
      provider: 'script',
      lifecycle: 'ready',
      defaultChat: 'ahp-chat:/s1',
      workingDirectories: ['file:///w/a%20b'],
      config: { values: { mode: 'interactive' } },
      activeClients: [],
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
    ['a name that every object has', { channel: 'script:/constructor' }, -32602],
    ['a folder elsewhere', { channel: 'script:/x', workingDirectories: ['vscode-remote://box/w'] }, -32602],
    [
      'another client as active',
      { channel: 'script:/x', activeClient: { clientId: 'someone-else', tools: [] } },
      -32602,
    ],
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
    expect(params.summary).toMatchObject({
      resource: 'script:/s1',
      provider: 'script',
      workingDirectories: ['file:///w'],
      defaultChat: 'ahp-chat:/s1',
    });
    const older = await modern.wait(({ method }) => method === 'root/sessionAdded');
    expect(Object.keys(older.params.summary).toSorted()).toEqual([
      '_meta',
      'changes',
      'createdAt',
      'modifiedAt',
      'project',
      'provider',
      'resource',
      'status',
      'title',
      'workingDirectories',
    ]);
    const changed = await maker.wait(
      ({ method, params: said }) => method === 'root/sessionSummaryChanged' && said.changes.status === 1,
    );
    expect(changed.params.session).toBe('script:/s1');
    const spec = attach(on.host, { id: 'spec' });
    open.push(() => spec.close());
    await spec.request('initialize', {
      protocolVersions: ['1.0.0'],
      clientId: 'spec',
      _meta: { 'vscode.ahpSessionUris': true },
    });
    expect((await spec.request('listSessions', {})).items.map(({ resource }: Loose) => resource)).toEqual([
      'ahp-session:/s1',
    ]);
    await checkAgrees(maker, 'ahp-root://');
  });

  test('are listed in pages', async () => {
    const on = await host();
    const one = await client(on);
    for (const id of ['a', 'b', 'c']) {
      const session = await on.create(id);
      session.dispatch(
        { kind: 'startTurn', chat: id, turn: `t-${id}`, message: { id: 'm', text: 'x' } },
        { kind: 'host' },
      );
      await until(session, ({ chats }) => chats[id]?.turns.length === 1);
    }
    const names = ({ items }: Loose) => items.map(({ resource }: Loose) => resource);
    const first = await one.request('listSessions', { limit: 2 });
    expect(names(first)).toEqual(['ahp-session:/c', 'ahp-session:/b']);
    const second = await one.request('listSessions', { limit: 2, cursor: first.nextCursor });
    expect([names(second), second.nextCursor]).toEqual([['ahp-session:/a'], undefined]);
    expect((await outcome(one.request('listSessions', { cursor: 'bogus' }))).code).toBe(-32602);
    expect((await outcome(one.request('listSessions', { limit: 0 }))).code).toBe(-32602);
  });

  test('that a client disposes of stop, are gone for it, and are archived for everybody', async () => {
    const on = await host();
    on.scripts.set(
      '*',
      ({ signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'cancelled' }))),
    );
    const one = await inSession(on);
    const other = await inSession(on, { id: 'other' });
    one.dispatch('ahp-chat:/s1', turnStarted('t1', 'go on for ever'));
    await other.action('chat/turnStarted');
    expect(await one.request('disposeSession', { channel: 'script:/s1' })).toBeNull();
    await one.wait(
      ({ method, params }) => method === 'root/sessionRemoved' && params.session === 'script:/s1',
    );
    await other.action('chat/turnCancelled');
    await other.action('session/isArchivedChanged');
    const [listed] = (await other.request('listSessions', {})).items;
    expect(listed.status & 64).toBe(64);
    expect(on.host.opened('s1')?.state.archived).toBe(true);
    const last = one.said.findLast(({ method }) => method.startsWith('root/session'));
    expect(last?.method).toBe('root/sessionRemoved');
    expect((await one.subscribe('ahp-chat:/s1')).snapshot.state.turns).toHaveLength(1);
    expect((await outcome(one.request('disposeSession', { channel: 'script:/nope' }))).code).toBe(-32001);
  });
});

describe('chats', () => {
  test('come with a first message and go again', async () => {
    const on = await host();
    const one = await inSession(on);
    const created = one.request('createChat', {
      channel: 'script:/s1',
      chat: 'ahp-chat:/c2',
      initialMessage: { text: 'hello', origin: { kind: 'user' } },
    });
    await one.subscribe('ahp-chat:/c2');
    expect(await created).toBeNull();
    await until(on.host.opened('s1') as Loose, ({ chats }) => chats['c2']?.turns.length === 1);
    await checkAgrees(one, 'ahp-chat:/c2');
    await checkAgrees(one, 'script:/s1');
    expect(one.views.get('script:/s1').chats.map(({ resource }: Loose) => resource)).toEqual([
      'ahp-chat:/s1',
      'ahp-chat:/c2',
    ]);
    expect(
      (await outcome(one.request('createChat', { channel: 'script:/s1', chat: 'ahp-chat:/c2' }))).code,
    ).toBe(-32010);
    expect(
      (
        await outcome(
          one.request('createChat', {
            channel: 'script:/s1',
            chat: 'ahp-chat:/c3',
            source: { kind: 'fork', chat: 'ahp-chat:/c2', turnId: 't' },
          }),
        )
      ).code,
    ).toBe(-32008);
    expect(
      (
        await outcome(
          one.request('createChat', {
            channel: 'script:/s1',
            chat: 'ahp-chat:/c3',
            source: { kind: 'sideChat', chat: 'ahp-chat:/c2', turnId: 't' },
          }),
        )
      ).code,
    ).toBe(-32008);
    const empty = { text: ' ', origin: { kind: 'user' } };
    const wordless = { channel: 'script:/s1', chat: 'ahp-chat:/c3', initialMessage: empty };
    expect((await outcome(one.request('createChat', wordless))).code).toBe(-32602);
    expect(on.host.opened('s1')?.head.chats['c3']).toBeUndefined();
    expect(await one.request('disposeChat', { channel: 'ahp-chat:/c2' })).toBeNull();
    expect((await outcome(one.subscribe('ahp-chat:/c2'))).code).toBe(-32008);
    expect((await outcome(one.request('disposeChat', { channel: 'ahp-chat:/s1' }))).code).toBe(-32602);
    await checkAgrees(one, 'script:/s1');
  });

  test('the most pressing of them speaks for their session', async () => {
    const on = await host();
    on.scripts.set('ask', async (turn) => {
      await turn.ask({
        kind: 'question',
        message: 'Well?',
        questions: [{ id: 'q', message: 'Well?', required: false, answer: { type: 'text' } }],
      });
      return { kind: 'failed', problem: { code: 'x', message: 'It broke.' } };
    });
    const one = await inSession(on);
    await one.echo(one.dispatch('ahp-chat:/s1', turnStarted('t1', 'hello')));
    await one.request('createChat', {
      channel: 'script:/s1',
      chat: 'ahp-chat:/c2',
      initialMessage: { text: 'ask', origin: { kind: 'user' } },
    });
    await one.subscribe('ahp-chat:/c2');
    const row = async () => (await one.request('listSessions', { channel: 'ahp-root://' })).items[0];
    await one.wait(() => one.views.get('script:/s1').inputNeeded?.length === 1);
    expect(one.views.get('script:/s1')).toMatchObject({
      status: 24,
      inputNeeded: [{ kind: 'chatInput', chat: 'ahp-chat:/c2' }],
    });
    expect(await row()).toMatchObject({ status: 24, project: { uri: 'file:///w', displayName: 'w' } });
    const { request } = one.views.get('ahp-chat:/c2').activeTurn.responseParts.at(-1);
    await one.echo(
      one.dispatch('ahp-chat:/c2', {
        type: 'chat/inputCompleted',
        requestId: request.id,
        response: 'decline',
      }),
    );
    await one.wait(() => one.views.get('ahp-chat:/c2').turns.length === 1);
    const ended = await row();
    expect([ended.status % 32, ended.modifiedAt]).toEqual([2, one.views.get('ahp-chat:/c2').modifiedAt]);
    expect(one.views.get('script:/s1').inputNeeded).toBeUndefined();
    await checkAgrees(one, 'script:/s1', 'ahp-chat:/s1', 'ahp-chat:/c2');
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
    expect(
      await one.request('createChat', {
        channel: 'script:/s1',
        chat: 'ahp-chat:/f',
        source: { kind: 'fork', chat: 'ahp-chat:/s1', turnId: 't2' },
      }),
    ).toBeNull();
    const {
      snapshot: { state },
    } = await one.subscribe('ahp-chat:/f');
    expect(state).toMatchObject({
      origin: { kind: 'fork', chat: 'ahp-chat:/s1', turnId: 't2' },
      turns: [{ id: 't1' }, { id: 't2' }],
      status: 1,
    });
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
    expect(
      await other.request('fetchTurns', { channel: 'ahp-chat:/s1', cursor: snapshot.state.turnsNextCursor }),
    ).toEqual({});
    expect(other.views.get('ahp-chat:/s1').turns.map(({ id }: Loose) => id)).toEqual(['t1', 't2', 't3']);
    await checkAgrees(other, 'ahp-chat:/s1');
    expect(one.said.some(({ params }) => params?.action?.type === 'chat/turnsLoaded')).toBe(false);
  });

  test('what its turns did to files is a channel of the session, and one of each turn', async () => {
    const { on, one } = await long();
    const edit = (tool: string, before: string | null, after: string) => {
      on.scripts.set(tool, (turn) => {
        turn.report({
          kind: 'tool.started',
          tool,
          name: 'write',
          title: 'Write',
          toolKind: 'edit',
          source: 'native',
        });
        turn.report({ kind: 'tool.running', tool, basis: { how: 'agent' } });
        turn.report({
          kind: 'tool.ended',
          tool,
          result: { status: 'done', content: [{ type: 'edit', path: '/w/a', before, after }] },
        });
        return Promise.resolve();
      });
      one.dispatch('ahp-chat:/s1', turnStarted(`turn-${tool}`, tool));
      return until(
        on.host.opened('s1') as Loose,
        ({ chats }) => chats['s1']?.turns.at(-1)?.id === `turn-${tool}`,
      );
    };
    expect(one.views.get('script:/s1').changesets.map(({ uriTemplate }: Loose) => uriTemplate)).toEqual([
      'ahp-changeset:/s1',
      'ahp-changeset:/s1/{turnId}',
    ]);
    expect((await one.subscribe('ahp-changeset:/s1')).snapshot.state).toMatchObject({
      status: 'ready',
      files: [],
      operations: [{ id: 'undo' }, { id: expect.stringMatching(/^undoLines:\w+$/) as string }],
    });
    await edit('one', null, 'x\n');
    await edit('two', 'x\n', 'y\nz\n');
    await one.action('changeset/contentChanged');
    const [file, ...others] = (await one.subscribe('ahp-changeset:/s1')).snapshot.state.files;
    expect(others).toEqual([]);
    expect(file.edit).toMatchObject({ after: { uri: 'file:///w/a' }, diff: { added: 2, removed: 0 } });
    expect(file.edit).not.toHaveProperty('before');
    expect((await one.request('resourceRead', { uri: file.edit.after.content.uri })).data).toBe('y\nz\n');
    expect((await one.subscribe('ahp-changeset:/s1/turn-two')).snapshot.state.files).toMatchObject([
      { edit: { diff: { added: 2, removed: 1 } } },
    ]);
    expect((await outcome(one.subscribe('ahp-changeset:/s1/none'))).code).toBe(-32008);
    expect(
      (
        await outcome(
          one.request('invokeChangesetOperation', { channel: 'ahp-changeset:/s1', operationId: 'undo' }),
        )
      ).code,
    ).toBe(-32601);
  });

  test('the folders of a session change at the wish of a client', async () => {
    const { one } = await long();
    const act = async (action: Loose) =>
      (await one.echo(one.dispatch('script:/s1', action))).params.rejectionReason as unknown;
    expect(await act({ type: 'session/workingDirectorySet', directory: 'file:///v' })).toBeUndefined();
    expect(
      await act({
        type: 'session/workingDirectoryReplaced',
        directory: 'file:///w',
        replacement: 'file:///u',
      }),
    ).toBeUndefined();
    expect(one.views.get('script:/s1').workingDirectories).toEqual(['file:///u', 'file:///v']);
    expect(await act({ type: 'session/workingDirectoryRemoved', directory: 'file:///u' })).toBeUndefined();
    expect(one.views.get('script:/s1').workingDirectories).toEqual(['file:///v']);
    await checkAgrees(one, 'script:/s1');
  });
});
