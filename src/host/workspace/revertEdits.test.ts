import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rig, testClient, until } from '../../../test/kit/host.ts';
import type { Rig } from '../../../test/kit/host.ts';
import { workspace } from '../../../test/kit/workspace.ts';
import type { Tree, Workspace } from '../../../test/kit/workspace.ts';
import { onAbort } from '../../base/waiting.ts';
import type { Content, ToolResult } from '../../model/event.ts';
import { changedPath, openChanges, revertChanges, undoneChanges } from './revertEdits.ts';
import type { FileChange } from './revertEdits.ts';
import { revertedText } from './revertedEdits.ts';

let place: Workspace;
beforeEach(() => {
  place = workspace();
});
afterEach(() => place.close());

const at = (name: string) => join(place.root, name);
const where = () => ({ files: place.files, roots: [place.root], canonical: place.canonical });
const edit = (name: string, before: string | null, after: string | null): FileChange => ({
  path: at(name),
  before,
  after,
});

interface Expected {
  readonly given: Tree;
  readonly tree: Tree;
  readonly restored?: readonly string[];
  readonly left?: readonly string[];
}

describe('taking back', () => {
  check('an edit', () => [edit('a', 'old', 'new')], {
    given: { a: 'new' },
    tree: { a: 'old' },
    restored: ['a'],
  });
  check('edits upon edits', () => [edit('a', '2', '3'), edit('a', '1', '2')], {
    given: { a: '3' },
    tree: { a: '1' },
    restored: ['a'],
  });
  check('a new file', () => [edit('a', null, 'new')], { given: { a: 'new' }, tree: {}, restored: ['a'] });
  check('a removed file', () => [edit('a', 'old', null)], { given: {}, tree: { a: 'old' }, restored: ['a'] });
  check('what is so already', () => [edit('a', 'old', 'new')], {
    given: { a: 'old' },
    tree: { a: 'old' },
    restored: ['a'],
  });
  check('nothing where somebody has changed it', () => [edit('a', '2', '3'), edit('a', '1', '2')], {
    given: { a: 'theirs' },
    tree: { a: 'theirs' },
    left: ['a has changed since.'],
  });
  check('nothing where somebody has made one', () => [edit('a', 'old', null)], {
    given: { a: 'theirs' },
    tree: { a: 'theirs' },
    left: ['a has changed since.'],
  });
  check('nothing where somebody has removed it', () => [edit('a', 'old', 'new')], {
    given: {},
    tree: {},
    left: ['a has changed since.'],
  });
  check('one and not the other', () => [edit('b', '', 'x'), edit('a', 'old', 'new')], {
    given: { a: 'new', b: 'theirs' },
    tree: { a: 'old', b: 'theirs' },
    restored: ['a'],
    left: ['b has changed since.'],
  });
  check('what a stop has cut after it was done', () => [{ ...edit('a', 'old', 'new'), uncertain: true }], {
    given: { a: 'new' },
    tree: { a: 'old' },
    restored: ['a'],
  });
  check(
    'nothing that a stop has cut before it was done',
    () => [
      { ...edit('a', 'old', 'new'), uncertain: true },
      { ...edit('b', null, 'new'), uncertain: true },
    ],
    { given: { a: 'old' }, tree: { a: 'old' } },
  );
  check('nothing that only its agent reports', () => [{ ...edit('a', null, 'new'), claimed: true }], {
    given: { a: 'new' },
    tree: { a: 'new' },
    left: [
      'only its agent reports this change; Parley did not see the file before, so it cannot restore it.',
    ],
  });
  check('a move', () => [{ from: at('from'), to: at('to') }], {
    given: { 'to/x': 'x' },
    tree: { 'from/x': 'x' },
    restored: ['from'],
  });
  check('no move over something', () => [{ from: at('from'), to: at('to') }], {
    given: { 'to/x': 'x', from: 'theirs' },
    tree: { 'to/x': 'x', from: 'theirs' },
    left: ['from already exists.'],
  });

  function check(
    name: string,
    changes: () => readonly FileChange[],
    { given, tree, restored = [], left = [] }: Expected,
  ): void {
    test(`taking back ${name}`, async () => {
      place.put(given);
      const undone = await revertChanges(changes(), where());
      expect({
        tree: place.tree(),
        restored: undone.restored,
        left: undone.left.map(({ why }) => why.replaceAll(`${place.root}/`, '')),
      }).toEqual({ tree, restored: restored.map(at), left });
    });
  }

  test.each([
    ['.git/hooks/pre-commit', 'left'],
    ['../beside', 'left'],
    ['.envrc', 'left'],
    ['out/x', 'left'],
    ['src/x', 'restored'],
  ])('of what only an agent says that it did to %s: it is %s', async (name, came) => {
    const outside = workspace();
    symlinkSync(outside.root, at('out'));
    const undone = await revertChanges([{ ...edit(name, 'evil', null), unverified: true }], where());
    expect([undone.restored.length, undone.left.length]).toEqual(came === 'left' ? [0, 1] : [1, 0]);
    expect([existsSync(at(name)), outside.tree()]).toEqual([came === 'restored', {}]);
    expect((await revertChanges([edit('.envrc', 'mine', null)], where())).restored).toEqual([at('.envrc')]);
    outside.close();
  });

  test('nothing through a link that was put in the way', async () => {
    const outside = workspace({ x: 'new' });
    symlinkSync(outside.root, at('dir'));
    expect((await revertChanges([edit('dir/x', 'old', 'new')], where())).left).toHaveLength(1);
    expect(outside.tree()).toEqual({ x: 'new' });
    outside.close();
  });

  test('nothing where nobody can write', async () => {
    expect(await revertChanges([edit('a', 'old', 'new')], { ...where(), files: undefined })).toEqual({
      restored: [],
      left: [{ path: at('a'), why: 'this host cannot write files.' }],
      edits: [],
    });
  });
});

describe('the host takes back', () => {
  let made: Rig;
  afterEach(() => made.close());

  async function chatWith(...results: readonly ToolResult[]): Promise<string> {
    made = await rig(undefined, { files: place.files });
    made.scripts.set('*', async (turn) => {
      const tool = `t${turn.message.text}`;
      turn.report({
        kind: 'tool.started',
        tool,
        name: 'edit_file',
        title: '',
        toolKind: 'edit',
        source: 'native',
      });
      turn.report({ kind: 'tool.ready', tool, input: {}, title: '', toolKind: 'edit' });
      turn.report({ kind: 'tool.running', tool, basis: { how: 'agent' } });
      turn.report({
        kind: 'tool.ended',
        tool,
        result: results[Number(turn.message.text) - 1] ?? { status: 'done', content: [] },
      });
    });
    const session = await made.create();
    for (const [at_, _] of results.entries()) {
      session.dispatch(
        {
          kind: 'startTurn',
          chat: session.id,
          turn: `turn-${at_ + 1}`,
          message: { id: `m${at_ + 1}`, text: `${at_ + 1}` },
        },
        testClient,
      );
      await until(session, (state) => state.chats[session.id]?.turns.length === at_ + 1);
    }
    return session.id;
  }
  const done = (...content: readonly Content[]): ToolResult => ({ status: 'done', content });
  const change = (name: string, before: string | null, after: string | null): Content => ({
    type: 'edit',
    path: at(name),
    before,
    after,
  });

  test('what was done after a turn', async () => {
    place.put({ a: '3', b: 'x' });
    const chat = await chatWith(
      done(change('a', '1', '2')),
      done(change('a', '2', '3'), change('b', null, 'x')),
    );
    expect(await made.host.undo(chat, { after: 'turn-1' }, testClient)).toMatchObject({ left: [] });
    expect(place.tree()).toEqual({ a: '2' });
    // What is reverted already is not reverted again.
    expect(await made.host.undo(chat, { after: undefined }, testClient)).toEqual({
      restored: [at('a')],
      left: [],
      edits: expect.any(Array) as unknown,
    });
    expect(place.tree()).toEqual({ a: '1' });
  });

  test('what one call has done, and nothing of calls that failed', async () => {
    place.put({ a: '2', b: '2' });
    const chat = await chatWith(done(change('a', '1', '2')), {
      status: 'failed',
      content: [change('b', '1', '2')],
      error: 'no',
    });
    expect(await made.host.undo(chat, { tool: 't1' }, testClient)).toEqual({
      restored: [at('a')],
      left: [],
      edits: [{ turn: 'turn-1', tool: 't1', index: 0 }],
    });
    expect(await made.host.undo(chat, { tool: 't2' }, testClient)).toEqual({
      restored: [],
      left: [],
      edits: [],
    });
    expect(place.tree()).toEqual({ a: '1', b: '2' });
  });

  test('and the agent is told with its next turn, once', async () => {
    place.put({ a: '2' });
    const chat = await chatWith(done(change('a', '1', '2')));
    const session = await made.host.open(chat);
    if ('rejected' in session) throw new Error(session.message);
    await made.host.undo(chat, { tool: 't1' }, testClient);
    const told: (readonly unknown[])[] = [];
    made.scripts.set('*', (turn) => Promise.resolve(void told.push(turn.message.attachments ?? [])));
    for (const turn of ['turn-8', 'turn-9']) {
      session.dispatch({ kind: 'startTurn', chat, turn, message: { id: turn, text: 'x' } }, testClient);
      await until(session, (state) => state.chats[chat]?.turns.at(-1)?.id === turn);
    }
    expect(told).toEqual([
      [{ type: 'text', label: 'What happened since', text: expect.stringContaining(at('a')) as string }],
      [],
    ]);
  });

  test('and redoes: the file, a move, a new file; and the agent is told', async () => {
    place.put({ a: '3', to: 'moved', new: 'x' });
    const chat = await chatWith(done(change('a', '1', '2')), {
      status: 'done',
      content: [change('a', '2', '3'), change('new', null, 'x')],
      raw: { moved: { from: at('from'), to: at('to') } },
    });
    const session = await made.host.open(chat);
    if ('rejected' in session) throw new Error(session.message);
    const texts = () =>
      Object.values(session.state.chats).map((each) => revertedText(each, session.state))[0];
    await made.host.undo(chat, { after: undefined }, testClient);
    expect(place.tree()).toEqual({ a: '1', from: 'moved' });
    expect(texts()).toContain('has reverted changes');
    expect(undoneChanges(session.state, 'turn-1').map(changedPath)).toEqual([at('a')]);
    const all = undoneChanges(session.state);
    expect(await made.host.redo(session, all, testClient)).toEqual({
      restored: [at('a'), at('new'), at('from')],
      left: [],
      edits: expect.any(Array) as unknown,
    });
    expect(place.tree()).toEqual({ a: '3', to: 'moved', new: 'x' });
    expect([undoneChanges(session.state), session.state.revertedEdits, texts()]).toEqual([[], [], undefined]);
    expect(openChanges(session.state)).toHaveLength(4);
  });

  test('and redoes nothing over a file that was changed since', async () => {
    place.put({ a: '2', b: 'made' });
    const chat = await chatWith(done(change('a', '1', '2'), change('b', null, 'made')));
    const session = await made.host.open(chat);
    if ('rejected' in session) throw new Error(session.message);
    await made.host.undo(chat, { tool: 't1' }, testClient);
    place.put({ b: 'mine' });
    const redone = await made.host.redo(session, undoneChanges(session.state), testClient);
    expect(redone).toEqual({
      restored: [at('a')],
      left: [{ path: at('b'), why: `${at('b')} has changed since.` }],
      edits: [{ turn: 'turn-1', tool: 't1', index: 0 }],
    });
    expect([place.tree(), undoneChanges(session.state).map(changedPath)]).toEqual([
      { a: '2', b: 'mine' },
      [at('b')],
    ]);
  });

  test('nothing of a chat that nobody knows', async () => {
    await chatWith();
    expect(await made.host.undo('nope', { after: undefined }, testClient)).toMatchObject({
      rejected: 'not-found',
    });
  });
});

test('a move takes the directories above along and leaves nothing half done', async () => {
  writeFileSync(at('a'), 'x');
  mkdirSync(at('d'));
  expect(await place.files.move(at('a'), at('new/deep/b'))).toBeUndefined();
  expect(await place.files.move(at('d'), at('d/e'))).toMatchObject({ problem: 'not-a-directory' });
  expect(await place.files.move(at('none'), at('x'))).toMatchObject({ problem: 'not-found' });
  rmSync(at('d'), { recursive: true });
  expect([place.tree(), readdirSync(place.root)]).toEqual([{ 'new/deep/b': 'x' }, ['new']]);
});

test('a command whose host ended is named', async () => {
  const made = await rig();
  made.scripts.set('*', (turn) => {
    const [tool, title, toolKind] = ['t', '', 'execute'] as const;
    turn.report({ kind: 'tool.started', tool, name: 'x', title, toolKind, source: 'native' });
    turn.report({ kind: 'tool.ready', tool, input: {}, title, toolKind, locations: [{ path: '/w' }] });
    turn.report({ kind: 'tool.running', tool, basis: { how: 'agent' } });
    return new Promise((resolve) => onAbort(turn.signal, resolve));
  });
  const session = await made.create();
  const { id: chat } = session;
  const isRunning = () =>
    session.state.chats[chat]?.active?.items.some((item) => item.type === 'tool') ?? false;
  session.dispatch({ kind: 'startTurn', chat, turn: 'u', message: { id: 'm', text: 'x' } }, testClient);
  await until(session, isRunning);
  const outcome = { kind: 'interrupted' } as const;
  session.dispatch({ kind: 'endTurn', chat, turn: 'u', outcome, next: 'n' }, { kind: 'host' });
  expect(openChanges(session.head)).toMatchObject([
    { path: '/w', why: expect.stringContaining('a command was interrupted there') },
  ]);
  await made.close();
});
