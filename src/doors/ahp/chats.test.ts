// What can be done with chats and turns besides talking: side chats, moving, marks, going on, reading in
// part, taking changes back.
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attach } from '../../../test/kit/ahp.ts';
import type { AhpClient } from '../../../test/kit/ahp.ts';
import { ahpRig, checkAgrees, turnStarted } from '../../../test/kit/ahpRig.ts';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';
import { resourceFiles } from '../../../test/kit/realFiles.ts';
import type { Loose } from '../../../test/kit/wire.ts';

const { client, host, inSession, open } = ahpRig();

/** Takes a turn and waits for its end. */
async function turn(
  one: AhpClient,
  chat: string,
  ...[turnId, text]: readonly [turnId: string, text: string]
): Promise<void> {
  await one.echo(one.dispatch(chat, turnStarted(turnId, text)));
  await one.wait(() => one.views.get(chat).turns.some(({ id }: Loose) => id === turnId));
}

async function code(request: Promise<unknown>): Promise<unknown> {
  return request.then(
    (result) => ({ result }),
    (error: Loose) => error.code as unknown,
  );
}

test('a side chat knows what it is about and repeats none of it', async () => {
  const on = await host();
  const given: unknown[] = [];
  on.scripts.set('*', ({ message, history }) => {
    given.push([message.text, message.attachments, history.map(({ id }) => id)]);
    return Promise.resolve();
  });
  const one = await inSession(on);
  for (const id of ['t1', 't2', 't3']) await turn(one, 'ahp-chat:/s1', id, id);
  const source = {
    kind: 'sideChat',
    chat: 'ahp-chat:/s1',
    turnId: 't2',
    selection: { text: 'this line', responsePartId: 'p' },
  };
  expect(
    await one.request('createChat', { channel: 'script:/s1', chat: 'ahp-chat:/side', source }),
  ).toBeNull();
  const { snapshot } = await one.subscribe('ahp-chat:/side');
  expect(snapshot.state).toMatchObject({ turns: [], movable: true, origin: source });
  await turn(one, 'ahp-chat:/side', 'a', 'why?');
  await turn(one, 'ahp-chat:/side', 'b', 'and?');
  expect(given.slice(3)).toEqual([
    ['why?', [{ type: 'text', label: 'What this is about', text: 'this line' }], ['t1', 't2']],
    ['and?', undefined, ['t1', 't2', 'a']],
  ]);
  expect(
    await code(
      one.request('createChat', {
        channel: 'script:/s1',
        chat: 'ahp-chat:/x',
        source: { ...source, turnId: 'none' },
      }),
    ),
  ).toBe(-32008);
  await checkAgrees(one, 'script:/s1', 'ahp-chat:/side', 'ahp-chat:/s1');
});

test('a chat is moved within its session, to another and to a new one, with whoever follows it', async () => {
  const store = new MemoryStore();
  const on = await host(store);
  const [one, two] = [await inSession(on), await inSession(on, { session: 's1', id: 'two' })];
  await inSession(on, { session: 's2', id: 'three' });
  for (const id of ['a', 'b'])
    await one.request('createChat', { channel: 'script:/s1', chat: `ahp-chat:/${id}` });
  for (const each of [one, two]) for (const id of ['a', 'b']) await each.subscribe(`ahp-chat:/${id}`);
  await one.subscribe('script:/s2');
  await turn(one, 'ahp-chat:/a', 't1', 'hello');
  await one.echo(
    one.dispatch('ahp-chat:/a', {
      type: 'chat/draftChanged',
      draft: { text: 'half', origin: { kind: 'user' } },
    }),
  );

  const order = (channel: string) => one.views.get(channel).chats.map(({ resource }: Loose) => resource);
  expect(
    await one.request('moveChat', {
      channel: 'ahp-chat:/b',
      destination: { kind: 'session', session: 'script:/s1', after: 'ahp-chat:/s1' },
    }),
  ).toEqual({ session: 'script:/s1' });
  expect(order('script:/s1')).toEqual(['ahp-chat:/s1', 'ahp-chat:/b', 'ahp-chat:/a']);

  expect(
    await one.request('moveChat', {
      channel: 'ahp-chat:/a',
      destination: { kind: 'session', session: 'script:/s2' },
    }),
  ).toEqual({ session: 'script:/s2' });
  await one.wait(() => order('script:/s2').length === 2);
  expect([order('script:/s1'), order('script:/s2')]).toEqual([
    ['ahp-chat:/s1', 'ahp-chat:/b'],
    ['ahp-chat:/s2', 'ahp-chat:/a'],
  ]);
  await turn(two, 'ahp-chat:/a', 't2', 'still here');
  expect(two.views.get('ahp-chat:/a').turns.map(({ id }: Loose) => id)).toEqual(['t1', 't2']);
  await one.wait(() => one.views.get('ahp-chat:/a').turns.length === 2);
  expect(one.views.get('ahp-chat:/a').draft.text).toBe('half');

  expect(
    await one.request('moveChat', { channel: 'ahp-chat:/a', destination: { kind: 'newSession' } }),
  ).toEqual({ session: 'script:/a' });
  const { snapshot } = await one.subscribe('script:/a');
  expect(snapshot.state).toMatchObject({ defaultChat: 'ahp-chat:/a', chats: [{ resource: 'ahp-chat:/a' }] });
  await turn(two, 'ahp-chat:/a', 't3', 'and here');
  expect(order('script:/s2')).toEqual(['ahp-chat:/s2']);
  await one.wait(() => one.views.get('ahp-chat:/a').turns.length === 3);
  await checkAgrees(one, 'script:/s1', 'script:/s2', 'script:/a', 'ahp-chat:/b');

  const refusals: readonly (readonly [string, unknown, unknown])[] = [
    ['ahp-chat:/s1', { kind: 'newSession' }, -32602],
    ['ahp-chat:/nowhere', { kind: 'newSession' }, -32008],
    ['ahp-chat:/b', { kind: 'session', session: 'script:/nowhere' }, -32001],
    ['ahp-chat:/b', { kind: 'session', session: 'script:/s2', after: 'ahp-chat:/s1' }, -32008],
  ];
  for (const [channel, destination, expected] of refusals)
    expect(await code(one.request('moveChat', { channel, destination }))).toBe(expected);
  on.scripts.set(
    'wait',
    ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve());
      }),
  );
  await one.echo(
    one.dispatch('ahp-chat:/b', {
      type: 'chat/turnStarted',
      turnId: 'w',
      startedAt: '2026-01-01T00:00:00.000Z',
      message: { text: 'wait', origin: { kind: 'user' } },
    }),
  );
  expect(
    await code(one.request('moveChat', { channel: 'ahp-chat:/b', destination: { kind: 'newSession' } })),
  ).toBe(-32004);
  await on.host.close();

  const later = await client(await host(store), { id: 'later' });
  expect(
    ['s1', 's2', 'a'].map((id) => later.peer && on.host.summary(id)?.chats.map((chat) => chat.id)),
  ).toEqual([['s1', 'b'], ['s2'], ['a']]);
  expect((await later.subscribe('ahp-chat:/a')).snapshot.state.turns.map(({ id }: Loose) => id)).toEqual([
    't1',
    't2',
    't3',
  ]);
});

test('chats have marks of their own, which peers of 0.9 do not see, and which survive', async () => {
  const store = new MemoryStore();
  const on = await host(store);
  const [one, old] = [
    await inSession(on),
    await inSession(on, { session: 's1', id: 'old', versions: ['0.9.0'] }),
  ];
  const chat = 'ahp-chat:/s1';
  await turn(one, chat, 't1', 'x');
  expect([one.views.get(chat).status, old.views.get(chat).movable]).toEqual([1, undefined]);
  await one.echo(one.dispatch(chat, { type: 'chat/isReadChanged', isRead: true }));
  await one.echo(one.dispatch(chat, { type: 'chat/isArchivedChanged', isArchived: true }));
  expect([one.views.get(chat).status, one.views.get('script:/s1').chats[0].status]).toEqual([97, 97]);
  await checkAgrees(one, chat, 'script:/s1');
  await checkAgrees(old, chat, 'script:/s1');
  expect(old.views.get('script:/s1').chats[0].status).toBe(1);
  await on.host.close();
  expect((await (await client(await host(store))).subscribe(chat)).snapshot.state.status).toBe(97);
});

test('a turn that broke off goes on, in both versions', async () => {
  const on = await host();
  const given: unknown[] = [];
  on.scripts.set('break', (context) => {
    context.report({ kind: 'text.added', item: 'a', channel: 'answer', text: 'Half' });
    return Promise.resolve({ kind: 'failed', problem: { code: 'provider', message: 'It broke.' } });
  });
  on.scripts.set('*', (context) => {
    given.push(context.history.map(({ items }) => items.length));
    context.report({ kind: 'text.added', item: 'b', channel: 'answer', text: ' and whole.' });
    return Promise.resolve();
  });
  const one = await inSession(on);
  const chat = 'ahp-chat:/s1';
  await turn(one, chat, 't1', 'break');
  expect(one.views.get(chat)).toMatchObject({
    status: 2,
    activity: 'It broke.',
    turns: [{ state: 'error', responseParts: [{ content: 'Half' }, { kind: 'error', resumable: true }] }],
  });
  const wrong = one.dispatch(chat, { type: 'chat/turnResume', turnId: 'other' });
  expect((await one.echo(wrong)).params.rejectionReason).toMatch(/last turn/);
  await one.echo(one.dispatch(chat, { type: 'chat/turnResume', turnId: 't1' }));
  await one.wait(() => one.views.get(chat).turns[0]?.state === 'complete');
  expect(one.views.get(chat).turns).toMatchObject([
    { id: 't1', responseParts: [{ content: 'Half' }, { kind: 'error' }, { content: ' and whole.' }] },
  ]);
  expect(given).toEqual([[2]]);
  expect(
    (await one.echo(one.dispatch(chat, { type: 'chat/turnResume', turnId: 't1' }))).params.rejectionReason,
  ).toMatch(/ended normally/);
  await checkAgrees(one, chat, 'script:/s1');
});

test('deltas are gathered as long as a subscriber allows, and end the same', async () => {
  const on = await host();
  on.scripts.set('*', async (context) => {
    for (let i = 0; i < 50; i += 1) {
      context.report({ kind: 'text.added', item: 'a', channel: 'answer', text: `${i} ` });
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  });
  const [fast, slow] = [await inSession(on), await client(on, { id: 'slow' })];
  await slow.request('subscribe', { channel: 'ahp-chat:/s1', delivery: { maxLatencyMs: 200 } });
  await turn(fast, 'ahp-chat:/s1', 't1', 'go');
  await slow.wait(() => slow.views.get('ahp-chat:/s1').turns.length === 1);
  const deltas = (one: AhpClient) =>
    one.said.filter(({ params }) => params?.action?.type === 'chat/delta').length;
  expect(deltas(slow)).toBeLessThan(deltas(fast));
  expect(slow.views.get('ahp-chat:/s1').turns).toEqual(fast.views.get('ahp-chat:/s1').turns);
  expect(slow.problems).toEqual([]);
});

test('a client that has only the newest turns goes back with everybody else', async () => {
  const on = await host();
  const [one, part] = [await inSession(on), await client(on, { id: 'part' })];
  for (let i = 1; i <= 6; i += 1) await turn(one, 'ahp-chat:/s1', `t${i}`, `${i}`);
  await part.request('subscribe', { channel: 'ahp-chat:/s1', view: { turns: 2 } });
  const ids = () => part.views.get('ahp-chat:/s1').turns.map(({ id }: Loose) => id);
  expect(ids()).toEqual(['t5', 't6']);
  const seen = part.lastSeen();
  await part.echo(part.dispatch('ahp-chat:/s1', { type: 'chat/truncated', turnId: 't3' }));
  await part.wait(() => ids().length === 2 && ids()[0] === 't2');
  expect(part.views.get('ahp-chat:/s1').turnsNextCursor).toBe('t2');
  await part.request('fetchTurns', { channel: 'ahp-chat:/s1', cursor: 't2' });
  expect(ids()).toEqual(['t1', 't2', 't3']);
  await turn(part, 'ahp-chat:/s1', 't7', 'on');
  await checkAgrees(part, 'ahp-chat:/s1');
  await part.close();
  const again = attach(on.host, { id: 'part' });
  open.push(() => again.close());
  expect(
    (
      await again.request('reconnect', {
        clientId: 'part',
        lastSeenServerSeq: seen,
        subscriptions: ['ahp-chat:/s1'],
      })
    ).type,
  ).toBe('snapshot');
});

test('files are looked at and put back, one or all, unless they have changed since', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-ahp-')));
  open.push(() => rmSync(folder, { recursive: true, force: true }));
  const on = await host();
  const edits: Record<string, readonly (readonly [string, string | null, string | null])[]> = {
    first: [
      ['a', 'one', 'two'],
      ['new', null, 'made'],
    ],
    second: [
      ['a', 'two', 'three'],
      ['b', 'x', 'y'],
    ],
  };
  on.scripts.set('*', (context) => {
    for (const [name, before, after] of edits[context.message.text] ?? []) {
      const tool = `${context.session.turn}-${name}`;
      context.report({
        kind: 'tool.started',
        tool,
        name: 'edit',
        title: 'Edit',
        toolKind: 'edit',
        source: 'native',
      });
      context.report({
        kind: 'tool.ended',
        tool,
        result: { status: 'done', content: [{ type: 'edit', path: join(folder, name), before, after }] },
      });
      if (after !== null) writeFileSync(join(folder, name), after);
    }
    return Promise.resolve();
  });
  const one = await inSession(on, {
    session: 's1',
    ports: { files: resourceFiles() },
    root: `file://${folder}`,
  });
  await turn(one, 'ahp-chat:/s1', 't1', 'first');
  await turn(one, 'ahp-chat:/s1', 't2', 'second');
  const [all, second] = ['ahp-changeset:/s1', 'ahp-changeset:/s1/t2'];
  for (const channel of [all, second]) await one.subscribe(channel);
  const names = (channel: string) =>
    one.views.get(channel).files.map(({ edit }: Loose) => (edit.after ?? edit.before).uri.split('/').at(-1));
  expect([names(all), one.views.get(all).operations[0].id]).toEqual([['a', 'new', 'b'], 'undo']);
  // VS Code takes title and language from the path of an address; where the two sides have different ones it
  // shows the file as renamed.
  const { edit } = one.views.get(second).files[0];
  const texts = [edit.before, edit.after].map(({ content }) => new URL(content.uri));
  expect(texts.map(({ pathname }) => pathname)).toEqual(Array(2).fill(new URL(edit.after.uri).pathname));
  for (const side of [edit.before, edit.after])
    expect(await one.request('resourceRead', { uri: new URL(side.content.uri).href })).toHaveProperty('data');
  expect(edit.diff).toEqual({ added: expect.any(Number), removed: expect.any(Number) });
  const part = one.views.get('ahp-chat:/s1').turns[1].responseParts.find(({ toolCall }: Loose) => toolCall);
  expect(part.toolCall.content.find(({ type }: Loose) => type === 'fileEdit').diff).toEqual({
    added: 1,
    removed: 1,
  });
  // The names that VS Code derives from the session.
  const vsCode = { 'script:/s1/changeset/branch': all, 'ahp-session:/s1/changeset/turn/t2': second };
  for (const [channel, same] of Object.entries(vsCode))
    expect((await one.subscribe(channel)).snapshot.state).toEqual(one.views.get(same));
  for (const channel of ['script:/s1/changeset/turn/none', 'script:/none/changeset/branch'])
    await expect(one.subscribe(channel)).rejects.toMatchObject({ code: -32001 });
  const { id } = one.views.get(all).files[0];
  await one.echo(one.dispatch(all, { type: 'changeset/filesReviewChanged', files: [id], reviewed: true }));
  expect(one.views.get(all).files[0].reviewed).toBe(true);
  expect(
    (
      await one.echo(
        one.dispatch(all, { type: 'changeset/filesReviewChanged', files: ['none'], reviewed: true }),
      )
    ).params.rejectionReason,
  ).toMatch(/no such files/);
  expect((await one.echo(one.dispatch(all, { type: 'changeset/cleared' }))).params.rejectionReason).toMatch(
    /Only the host/,
  );

  const text = (name: string) => readFileSync(join(folder, name), 'utf8');
  const invoke = (channel: string, resource?: string, operationId = 'undo') =>
    one.request('invokeChangesetOperation', {
      channel,
      operationId,
      ...(resource === undefined
        ? {}
        : { target: { kind: 'resource', resource: `file://${join(folder, resource)}` } }),
    });
  expect(await invoke(second, 'a')).toEqual({});
  await one.wait(() => names(second).length === 1);
  expect([text('a'), names(all), names(second)]).toEqual(['two', ['a', 'new', 'b'], ['b']]);
  await checkAgrees(one, all, second);
  writeFileSync(join(folder, 'b'), 'changed by hand');
  expect(await code(invoke(all, 'b'))).toBe(-32011);
  expect(await invoke(all)).toEqual({ message: '1 of 3 files were edited since and were skipped.' });
  await one.wait(() => names(all).length === 1);
  expect([text('a'), text('b'), () => text('new')]).toEqual(['one', 'changed by hand', expect.any(Function)]);
  expect(() => text('new')).toThrow('ENOENT');
  await checkAgrees(one, all, second);
  for (const [channel, resource, operation, expected] of [
    [all, 'none', 'undo', -32008],
    [all, 'b', 'redo', -32008],
    [all, 'b', 'rewind', -32602],
    ['ahp-changeset:/none', 'b', 'undo', -32008],
  ] as const) {
    expect(await code(invoke(channel, resource, operation))).toBe(expected);
  }

  const operations = (channel: string) => one.views.get(channel).operations.map(withoutVersion);
  expect([operations(all), operations(second)]).toEqual([
    ['undo', 'redo', 'undoLines', `redo:${join(folder, 'a')}`, `redo:${join(folder, 'new')}`],
    ['undo', 'redo', 'undoLines', `redo:${join(folder, 'a')}`],
  ]);
  // The second turn edited "a" after the first one, whose edit is undone, too.
  expect(await code(invoke(second, 'a', 'redo'))).toBe(-32011);
  expect(await invoke(all, undefined, 'redo')).toEqual({});
  await one.wait(() => operations(all).length === 2);
  expect([text('new'), names(all), names(second)]).toEqual([
    expect.any(String),
    ['a', 'new', 'b'],
    ['a', 'b'],
  ]);
  expect(await code(invoke(all, undefined, 'redo'))).toBe(-32008);
  await checkAgrees(one, all, second);
});

test('single hunks are taken back and put back, exactly, and whole files too', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-ahp-')));
  open.push(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'a');
  const lines = Array.from({ length: 30 }, (_, line) => `line ${line}\n`);
  const before = lines.join('');
  const after = lines.with(2, 'two\n').with(20, 'twenty\nand more\n').join('').slice(0, -1);
  const on = await host();
  on.scripts.set('*', (context) => {
    context.report({
      kind: 'tool.started',
      tool: 'w',
      name: 'edit',
      title: 'Edit',
      toolKind: 'edit',
      source: 'native',
    });
    const result = { status: 'done', content: [{ type: 'edit', path, before, after }] } as const;
    context.report({ kind: 'tool.ended', tool: 'w', result });
    writeFileSync(path, after);
    return Promise.resolve();
  });
  const one = await inSession(on, {
    session: 's1',
    ports: { files: resourceFiles() },
    root: `file://${folder}`,
  });
  await turn(one, 'ahp-chat:/s1', 't1', 'go');
  const all = 'ahp-changeset:/s1';
  await one.subscribe(all);
  const text = () => readFileSync(path, 'utf8');
  const invoke = (operationId: string, from?: number, to = from) => {
    const at = (line: number | undefined) => ({ line: line ?? 0, character: 0 });
    const target = { kind: 'range', resource: `file://${path}`, range: { start: at(from), end: at(to) } };
    return one.request('invokeChangesetOperation', {
      channel: all,
      operationId: offered().find((each: Loose) => withoutVersion(each) === operationId)?.id ?? operationId,
      ...(from === undefined ? {} : { target }),
    });
  };
  const file = () => one.views.get(all).files[0];
  const offered = () => one.views.get(all).operations;
  const ids = () => offered().map(withoutVersion);
  expect(ids()).toEqual(['undo', 'undoLines']);
  const old = offered()[1].id;
  await invoke('undoLines', 0, 6);
  expect(text()).toBe(lines.with(20, 'twenty\nand more\n').join('').slice(0, -1));
  await one.wait(() => ids().includes('redoLines'));
  expect(file().edit.diff).toEqual({ added: 2, removed: 1 });
  const read = async (uri: string) => (await one.request('resourceRead', { uri, encoding: 'utf-8' })).data;
  expect(await read(file().edit.after.content.uri)).toBe(text());
  expect(await read(file()['_meta'].undone.uri)).toBe(after);
  await checkAgrees(one, all);

  // The lines of an older version have other numbers now.
  expect(await code(invoke(old, 18, 24))).toBe(-32011);
  // A range without a change, no range, and a file that somebody has changed since.
  expect(await code(invoke('undoLines', 8, 10))).toBe(-32008);
  expect(await code(invoke('undoLines'))).toBe(-32602);
  const present = text();
  writeFileSync(path, `${present}mine`);
  expect(await code(invoke('undoLines', 18, 24))).toBe(-32011);
  expect(await code(invoke('redoLines', 0, 6))).toBe(-32011);
  expect(text()).toBe(`${present}mine`);
  writeFileSync(path, present);

  // The rest, so that nothing is left of the edit; then all of it again, in two steps.
  await invoke('undoLines', 15, 40);
  expect(text()).toBe(before);
  await one.wait(() => one.views.get(all).files.length === 0);
  expect(ids()).toEqual(['undo', 'redo', 'undoLines', `redo:${path}`]);
  await invoke(`redo:${path}`);
  expect(text()).toBe(present);
  await one.wait(() => file() !== undefined);
  await invoke('redoLines', 0, 6);
  expect(text()).toBe(after);
  await one.wait(() => !ids().includes('redoLines'));
  await checkAgrees(one, all);

  // The undo of a whole file knows which lines are taken back already.
  await invoke('undoLines', 0, 6);
  await invoke('undo');
  expect(text()).toBe(before);
  await invoke(`redo:${path}`);
  expect(text()).toBe(present);
  expect(await code(invoke('redo:/none'))).toBe(-32008);
});

test('the list says how many lines a session has changed, without those that were taken back', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-ahp-')));
  open.push(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'a');
  const store = new MemoryStore();
  const on = await host(store);
  const edits: Record<string, readonly [string | null, string]> = {
    first: [null, 'one\ntwo\n'],
    second: ['one\ntwo\n', 'one\n2\n3\n'],
  };
  on.scripts.set('*', (context) => {
    const [before, after] = edits[context.message.text] ?? [null, ''];
    context.report({
      kind: 'tool.started',
      tool: 'w',
      name: 'edit',
      title: 'Edit',
      toolKind: 'edit',
      source: 'native',
    });
    context.report({
      kind: 'tool.ended',
      tool: 'w',
      result: { status: 'done', content: [{ type: 'edit', path, before, after }] },
    });
    writeFileSync(path, after);
    return Promise.resolve();
  });
  const one = await inSession(on, {
    session: 's1',
    ports: { files: resourceFiles() },
    root: `file://${folder}`,
  });
  const listed = async (by: AhpClient) => (await by.request('listSessions', {})).items[0].changes as unknown;
  await turn(one, 'ahp-chat:/s1', 't1', 'first');
  await turn(one, 'ahp-chat:/s1', 't2', 'second');
  // A fork has the same turns, which count once.
  await one.request('createChat', {
    channel: 'script:/s1',
    chat: 'ahp-chat:/c2',
    source: { kind: 'fork', chat: 'ahp-chat:/s1', turnId: 't2' },
  });
  expect(await listed(one)).toEqual({ additions: 3, deletions: 0, files: 1 });
  await one.request('invokeChangesetOperation', { channel: 'ahp-changeset:/s1/t2', operationId: 'undo' });
  await one.wait(
    ({ method, params }) =>
      method === 'root/sessionSummaryChanged' && params.changes.changes?.additions === 2,
  );
  expect(await listed(one)).toEqual({ additions: 2, deletions: 0, files: 1 });

  // Another host has it from the row, without looking into the log.
  const next = await host(store);
  expect(await listed(await client(next))).toEqual({ additions: 2, deletions: 0, files: 1 });
  expect(next.host.opened('s1')).toBeUndefined();
});

test('a command that a tool runs is a terminal one can look at, live and later', async () => {
  const on = await host();
  on.scripts.set('*', async (context) => {
    context.report({
      kind: 'tool.started',
      tool: 'c',
      name: 'shell',
      title: 'ls',
      toolKind: 'execute',
      source: 'native',
    });
    context.report({
      kind: 'tool.ready',
      tool: 'c',
      input: { command: 'ls' },
      title: '$ ls',
      toolKind: 'execute',
      locations: [{ path: '/w' }],
    });
    context.report({ kind: 'tool.running', tool: 'c', basis: { how: 'agent' } });
    context.report({ kind: 'tool.output', tool: 'c', output: { append: 'one\n' } });
    await context.ask({ kind: 'question', message: 'Go on?', questions: [] });
    context.report({ kind: 'tool.output', tool: 'c', output: { append: 'two\n' } });
    context.report({
      kind: 'tool.ended',
      tool: 'c',
      result: { status: 'done', content: [], raw: { exitCode: 0 } },
    });
  });
  const one = await inSession(on);
  const chat = 'ahp-chat:/s1';
  await one.echo(
    one.dispatch(chat, {
      type: 'chat/turnStarted',
      turnId: 't1',
      startedAt: '2026-01-01T00:00:00.000Z',
      message: { text: 'x', origin: { kind: 'user' } },
    }),
  );
  await one.wait(() => one.views.get(chat).status === 24);
  const shown = () =>
    [...one.views.get(chat).turns, one.views.get(chat).activeTurn].find(Boolean).responseParts[0].toolCall
      .content[0];
  expect(shown()).toMatchObject({ type: 'terminal', title: '$ ls', isPty: false });
  const { resource } = shown();
  const { snapshot } = await one.subscribe(resource);
  expect(snapshot.state).toMatchObject({
    title: '$ ls',
    cwd: 'file:///w',
    isPty: false,
    lifecycle: { status: 'running' },
    content: [{ value: 'one\n' }],
    claim: { kind: 'session', toolCallId: 'c' },
  });
  expect(
    (await one.echo(one.dispatch(resource, { type: 'terminal/input', data: 'x' }))).params.rejectionReason,
  ).toMatch(/read-only/);
  const [ask] = one.views.get('script:/s1').inputNeeded;
  await one.echo(
    one.dispatch(chat, { type: 'chat/inputCompleted', requestId: ask.request.id, response: 'accept' }),
  );
  await one.wait(() => one.views.get(chat).turns.length === 1);
  expect(one.views.get(resource)).toMatchObject({
    content: [{ value: 'one\ntwo\n' }],
    lifecycle: { status: 'exited', exitCode: 0 },
  });
  expect(shown()).toMatchObject({ result: { exitCode: 0, preview: 'one\ntwo\n' } });
  await checkAgrees(one, resource, chat);
  expect(await code(one.request('subscribe', { channel: `${resource}x` }))).toBe(-32008);
});

test('telemetry that nobody has configured is neither offered nor to be subscribed to', async () => {
  const other = attach((await host()).host, { id: 'client-2' });
  open.push(() => other.close());
  expect(
    await other.request('initialize', { protocolVersions: ['1.0.0'], clientId: 'client-2' }),
  ).not.toHaveProperty('telemetry');
  for (const channel of ['ahp-otlp:/logs', 'ahp-otlp:/traces', 'ahp-otlp:/metrics'])
    expect(await code(other.subscribe(channel))).toBe(-32008);
});

test("an undo of lines keeps what the user has written between two turns, and what may be the user's", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-ahp-')));
  open.push(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'a.txt');
  const texts = ['one\ntwo\n', 'ONE\ntwo\n', 'ONE\ntwo\nmine\n', 'ONE\ntwo\nmine\nits\n'] as const;
  const on = await host();
  const edits = [
    { before: texts[0], after: texts[1] },
    { before: texts[2], after: texts[3] },
    { before: texts[3], after: `${texts[3]}meanwhile\n`, unattributed: true },
  ] as const;
  let at = 0;
  on.scripts.set('*', (context) => {
    const [tool, edit] = [`w${at}`, edits[at] ?? edits[0]];
    at += 1;
    const content = [{ type: 'edit', path, observed: true, ...edit }] as const;
    const call = { name: 'edit', title: 'Edit', toolKind: 'edit', source: 'agent' } as const;
    context.report({ kind: 'tool.started', tool, ...call });
    context.report({ kind: 'tool.ended', tool, result: { status: 'done', content } });
    writeFileSync(path, edit.after);
    return Promise.resolve();
  });
  const one = await inSession(on, {
    session: 's1',
    ports: { files: resourceFiles() },
    root: `file://${folder}`,
  });
  const all = 'ahp-changeset:/s1';
  await one.subscribe(all);
  const offered = () => one.views.get(all).operations;
  const invoke = (operation: string, from: number, to: number) =>
    one.request('invokeChangesetOperation', {
      channel: all,
      operationId: offered().find((each: Loose) => withoutVersion(each) === operation)?.id ?? operation,
      target: {
        kind: 'range',
        resource: `file://${path}`,
        range: { start: { line: from, character: 0 }, end: { line: to, character: 0 } },
      },
    });
  const text = () => readFileSync(path, 'utf8');
  await turn(one, 'ahp-chat:/s1', 't1', 'go');
  writeFileSync(path, texts[2]);
  await turn(one, 'ahp-chat:/s1', 't2', 'go');
  // The first line is the work of the first turn, and the user has written since.
  expect(await code(invoke('undoLines', 0, 1))).toBe(-32011);
  expect(text()).toBe(texts[3]);
  await invoke('undoLines', 0, 4);
  expect(text()).toBe(texts[2]);

  writeFileSync(path, texts[3]);
  await turn(one, 'ahp-chat:/s1', 't3', 'go');
  await one.wait(() => offered().some(({ id }: Loose) => id === 'undoAll'));
  expect(await code(invoke('undoLines', 0, 5))).toBe(-32011);
  expect(text()).toBe(edits[2].after);
  const whole = (operationId: string) =>
    one.request('invokeChangesetOperation', { channel: all, operationId });
  expect(await code(whole('undo'))).toBe(-32011);
  expect(text()).toBe(edits[2].after);
  // The first turn's change is older than the user's, so that it stays.
  expect(await code(whole('undoAll'))).toBe(-32011);
  expect(text()).toBe(texts[3]);
});

/** The name of an operation; those on lines carry the version of the files that the client saw. */
function withoutVersion({ id }: Loose): string {
  return id.replace(/^(\w+Lines):.*$/, '$1');
}
