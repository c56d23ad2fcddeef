// The port to durable storage of session logs and the catalogue. Implemented under io, faked in tests.
import type { Entry, SessionId } from '../../model/event.ts';
import type { Clock } from '../ports.ts';
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
  /** The sessions whose work was not finished when they were last stored, without reading all of the catalogue where that can be helped. */
  unfinished(): readonly SessionId[];
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

/** A sound entry that only a newer program can read. Nothing is lost, but reading ends here as it does at damage. */
export class LogNewer extends LogDamage {
  readonly format: number;
  constructor(session: SessionId, seq: number, format: number) {
    super(
      session,
      seq,
      `Entry ${seq} was written by a newer version of Parley (log format ${format}); update Parley to read it.`,
    );
    this.name = 'LogNewer';
    this.format = format;
  }
}

/** What writing a log takes. */
export interface LogPorts {
  readonly store: LogStore;
  readonly clock: Clock;
  /** Where bugs and failures of the machine end up; never throws. */
  report(problem: unknown, about: string): void;
}
