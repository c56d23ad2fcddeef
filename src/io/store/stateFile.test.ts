// A stored state gives its turns one by one: what nobody looks at is not read, and what cannot be read comes
// from the log.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { gapText } from '../../host/session/damagedLog.ts';
import { summarize } from '../../host/session/summary.ts';
import { emptyState } from '../../model/state.ts';
import type { Entry, Event, SessionId } from '../../model/event.ts';
import type { EndedTurn, Item, State } from '../../model/state.ts';
import { reduce } from '../../model/reduce.ts';
import { StateFiles } from './stateFiles.ts';
import type { StateFilesOptions } from './stateFiles.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-state-'));
});

afterEach(() => rmSync(directory, { recursive: true }));

const state = stateOf(
  Array.from({ length: 5 }, (_, at) => turn(`turn-${at}`, [text('item', `Words ${at}.`)])),
);
const foldNow = vi.fn<(session: SessionId, last: number) => State>(() => state);

test('opening and listing read no turn, and a turn is read when somebody looks at it', async () => {
  const { stored, damage } = await opened(state);
  damage();
  expect(turnsOf(stored).map(({ id, outcome }) => [id, outcome.kind])).toEqual(
    turnsOf(state).map(({ id }) => [id, 'completed']),
  );
  expect(summarize(stored)).toEqual(summarize(state));
  expect(foldNow).not.toHaveBeenCalled();
  expect(turnsOf(stored)[3]?.items).toEqual(turnsOf(state)[3]?.items);
  expect(foldNow).toHaveBeenCalledWith('s', state.seq);
});

test('the log is folded once, however many turns cannot be read, and the file is made again', async () => {
  const { stored, damage, files } = await opened(state);
  damage();
  for (const look of [turnsOf(stored), turnsOf(stored)])
    expect(look.map(({ items }) => items)).toEqual(turnsOf(state).map(({ items }) => items));
  expect(foldNow).toHaveBeenCalledTimes(1);
  await files.close();
  expect(readdirSync(directory)).toEqual([]);
});

test.each<[string, (files: StateFiles) => Promise<void>]>([
  ['is removed', (files) => files.remove('s')],
  ['is replaced', (files) => files.write({ state: stateOf([turn('other', [])]), at: 2 })],
])('an open state keeps its turns when its file %s', async (_, change) => {
  const { stored, files } = await opened(state);
  await change(files);
  expect(stored).toEqual(state);
  expect(foldNow).not.toHaveBeenCalled();
});

test('a turn that neither the file nor the log has says so', async () => {
  const { stored, damage } = await opened(state, { foldNow: () => emptyState('s') });
  damage();
  expect(turnsOf(stored)[0]).toEqual({
    ...turnsOf(state)[0],
    items: [{ type: 'notice', id: 'gap', at: 2, level: 'error', text: gapText }],
  });
});

test('the table of turns stays short whatever people write', async () => {
  const long = turn('turn', [], 'A long message. '.repeat(10_000));
  const { stored, headSize } = await opened(stateOf([long]));
  expect(headSize).toBeLessThan(5_000);
  expect(turnsOf(stored)).toEqual([long]);
});

test('lists read only the turns with edits', async () => {
  const { stored, damage } = await opened(stateOf([...turnsOf(state), turn('edited', [edit('a.txt')])]));
  damage(1);
  expect(summarize(stored).changes).toEqual({ files: 1, added: 1, removed: 0 });
  expect(foldNow).not.toHaveBeenCalled();
});

test('opening and listing a session of any length parse the row of its last turn alone', async () => {
  const long = stateOf(Array.from({ length: 1_200 }, (_, at) => turn(`turn-${at}`, [])));
  const parse = vi.spyOn(JSON, 'parse');
  const rows = () => parse.mock.calls.filter(([line]) => line.includes('"outcome"')).length;
  try {
    const { stored } = await opened(long);
    expect(rows()).toBe(0);
    expect(summarize(stored)).toEqual(summarize(long));
    expect(turnsOf(stored).findIndex(({ id }) => id === 'turn-700')).toBe(700);
    expect(rows()).toBe(1);
    expect(stored).toEqual(long);
    expect(rows()).toBe(1_200);
  } finally {
    parse.mockRestore();
  }
});

test('without a log at hand a file is read whole, and passed over if one turn is damaged', async () => {
  const { files, damage } = await opened(state, { foldNow: undefined });
  expect((await files.read('s'))?.state).toEqual(state);
  damage();
  expect(await files.read('s')).toBeUndefined();
});

interface Opened {
  readonly stored: State;
  readonly files: StateFiles;
  /** Damages the file, which may be open: all turns in it, or so many bytes. */
  readonly damage: (bytes?: number) => void;
  /** The bytes that opening reads. */
  readonly headSize: number;
}

async function opened(given: State, options: Partial<StateFilesOptions> = {}): Promise<Opened> {
  foldNow.mockClear();
  const report = (problem: unknown) => {
    throw problem;
  };
  const files = new StateFiles({ directory, isWanted: () => true, report, foldNow, ...options });
  await files.write({ state: given, at: 1 });
  const path = join(directory, readdirSync(directory)[0] ?? '');
  const head = headOf(path);
  const stored = await files.read('s');
  if (!stored) throw new Error('The state was not stored.');
  const damage = (bytes = head) => writeFileSync(path, readFileSync(path).fill(0, 0, bytes));
  return { stored: stored.state, files, damage, headSize: statSync(path).size - head };
}

/** Where the turns end. */
function headOf(path: string): number {
  const last = readFileSync(path, 'utf8').trimEnd().split('\n').at(-1) ?? '';
  return (JSON.parse(last.slice(last.indexOf(' '))) as { readonly head: number }).head;
}

function turnsOf({ chats }: State): readonly EndedTurn[] {
  return chats['s']?.turns ?? [];
}

function stateOf(turns: readonly EndedTurn[]): State {
  const by = { kind: 'host' } as const;
  const events: readonly Event[] = [
    { kind: 'session.created', session: 's', agent: 'native', roots: ['/work'] },
    { kind: 'chat.created', chat: 's', origin: { type: 'user' } },
  ];
  const begun = events
    .map((event, at): Entry => ({ seq: at + 1, pos: at + 1, at: 1, by, event }))
    .reduce(reduce, emptyState('s'));
  const chats = Object.entries(begun.chats).map(([id, chat]) => [id, { ...chat, turns }] as const);
  return { ...begun, chats: Object.fromEntries(chats) };
}

function turn(id: string, items: readonly Item[], said = 'Please explain.'): EndedTurn {
  return {
    id,
    message: { id: `message-${id}`, text: said },
    by: { kind: 'host' },
    startedAt: 1,
    items,
    usage: undefined,
    outcome: { kind: 'completed' },
    endedAt: 2,
  };
}

function text(id: string, words: string): Item {
  return { type: 'text', id, at: 1, channel: 'answer', text: words };
}

function edit(path: string): Item {
  return {
    type: 'tool',
    id: 'call',
    at: 1,
    name: 'write_file',
    title: 'Write',
    toolKind: 'edit',
    source: 'native',
    server: undefined,
    status: 'ended',
    inputText: '',
    input: undefined,
    locations: [],
    preview: [],
    basis: undefined,
    approval: undefined,
    runningAt: 1,
    endedAt: 1,
    output: '',
    content: [],
    result: { status: 'done', content: [{ type: 'edit', path, before: null, after: 'One line.\n' }] },
  };
}
