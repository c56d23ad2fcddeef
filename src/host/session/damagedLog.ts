// Reads a log around its damaged entries. What is lost is replaced by entries that mark the gap, so that
// everything after it still has its chat and its turn.
import type { Entry, Event, SessionId } from '../../model/event.ts';
import { reduce } from '../../model/reduce.ts';
import { emptyState } from '../../model/state.ts';
import type { Chat, State } from '../../model/state.ts';
import { LogDamage, LogNewer } from './logStore.ts';
import type { LogStore } from './logStore.ts';

/** Shown where entries were lost. */
export const gapText = 'A part of this session is damaged and cannot be shown here.';

/** The sound entries after a sequence number. Throws only what is not damage. */
export async function* soundEntries(
  store: Pick<LogStore, 'read'>,
  session: SessionId,
  after: number,
): AsyncGenerator<Entry> {
  for (let from: number | undefined = after; from !== undefined;) {
    try {
      for await (const entry of store.read(session, from)) yield entry;
      return;
    } catch (error) {
      if (!(error instanceof LogDamage)) throw error;
      from = error.next === undefined ? undefined : error.next - 1;
    }
  }
}

export interface EntriesRange {
  readonly after: number;
  /** Whether neighbouring pieces may come as one entry; not where something was lost. */
  readonly merged?: 'merged' | undefined;
  readonly damaged?: (damage: LogDamage) => void;
}

/** The entries after a sequence number, with replacements for lost ones. */
export async function* entriesAfter(
  store: Pick<LogStore, 'read'>,
  session: SessionId,
  { after, merged, damaged }: EntriesRange,
): AsyncGenerator<Entry> {
  let last = after;
  try {
    for await (const entry of store.read(session, after, merged)) {
      last = entry.seq;
      yield entry;
    }
  } catch (error) {
    if (!(error instanceof LogDamage)) throw error;
    // What replaces a lost entry depends on everything before it.
    for await (const entry of entriesAround(store, session, damaged)) if (entry.seq > last) yield entry;
  }
}

/** All entries from the first one on, with replacements for lost ones. `damaged` hears of each gap. */
export async function* entriesAround(
  store: Pick<LogStore, 'read'>,
  session: SessionId,
  damaged: (damage: LogDamage) => void = () => {},
): AsyncGenerator<Entry> {
  const around = new AroundGaps(session);
  for (let isDamaged = false; ; isDamaged = true) {
    try {
      for await (const entry of store.read(session, around.seq)) yield* around.take(entry);
      if (isDamaged) yield* around.end();
      return;
    } catch (error) {
      if (!(error instanceof LogDamage)) throw error;
      damaged(error);
      if (around.skip(error)) continue;
      if (!(error instanceof LogNewer)) yield* around.end();
      return;
    }
  }
}

/** Follows a log and fills its gaps when the next sound entry shows what was lost. */
export class AroundGaps {
  #state: State;
  /** Where reading goes on: the last entry, or the last lost one. */
  #seq = 0;

  constructor(session: SessionId) {
    this.#state = emptyState(session);
  }

  /** Where to read on. */
  get seq(): number {
    return this.#seq;
  }

  get state(): State {
    return this.#state;
  }

  /** Goes on behind lost entries; false if none follows. */
  skip({ next }: LogDamage): boolean {
    if (next === undefined) return false;
    this.#seq = next - 1;
    return true;
  }

  /** The entry, after replacements for what was lost before it. */
  take(entry: Entry): readonly Entry[] {
    const filled = entry.seq > this.#state.seq + 1 ? this.#fill(entry) : [];
    this.#seq = entry.seq;
    this.#state = reduce(this.#state, entry);
    return [...filled, entry];
  }

  /** Ends the turns and waits that nobody can end any more, because a damaged log is read-only. */
  end(): readonly Entry[] {
    return endsOf(this.#state).map((event) => this.#put(event));
  }

  #fill(next: Entry): readonly Entry[] {
    const room = next.seq - this.#state.seq - 1;
    const needed = replacements(this.#state, next).slice(-room);
    const silent = Array.from({ length: room - needed.length }, () => nothing);
    return [...needed, ...silent].map((event) => this.#put(event, next.at));
  }

  #put(event: Event, at = this.#state.modifiedAt): Entry {
    const { seq, pos } = this.#state;
    const entry: Entry = { seq: seq + 1, pos: pos + 1, at, by: { kind: 'host' }, event };
    this.#state = reduce(this.#state, entry);
    return entry;
  }
}

const nothing: Event = { kind: 'session.changed', changes: {} };

/** What must have been lost, because the next entry needs it; at least a notice where a turn is running. */
function replacements(state: State, { event, seq }: Entry): readonly Event[] {
  const events: Event[] = [];
  if (state.seq === 0)
    events.push({ kind: 'session.created', session: state.id, agent: state.agent, roots: state.roots });
  if ('chat' in event && event.kind !== 'chat.created') {
    const known = Object.hasOwn(state.chats, event.chat) ? state.chats[event.chat] : undefined;
    if (!known) events.push({ kind: 'chat.created', chat: event.chat, origin: { type: 'user' } });
    if ('turn' in event && event.turn !== undefined) {
      const isBegin = event.kind === 'turn.started' || event.kind === 'turn.resumed';
      events.push(...turnBefore(known, { chat: event.chat, turn: event.turn, isBegin, seq }));
    }
  }
  return marked(events, state);
}

interface NextTurn {
  readonly chat: string;
  readonly turn: string;
  /** Whether the next entry begins the turn itself. */
  readonly isBegin: boolean;
  readonly seq: number;
}

/** The end of another turn, and the beginning of the turn that the next entry is in. */
function turnBefore(known: Chat | undefined, { chat, turn, isBegin, seq }: NextTurn): readonly Event[] {
  const active = known?.active;
  if (active?.id === turn) return [];
  const before = known && active ? [endOf(known, active)] : [];
  if (isBegin || hasTurn(known, turn)) return before;
  const message = { id: `lost-${seq}`, text: gapText };
  return [...before, { kind: 'turn.started', chat, turn, message, queued: false }];
}

function marked(events: readonly Event[], state: State): readonly Event[] {
  if (events.length > 0) return events;
  return Object.values(state.chats).flatMap(({ id, active }) =>
    active
      ? [{ kind: 'notice.added', chat: id, turn: active.id, level: 'error', text: gapText } satisfies Event]
      : [],
  );
}

function endsOf(state: State): readonly Event[] {
  return Object.values(state.chats).flatMap((chat): readonly Event[] => [
    ...(chat.active ? [endOf(chat, chat.active)] : []),
    ...(chat.stopping ? [{ kind: 'chat.changed', chat: chat.id, stopping: null } satisfies Event] : []),
  ]);
}

function endOf({ id }: Chat, { id: turn }: NonNullable<Chat['active']>): Event {
  const problem = { code: 'damaged', message: gapText };
  return { kind: 'turn.ended', chat: id, turn, outcome: { kind: 'failed', problem } };
}

function hasTurn(chat: Chat | undefined, turn: string): boolean {
  return chat?.turns.some(({ id }) => id === turn) ?? false;
}
