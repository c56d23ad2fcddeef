// What the host needs of the world, and no more: storage, time and ids. Implemented under io, faked in tests.
import type { Entry, SessionId } from '../model/event.ts';
import type { Summary } from './summary.ts';

/** One group commit: all of it is stored, or nothing. `disk` waits until a power cut cannot undo it. */
export interface Batch {
  readonly entries: readonly { readonly session: SessionId; readonly entry: Entry }[];
  /** The catalogue rows of the sessions touched, derived from their entries up to this batch. */
  readonly summaries: readonly Summary[];
  readonly sync: 'kernel' | 'disk';
}

export interface LogStore {
  /** The catalogue: every stored session, damaged ones included. */
  summaries(): readonly Summary[];
  /** The greatest position ever given out; it never runs backwards, also after a crash. */
  head(): number;
  /** The entries after a sequence number in order. Iterating throws LogDamage where an entry cannot be trusted. */
  read(session: SessionId, after?: number): Iterable<Entry> | AsyncIterable<Entry>;
  /** Returns, or resolves, once the batch has reached what `sync` asks for; throws and stores nothing otherwise. */
  write(batch: Batch): void | Promise<void>;
  remove(session: SessionId): void | Promise<void>;
  close(): void | Promise<void>;
}

/** An entry is missing or not what was written; what came before it is sound. */
export class LogDamage extends Error {
  readonly session: SessionId;
  readonly seq: number;
  constructor(session: SessionId, seq: number, message: string) {
    super(message);
    this.name = 'LogDamage';
    this.session = session;
    this.seq = seq;
  }
}

export interface Clock {
  now(): number;
  /** Runs a function after what is happening now, before time passes. */
  defer(run: () => void): void;
  /** Runs a function later; the returned function takes it back. */
  after(milliseconds: number, run: () => void): () => void;
}

export interface Ids {
  next(): string;
}

export interface World {
  readonly store: LogStore;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Where bugs and failures of the outside end up; never throws. */
  report(problem: unknown, about: string): void;
}
