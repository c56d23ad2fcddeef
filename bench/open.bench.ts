// What opening a stored session costs by its length: the state of a session from its log, and its state
// before the last turn, which a client that comes back needs. One kind of session has long answers in pieces,
// the other short answers with a tool call after each. The log is packed, and its store was just opened; the
// operating system may have its pages in memory. A session that was opened before has a stored state.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { foldLog, foldUntil } from '../src/host/session/foldLog.ts';
import { summarize } from '../src/host/session/summary.ts';
import { openStore } from '../src/io/store/sqlite/open.ts';
import type { SqliteStore } from '../src/io/store/sqlite/sqlite.ts';
import type { Entry, Event } from '../src/model/event.ts';
import { reduce } from '../src/model/reduce.ts';
import { emptyState } from '../src/model/state.ts';
import { median, print, record, temporary } from './kit.ts';

const piecesOfTurn = 400;
const callsOfTurn = 25;
const agent = { kind: 'agent', agent: 'native' } as const;

for (const pieces of [1_000, 10_000, 100_000])
  await measure(`${pieces} pieces`, Math.ceil(pieces / piecesOfTurn), longAnswer);
// A text and a call are two parts.
for (const parts of [1_000, 10_000, 100_000])
  await measure(`${parts} parts with tools`, Math.ceil(parts / (2 * callsOfTurn)), toolCalls);

async function measure(
  name: string,
  turns: number,
  turnOf: (turn: string) => readonly Event[],
): Promise<void> {
  const { dir, remove } = temporary();
  await fill(dir, turns, turnOf);
  const opened: number[] = [];
  const again: number[] = [];
  const before: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    rmSync(join(dir, 'log.db-states'), { recursive: true, force: true });
    let store = await openStore({ directory: dir, report: (problem) => print(String(problem)) });
    let state = emptyState('s');
    opened.push(await cpuTime(async () => ({ state } = await foldLog({ store }, 's'))));
    // The state of a session with many entries is stored in the background.
    if (turnOf === toolCalls) await untilStored(store);
    await store.close();
    store = await openStore({ directory: dir, report: (problem) => print(String(problem)) });
    again.push(await cpuTime(() => foldLog({ store }, 's')));
    const missed = state.seq - turnOf('').length - 2;
    before.push(await cpuTime(() => foldUntil(store, 's', { isBehind: ({ seq }) => seq > missed })));
    await store.close();
  }
  remove();
  record(
    { name: `open: ${name}, CPU`, unit: 'ms', parley: median(opened) },
    { name: `open: ${name}, again, CPU`, unit: 'ms', parley: median(again) },
    { name: `open: ${name}, before the last turn, CPU`, unit: 'ms', parley: median(before) },
  );
  print(
    `${name}: ${median(opened).toFixed(1)} ms, again ${median(again).toFixed(1)} ms, ` +
      `before the last turn ${median(before).toFixed(1)} ms`,
  );
}

async function untilStored({ states }: SqliteStore): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await states.read('s')) return;
    await wait(50);
  }
  throw new Error('The state was not stored.');
}

function longAnswer(turn: string): readonly Event[] {
  return Array.from({ length: piecesOfTurn }, () => textOf(turn, 'item', 'eight ch'));
}

function toolCalls(turn: string): readonly Event[] {
  return Array.from({ length: callsOfTurn }, (_, at): readonly Event[] => {
    const call = { chat: 's', turn, tool: `${turn}-call-${at}` };
    const shown = { title: 'Read a.txt', toolKind: 'read' } as const;
    return [
      textOf(turn, `item-${at}`, 'I read this file to see what it says.'),
      { kind: 'tool.started', ...call, ...shown, name: 'read_file', source: 'native' },
      { kind: 'tool.ready', ...call, ...shown, input: { path: 'a.txt' } },
      { kind: 'tool.running', ...call, basis: { how: 'agent' } },
      {
        kind: 'tool.ended',
        ...call,
        result: { status: 'done', content: [{ type: 'text', text: fileText }] },
      },
    ];
  }).flat();
}

const fileText = 'A line of a file.\n'.repeat(20);

function textOf(turn: string, item: string, text: string): Event {
  return { kind: 'text.added', chat: 's', turn, item: `${turn}-${item}`, channel: 'answer', text };
}

/** The time of the processor, which other programs do not change much, in milliseconds. */
async function cpuTime(run: () => Promise<unknown>): Promise<number> {
  const started = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1_000;
}

async function fill(
  directory: string,
  turns: number,
  turnOf: (turn: string) => readonly Event[],
): Promise<void> {
  const store = await openStore({ directory, report: (problem) => print(String(problem)) });
  let state = emptyState('s');
  const write = (...events: readonly Event[]) => {
    const entries = events.map((event) => {
      const seq = state.seq + 1;
      const entry: Entry = { seq, pos: seq, at: 1_760_000_000_000 + 20 * seq, by: agent, event };
      state = reduce(state, entry);
      return { session: 's', entry };
    });
    return store.write({ entries, summaries: [summarize(state)], sync: 'disk' });
  };
  await write(
    { kind: 'session.created', session: 's', agent: 'native', roots: ['/work'] },
    { kind: 'chat.created', chat: 's', origin: { type: 'user' } },
  );
  for (let turn = 0; turn < turns; turn += 1) {
    const of = { chat: 's', turn: `turn-${turn}` };
    const message = { id: `message-${turn}`, text: 'Please explain this.' };
    await write({ kind: 'turn.started', ...of, message, queued: false }, ...turnOf(of.turn), {
      kind: 'turn.ended',
      ...of,
      outcome: { kind: 'completed' },
    });
  }
  await store.pack();
  await store.close();
}
