// What opening a stored session costs by its length: the state of a session from its log, and its state
// before the last turn, which a client that comes back needs. The log is packed, and its store was just
// opened; the operating system may have its pages in memory.
import { foldLog, foldUntil } from '../src/host/session/foldLog.ts';
import { summarize } from '../src/host/session/summary.ts';
import { openStore } from '../src/io/store/sqlite/open.ts';
import type { Entry, Event } from '../src/model/event.ts';
import { reduce } from '../src/model/reduce.ts';
import { emptyState } from '../src/model/state.ts';
import { median, print, record, temporary } from './kit.ts';

const piecesOfTurn = 400;
const agent = { kind: 'agent', agent: 'native' } as const;

for (const pieces of [1_000, 10_000, 100_000]) {
  const { dir, remove } = temporary();
  const turns = Math.ceil(pieces / piecesOfTurn);
  await fill(dir, turns);
  const opened: number[] = [];
  const before: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const store = await openStore({ directory: dir, report: (problem) => print(String(problem)) });
    let last = 0;
    opened.push(await cpuTime(async () => (last = (await foldLog({ store }, 's')).state.seq)));
    const missed = last - piecesOfTurn - 2;
    before.push(await cpuTime(() => foldUntil(store, 's', ({ seq }) => seq > missed)));
    await store.close();
  }
  remove();
  record(
    { name: `open: ${pieces} pieces, CPU`, unit: 'ms', parley: median(opened) },
    { name: `open: ${pieces} pieces, before the last turn, CPU`, unit: 'ms', parley: median(before) },
  );
  print(
    `${pieces} pieces: ${median(opened).toFixed(1)} ms, before the last turn ${median(before).toFixed(1)} ms`,
  );
}

/** The time of the processor, which other programs do not change much, in milliseconds. */
async function cpuTime(run: () => Promise<unknown>): Promise<number> {
  const started = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1_000;
}

async function fill(directory: string, turns: number): Promise<void> {
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
    const words = Array.from({ length: piecesOfTurn }, (): Event => ({
      kind: 'text.added',
      ...of,
      item: `item-${turn}`,
      channel: 'answer',
      text: 'eight ch',
    }));
    await write({ kind: 'turn.started', ...of, message, queued: false }, ...words, {
      kind: 'turn.ended',
      ...of,
      outcome: { kind: 'completed' },
    });
  }
  await store.pack();
  await store.close();
}
