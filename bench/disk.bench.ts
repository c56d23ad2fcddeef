// What a streamed conversation costs on the disk: bytes of the log for each byte of text after the turns have
// ended, bytes that are written for each piece while it streams, and what deleting gives back.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { summarize } from '../src/host/session/summary.ts';
import { loadDatabase, query } from '../src/io/store/sqlite/database.ts';
import { openStore } from '../src/io/store/sqlite/open.ts';
import type { Entry, Event } from '../src/model/event.ts';
import { reduce } from '../src/model/reduce.ts';
import { emptyState } from '../src/model/state.ts';
import { print, record, temporary } from './kit.ts';

const turns = 100;
const pieces = 400;
const pacedPieces = 100;
/** As long as an average token. */
const piece = 'eight ch';

const { dir, remove } = temporary();
const path = join(dir, 'log.db');
const open = () => openStore({ directory: dir, report: (problem) => print(String(problem)) });
let store = await open();
const session = '0b0f1c52-6a52-4a5c-9a43-7c2f0b9a9d10';
const ids = { chat: session, item: '5f0c61d0-3a0e-4cbb-8a3a-6a8f5a0a7a11' };
const agent = { kind: 'agent', agent: 'native' } as const;
let state = emptyState(session);
let text = 0;

await write('disk', { kind: 'session.created', session, agent: 'native', roots: ['/work'] });
await write('disk', { kind: 'chat.created', chat: session, origin: { type: 'user' } });
const empty = await sizeAfterClose();
store = await open();
await begin('turn-paced');
const before = written();
for (let at = 0; at < pacedPieces; at += 1) {
  await write('kernel', added('turn-paced'));
  await pause(20);
}
await end('turn-paced');
const perPiece = (written() - before) / pacedPieces;
for (let turn = 0; turn < turns; turn += 1) {
  const id = `8d3f7f0e-22a4-4d0e-8f0f-${String(turn).padStart(12, '0')}`;
  await begin(id);
  for (let at = 0; at < pieces; at += 1) await write('kernel', added(id));
  await end(id);
}
const streamed = statSync(path).size + statSync(`${path}-wal`).size;
await givenBack();
const full = await sizeAfterClose();
store = await open();
await store.remove(session);
await givenBack();
const removed = await sizeAfterClose();
remove();

record(
  { name: 'disk: log per byte of text', unit: 'bytes', parley: (full - empty) / text },
  { name: 'disk: written per paced piece', unit: 'bytes', parley: perPiece },
  { name: 'disk: left after deleting all', unit: 'KB', floor: empty / 1024, parley: removed / 1024 },
);
print(
  `${text} bytes of text: ${streamed} bytes while it streams, ${full} after (${empty} empty, ${removed} deleted)`,
);
print(
  `${((full - empty) / text).toFixed(2)} bytes for each byte; ${perPiece.toFixed(0)} written for a piece`,
);

function added(turn: string): Event {
  text += piece.length;
  return { kind: 'text.added', chat: ids.chat, turn, item: ids.item, channel: 'answer', text: piece };
}

async function begin(turn: string): Promise<void> {
  const message = { id: `${turn}-message`, text: 'Please explain this. '.repeat(5) };
  text += message.text.length;
  await write('disk', { kind: 'turn.started', chat: ids.chat, turn, message, queued: false });
}

function end(turn: string): Promise<void> {
  return write('disk', { kind: 'turn.ended', chat: ids.chat, turn, outcome: { kind: 'completed' } });
}

async function write(sync: 'disk' | 'kernel', event: Event): Promise<void> {
  const seq = state.seq + 1;
  const entry: Entry = { seq, pos: seq, at: 1_760_000_000_000 + seq * 20, by: agent, event };
  state = reduce(state, entry);
  await store.write({
    entries: [{ session, entry }],
    summaries: sync === 'disk' ? [summarize(state)] : [],
    sync,
  });
}

/** Bytes that this process has handed to the kernel. */
function written(): number {
  return Number(/wchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
}

/** Waits until the store has packed what it could and given the space back, as a host does after turns. */
async function givenBack(): Promise<void> {
  const database = (await loadDatabase())(path, { readOnly: true });
  const ask = (sql: string) => Number(query(database, sql)()[0]?.[0]);
  const late = 'packed < (SELECT max(seq) FROM entries WHERE session = id)';
  while (ask(`SELECT count(*) FROM sessions WHERE ${late}`) > 0 || ask('PRAGMA freelist_count') > 32)
    await pause(50);
  database.close();
}

async function sizeAfterClose(): Promise<number> {
  await store.close();
  return statSync(path).size;
}
