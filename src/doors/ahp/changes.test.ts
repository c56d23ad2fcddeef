// What turns have changed in files: shown, counted, taken back and put back, whole or by lines.
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AhpClient } from '../../../test/kit/ahp.ts';
import { ahpRig, checkAgrees, codeOf, takeTurn } from '../../../test/kit/ahpRig.ts';
import type { TurnContext } from '../../host/agent.ts';
import type { Content } from '../../model/event.ts';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';
import { resourceFiles } from '../../../test/kit/realFiles.ts';
import type { Loose } from '../../../test/kit/wire.ts';

const { client, host, inSession, open } = ahpRig();

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-ahp-')));
  open.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A client in a session that works in the folder. */
function sessionIn(on: Awaited<ReturnType<typeof host>>, folder: string): Promise<AhpClient> {
  return inSession(on, { session: 's1', ports: { files: resourceFiles() }, root: `file://${folder}` });
}

type Edit = Omit<Extract<Content, { readonly type: 'edit' }>, 'type'>;

/** Writes a file, as a tool of a turn does it. */
function reportEdit(
  context: TurnContext,
  tool: string,
  { source = 'native', ...edit }: Edit & { readonly source?: 'native' | 'agent' },
): void {
  context.report({ kind: 'tool.started', tool, name: 'edit', title: 'Edit', toolKind: 'edit', source });
  const content = [{ type: 'edit', ...edit }] as const;
  context.report({ kind: 'tool.ended', tool, result: { status: 'done', content } });
  if (edit.after !== null) writeFileSync(edit.path, edit.after);
}

test('files are looked at and put back, one or all, unless they have changed since', async () => {
  const folder = newFolder();
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
      reportEdit(context, tool, { path: join(folder, name), before, after });
    }
    return Promise.resolve();
  });
  const one = await sessionIn(on, folder);
  await takeTurn(one, 'ahp-chat:/s1', 't1', 'first');
  await takeTurn(one, 'ahp-chat:/s1', 't2', 'second');
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
  expect(await codeOf(invoke(all, 'b'))).toBe(-32011);
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
    expect(await codeOf(invoke(channel, resource, operation))).toBe(expected);
  }

  const operations = (channel: string) => one.views.get(channel).operations.map(withoutVersion);
  expect([operations(all), operations(second)]).toEqual([
    ['undo', 'redo', 'undoLines', `redo:${join(folder, 'a')}`, `redo:${join(folder, 'new')}`],
    ['undo', 'redo', 'undoLines', `redo:${join(folder, 'a')}`],
  ]);
  // The second turn edited "a" after the first one, whose edit is undone, too.
  expect(await codeOf(invoke(second, 'a', 'redo'))).toBe(-32011);
  expect(await invoke(all, undefined, 'redo')).toEqual({});
  await one.wait(() => operations(all).length === 2);
  expect([text('new'), names(all), names(second)]).toEqual([
    expect.any(String),
    ['a', 'new', 'b'],
    ['a', 'b'],
  ]);
  expect(await codeOf(invoke(all, undefined, 'redo'))).toBe(-32008);
  await checkAgrees(one, all, second);
});

test('single hunks are taken back and put back, exactly, and whole files too', async () => {
  const folder = newFolder();
  const path = join(folder, 'a');
  const lines = Array.from({ length: 30 }, (_, line) => `line ${line}\n`);
  const before = lines.join('');
  const after = lines.with(2, 'two\n').with(20, 'twenty\nand more\n').join('').slice(0, -1);
  const on = await host();
  on.scripts.set('*', (context) => {
    reportEdit(context, 'w', { path, before, after });
    return Promise.resolve();
  });
  const one = await sessionIn(on, folder);
  await takeTurn(one, 'ahp-chat:/s1', 't1', 'go');
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
  expect(await codeOf(invoke(old, 18, 24))).toBe(-32011);
  // A range without a change, no range, and a file that somebody has changed since.
  expect(await codeOf(invoke('undoLines', 8, 10))).toBe(-32008);
  expect(await codeOf(invoke('undoLines'))).toBe(-32602);
  const present = text();
  writeFileSync(path, `${present}mine`);
  expect(await codeOf(invoke('undoLines', 18, 24))).toBe(-32011);
  expect(await codeOf(invoke('redoLines', 0, 6))).toBe(-32011);
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
  expect(await codeOf(invoke('redo:/none'))).toBe(-32008);
});

test('the list says how many lines a session has changed, without those that were taken back', async () => {
  const folder = newFolder();
  const path = join(folder, 'a');
  const store = new MemoryStore();
  const on = await host(store);
  const edits: Record<string, readonly [string | null, string]> = {
    first: [null, 'one\ntwo\n'],
    second: ['one\ntwo\n', 'one\n2\n3\n'],
  };
  on.scripts.set('*', (context) => {
    const [before, after] = edits[context.message.text] ?? [null, ''];
    reportEdit(context, 'w', { path, before, after });
    return Promise.resolve();
  });
  const one = await sessionIn(on, folder);
  const listed = async (by: AhpClient) => (await by.request('listSessions', {})).items[0].changes as unknown;
  await takeTurn(one, 'ahp-chat:/s1', 't1', 'first');
  await takeTurn(one, 'ahp-chat:/s1', 't2', 'second');
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

test("an undo of lines keeps what the user has written between two turns, and what may be the user's", async () => {
  const folder = newFolder();
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
    reportEdit(context, `w${at}`, { path, observed: true, ...(edits[at] ?? edits[0]), source: 'agent' });
    at += 1;
    return Promise.resolve();
  });
  const one = await sessionIn(on, folder);
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
  await takeTurn(one, 'ahp-chat:/s1', 't1', 'go');
  writeFileSync(path, texts[2]);
  await takeTurn(one, 'ahp-chat:/s1', 't2', 'go');
  // The first line is the work of the first turn, and the user has written since.
  expect(await codeOf(invoke('undoLines', 0, 1))).toBe(-32011);
  expect(text()).toBe(texts[3]);
  await invoke('undoLines', 0, 4);
  expect(text()).toBe(texts[2]);

  writeFileSync(path, texts[3]);
  await takeTurn(one, 'ahp-chat:/s1', 't3', 'go');
  await one.wait(() => offered().some(({ id }: Loose) => id === 'undoAll'));
  expect(await codeOf(invoke('undoLines', 0, 5))).toBe(-32011);
  expect(text()).toBe(edits[2].after);
  const whole = (operationId: string) =>
    one.request('invokeChangesetOperation', { channel: all, operationId });
  expect(await codeOf(whole('undo'))).toBe(-32011);
  expect(text()).toBe(edits[2].after);
  // The first turn's change is older than the user's, so that it stays.
  expect(await codeOf(whole('undoAll'))).toBe(-32011);
  expect(text()).toBe(texts[3]);
});

/** The name of an operation; those on lines carry the version of the files that the client saw. */
function withoutVersion({ id }: Loose): string {
  return id.replace(/^(\w+Lines):.*$/, '$1');
}
