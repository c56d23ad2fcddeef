// One stored state: the ended turns one by one, the states before the last ones, then the rest of the state
// with a list and a table of all these, then where that begins. It is read from its end, and a row of the
// table, a turn or an earlier state only when somebody looks at it.
import { fstatSync, read as readWithCallback, readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { setImmediate as nextBeat } from 'node:timers/promises';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { isRecord } from '../../base/isRecord.ts';
import { once } from '../../base/memo.ts';
import { gapText } from '../../host/session/damagedLog.ts';
import type { EarlierState, StoredState } from '../../host/session/logStore.ts';
import type { ChatId, SessionId } from '../../model/event.ts';
import { factsOf, knownFacts, lazyTurn, unreadTurn, withoutContent } from '../../model/lazyTurn.ts';
import type { LazyContent, ListedTurn, TurnContent } from '../../model/lazyTurn.ts';
import { stateFormat } from '../../model/state.ts';
import type { Chat, EndedTurn, State } from '../../model/state.ts';

/** The form of the file, and of what is in it. */
const fileFormat = `4.${stateFormat}`;

/** A longer message is not in the table of turns. */
const longMessage = 2_000;

/** A larger one of the states before the last turns is left out, in bytes; its turns do not count. */
const largeEarlier = 100_000;

/** Files are written in pieces of about this size, with other work in between. */
const pieceSize = 200_000;

/** The last line is not longer: it has the id of the session. */
const longestEnd = 4_096;

/** What the table says about a turn: where its content is, and all that is short. */
interface Row extends Content {
  readonly turn: EndedTurn;
  readonly at: number;
}

/** The members of a turn that are stored apart. */
interface Content extends Pick<LazyContent, 'members' | 'known'>, Omit<Span, 'at'> {}

/** Some bytes of the file and their checksum. */
interface Span {
  readonly at: number;
  readonly size: number;
  readonly crc: number;
}

/** A state before one of the last turns, whose turns are the first ones of the whole state. */
interface EarlierRow extends Omit<EarlierState, 'read'> {
  readonly bytes: Span;
  readonly turns: { readonly [chat: ChatId]: number };
}

/** The turns of a line of the table, and how long their rows are. */
interface ListedLine {
  readonly chat: ChatId;
  readonly turns: readonly (ListedTurn & { readonly size: number })[];
}

interface EndLine {
  readonly format: string;
  readonly session: SessionId;
  readonly at: number;
  /** Where the lines behind the turns begin. */
  readonly head: number;
  /** How many these are. */
  readonly lines: number;
}

interface Piece {
  readonly row: Content;
  readonly bytes: Buffer;
}

/** Where the bytes of a state are. Answers have fewer bytes than asked for if there are no more. */
export interface StateSource {
  readonly size: number;
  read(from: number, to: number): Promise<Buffer>;
  /** For a turn that somebody looks at. Throws if it cannot be read. */
  readNow(from: number, to: number): Buffer;
}

/** The file stays open. */
export function fileSource(fd: number): StateSource {
  const room = (from: number, to: number) => Buffer.allocUnsafe(Math.max(0, to - from));
  return {
    size: fstatSync(fd).size,
    async read(from, to) {
      const buffer = room(from, to);
      const { bytesRead } = await readAt(fd, buffer, 0, buffer.length, from);
      return buffer.subarray(0, bytesRead);
    },
    readNow(from, to) {
      const buffer = room(from, to);
      return buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, from));
    },
  };
}

export function memorySource(bytes: Buffer): StateSource {
  const part = (from: number, to: number) => bytes.subarray(from, Math.max(from, to));
  return { size: bytes.length, read: (from, to) => Promise.resolve(part(from, to)), readNow: part };
}

export class StateFile {
  readonly #source: StateSource;
  readonly #options: StateFileOptions;
  /** How many bytes the turns have. */
  #size = 0;
  #folded: State | undefined;

  constructor(source: StateSource, options: StateFileOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** Undefined if the file is not whole, or is about something else. */
  async read(session: SessionId): Promise<StoredState | undefined> {
    const { size } = this.#source;
    const end = endIn(await this.#source.read(Math.max(0, size - longestEnd), size));
    if (end?.format !== fileFormat || end.session !== session) return undefined;
    this.#size = end.head;
    const bytes = await this.#source.read(end.head, size);
    const lines: Buffer[] = [];
    for (let from = 0, to = 0; from < bytes.length; from = to + 1) {
      to = bytes.indexOf('\n', from);
      const line = textOf(bytes.subarray(from, Math.max(from, to)));
      if (!line) return undefined;
      lines.push(line);
      await nextBeat();
    }
    const [rest, earlier, list, ...table] = lines.slice(0, -1);
    if (!rest || !earlier || !list || lines.length - 1 !== end.lines) return undefined;
    const state = await this.#whole(parsed<State>(rest), parsed<readonly ListedLine[]>(list), table);
    if (!state) return undefined;
    const rows = parsed<readonly EarlierRow[]>(earlier);
    return { state, at: end.at, earlier: rows.map((row) => this.#earlier(row, state)) };
  }

  #earlier({ seq, pos, at, bytes: span, turns }: EarlierRow, { chats: whole }: State): EarlierState {
    const read = () => {
      const bytes = this.#span(span);
      if (!bytes) return undefined;
      const rest = parsed<State>(bytes);
      const chats = Object.entries(rest.chats).map(([id, chat]): [ChatId, Chat] => {
        return [id, { ...chat, turns: whole[id]?.turns.slice(0, turns[id]) ?? [] }];
      });
      return { ...rest, chats: Object.fromEntries(chats) };
    };
    return { seq, pos, at, read };
  }

  /** A turn of this file as it is stored; undefined if it is damaged. */
  piece(row: Row): Piece | undefined {
    const bytes = this.#span(row);
    return bytes && { row, bytes };
  }

  #span({ at, size, crc }: Span): Buffer | undefined {
    if (at + size > this.#size) return undefined;
    try {
      const bytes = this.#source.readNow(at, at + size);
      return bytes.length === size && crc32(bytes) === crc ? bytes : undefined;
    } catch {
      return undefined;
    }
  }

  async #whole(
    state: State,
    list: readonly ListedLine[],
    table: readonly Buffer[],
  ): Promise<State | undefined> {
    const turns = new Map<ChatId, EndedTurn[]>();
    for (const [line, { chat, turns: entries }] of list.entries()) {
      const known = turns.get(chat) ?? [];
      let from = 0;
      for (const entry of entries) {
        const bytes = table[line]?.subarray(from, from + entry.size);
        if (!bytes) return undefined;
        const row = () => parsed<Row>(bytes);
        if (!this.#options.refold && !this.#span(row())) return undefined;
        known.push(this.#turn(entry, row, { chat, index: known.length }));
        from += entry.size;
      }
      turns.set(chat, known);
      await nextBeat();
    }
    const chats = Object.entries(state.chats).map(([id, chat]): [ChatId, Chat] => {
      return [id, { ...chat, turns: turns.get(id) ?? [] }];
    });
    return { ...state, chats: Object.fromEntries(chats) };
  }

  #turn(entry: ListedTurn, row: () => Row, place: TurnPlace): EndedTurn {
    const read = () => {
      const { turn, members, known, ...at } = row();
      return lazyTurn(turn, { known, members, read: () => this.#content(at) ?? this.#refolded(place, turn) });
    };
    const unread = unreadTurn(entry, once(read));
    this.#options.known.set(unread, { file: this, row });
    return unread;
  }

  #content(at: Span): Partial<TurnContent> | undefined {
    const bytes = this.#span(at);
    return bytes && parsed<Partial<TurnContent>>(bytes);
  }

  /** The log has the turn, unless it is damaged, too. The whole log is folded only once. */
  #refolded({ chat, index }: TurnPlace, { id, endedAt: at }: EndedTurn): TurnContent {
    this.#folded ??= this.#options.refold?.();
    const found = this.#folded?.chats[chat]?.turns[index];
    if (found?.id === id) return found;
    const items = [{ type: 'notice', id: 'gap', at, level: 'error', text: gapText } as const];
    return { message: { id, text: gapText }, items };
  }
}

const readAt = promisify(readWithCallback);

export interface StateFileOptions {
  readonly known: StoredTurns;
  /**
   * The same state from the log; called when a turn of the file is damaged. Without it all turns are checked
   * before the state is given.
   */
  readonly refold?: () => State;
}

/** The turns that were read from files, and where they are in these. */
export type StoredTurns = WeakMap<EndedTurn, { readonly file: StateFile; readonly row: () => Row }>;

interface TurnPlace {
  readonly chat: ChatId;
  readonly index: number;
}

/** False if the state was no longer wanted before all of it was written. */
export async function writeState(
  file: FileHandle,
  stored: StoredState,
  { known, isWanted }: { readonly known: StoredTurns; readonly isWanted: () => boolean },
): Promise<boolean> {
  let waiting: Buffer[] = [];
  let size = 0;
  for (const bytes of contentOf(stored, known)) {
    waiting.push(bytes);
    size += bytes.length;
    if (size < pieceSize) continue;
    if (!isWanted()) return false;
    await file.write(Buffer.concat(waiting));
    [waiting, size] = [[], 0];
  }
  await file.write(Buffer.concat(waiting));
  return isWanted();
}

function* contentOf({ state, at, earlier = [] }: StoredState, known: StoredTurns): Generator<Buffer> {
  const list: ListedLine[] = [];
  const table: string[] = [];
  let head = 0;
  for (const [chat, { turns }] of Object.entries(state.chats))
    for (let from = 0; from < turns.length; from += rowsOfLine) {
      const entries: ListedLine['turns'][number][] = [];
      const rows: string[] = [];
      for (const turn of turns.slice(from, from + rowsOfLine)) {
        const { row, bytes } = pieceOf(turn, known);
        const text = JSON.stringify({ ...row, turn: withoutContent(turn, row.members), at: head });
        const { items, edits } = factsOf(turn);
        entries.push({ id: turn.id, items, edits, size: Buffer.byteLength(text) });
        rows.push(text);
        head += bytes.length;
        yield bytes;
      }
      list.push({ chat, turns: entries });
      table.push(rows.join(''));
    }
  const before: EarlierRow[] = [];
  for (const each of earlier) {
    const found = earlierPiece(each, state);
    if (!found) continue;
    const { turns, bytes } = found;
    const span = { at: head, size: bytes.length, crc: crc32(bytes) };
    before.push({ seq: each.seq, pos: each.pos, at: each.at, bytes: span, turns });
    head += bytes.length;
    yield bytes;
  }
  yield signed(JSON.stringify(withoutTurns(state)));
  yield signed(JSON.stringify(before));
  yield signed(JSON.stringify(list));
  for (const line of table) yield signed(line);
  const lines = table.length + 3;
  yield signed(JSON.stringify({ format: fileFormat, session: state.id, at, head, lines } satisfies EndLine));
}

function withoutTurns(state: State): State {
  const chats = Object.entries(state.chats).map(([id, chat]): [ChatId, Chat] => [id, { ...chat, turns: [] }]);
  return { ...state, chats: Object.fromEntries(chats) };
}

/** An earlier state, if the later one still has all of its turns; most of it is in these. */
function earlierPiece(
  earlier: EarlierState,
  { chats: later }: State,
): (Pick<EarlierRow, 'turns'> & { readonly bytes: Buffer }) | undefined {
  const state = earlier.read();
  if (!state) return undefined;
  const chats = Object.entries(state.chats);
  const isPart = chats.every(([id, { turns }]) => turns.every((turn, at) => turn === later[id]?.turns[at]));
  if (!isPart) return undefined;
  const bytes = Buffer.from(JSON.stringify(withoutTurns(state)));
  if (bytes.length > largeEarlier) return undefined;
  return { turns: Object.fromEntries(chats.map(([id, { turns }]) => [id, turns.length])), bytes };
}

/** The table is read in lines of so many turns, with other work in between. */
const rowsOfLine = 500;

/** A turn that nobody has looked at is copied as it is. */
function pieceOf(turn: EndedTurn, known: StoredTurns): Piece {
  const stored = known.get(turn);
  return stored?.file.piece(stored.row()) ?? newPiece(turn);
}

function newPiece(turn: EndedTurn): Piece {
  const { message, items } = turn;
  const isLong = JSON.stringify(message).length > longMessage;
  const bytes = Buffer.from(JSON.stringify(isLong ? { message, items } : { items }));
  const members = isLong ? (['message', 'items'] as const) : (['items'] as const);
  return { row: { members, known: knownFacts(turn), size: bytes.length, crc: crc32(bytes) }, bytes };
}

function signed(line: string): Buffer {
  return Buffer.from(`${crc32(line).toString(16)} ${line}\n`);
}

/** The last line of the file. */
function endIn(bytes: Buffer): EndLine | undefined {
  const from = bytes.lastIndexOf('\n', -2) + 1;
  const text = textOf(bytes.subarray(from, -1));
  const end = text && parsed<unknown>(text);
  const { format, session, at, head, lines } = isRecord(end) ? end : {};
  if (typeof format !== 'string' || typeof session !== 'string' || typeof lines !== 'number')
    return undefined;
  return typeof at === 'number' && typeof head === 'number'
    ? { format, session, at, head, lines }
    : undefined;
}

/** What a line says, if its checksum is right. */
function textOf(line: Buffer): Buffer | undefined {
  const space = line.indexOf(' ');
  const text = line.subarray(space + 1);
  return space > 0 && line.toString('latin1', 0, space) === crc32(text).toString(16) ? text : undefined;
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it is what was written there
function parsed<T>(bytes: Buffer): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a checksum has vouched for it
  return JSON.parse(bytes.toString('utf8')) as T;
}
