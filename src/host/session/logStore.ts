// The port to durable storage of session logs and the catalogue. Implemented under io, faked in tests.
import { errorText } from '../../base/errorText.ts';
import { reject } from '../../model/command.ts';
import type { Rejection } from '../../model/command.ts';
import type { Entry, SessionId } from '../../model/event.ts';
import type { State } from '../../model/state.ts';
import type { Links, SessionOwner } from '../ownership/hostLinks.ts';
import type { Clock } from '../ports.ts';
import type { Summary } from './summary.ts';

/**
 * One group commit: all of it is stored, or nothing; but what other hosts own by now keeps nothing else back.
 * `disk` waits until a power failure cannot undo it.
 */
export interface Batch {
  readonly entries: readonly { readonly session: SessionId; readonly entry: Entry }[];
  /** The summaries of the changed sessions, up to this batch. */
  readonly summaries: readonly Summary[];
  readonly sync: 'kernel' | 'disk';
}

/**
 * `merged` allows the store to give neighbouring pieces of a stream as one entry with the numbers of the last
 * one, as coalesce() does. `news` follows a session of another host; whoever opens a session does not wait
 * for it. `one` wants only the first entry.
 */
export type ReadHow = 'merged' | 'news' | 'one';

export interface LogStore<Shared extends SharedStore = SharedStore> {
  /** The summaries of all stored sessions, damaged ones included. */
  summaries(): readonly Summary[];
  /** The sessions with unfinished work; avoids reading the whole catalogue if possible. */
  unfinished(): readonly SessionId[];
  /**
   * The greatest position ever used, as far as this host knows; it never decreases, even after a crash.
   * Other hosts of the store may raise it.
   */
  head(): number;
  /** Takes a position for no entry, behind all that any host has used; `head` is not before it afterwards. */
  takePosition(): number | Promise<number>;
  /**
   * The entries after a sequence number, in order. Iterating throws LogDamage at an entry
   * that cannot be trusted.
   */
  read(session: SessionId, after?: number, how?: ReadHow): Iterable<Entry> | AsyncIterable<Entry>;
  /**
   * Returns or resolves when the batch is as durable as `sync` asks; otherwise throws and stores nothing, or
   * throws TakenOver. A store that is not shared takes a batch for the kernel also while one for the disk
   * waits for its sync.
   */
  write(batch: Batch): void | Promise<void>;
  remove(session: SessionId): void | Promise<void>;
  close(): void | Promise<void>;
  /** Present if the store keeps states of long sessions. */
  readonly states?: StoredStates;
  /** Present if several hosts can use the store at the same time. */
  readonly shared?: Shared;
}

/** States of sessions as they were once, so that a long log is not read from its beginning. */
export interface StoredStates {
  /** Undefined if there is none that can be trusted. The log may have other entries since. */
  read(session: SessionId): Promise<StoredState | undefined>;
  /** Stores it in the background, if that can be done. */
  write(stored: StoredState): Promise<void>;
}

export interface StoredState {
  readonly state: State;
  /** The time of its last entry. */
  readonly at: number;
  /** The states before its last turns, oldest first, for clients that come back. */
  readonly earlier?: readonly EarlierState[];
}

/** A state that is read when somebody wants it. */
export interface EarlierState extends Pick<State, 'seq' | 'pos'> {
  /** The time of its last entry. */
  readonly at: number;
  /** Undefined if it cannot be read. */
  readonly read: () => State | undefined;
}

/** What hosts on one store settle among each other. A session has at most one owner, who writes its log. */
export interface SharedStore {
  /** The name of this host; the same after a restart. */
  readonly name: string;
  /** The way to the other hosts; without it their sessions are only shown. */
  readonly links?: Links;
  /** Makes this host the owner of a session; returns the owner if another host that is alive has it. */
  claim(session: SessionId): Promise<SessionOwner | undefined>;
  /** Makes this host the owner of those sessions that no host has which is alive; returns these. */
  claimFree(sessions: readonly SessionId[]): Promise<readonly SessionId[]>;
  /** Who has a session now, if another host that is alive has it. Claims nothing. */
  ownerOf(session: SessionId): Promise<SessionOwner | undefined>;
  /** Keeps all hosts from using a position up to this one, which has been shown here. */
  reserve(pos: number): Promise<void>;
  /** Lets other hosts claim the session. Everything of it is stored by now. */
  release(session: SessionId): Promise<void>;
  /** Calls back with what other hosts change. */
  follow(follower: (change: ForeignChange) => void): void;
}

export type ForeignChange =
  | { readonly kind: 'changed'; readonly summary: Summary }
  | { readonly kind: 'removed'; readonly session: SessionId }
  /** The owners died with unfinished work in the sessions. */
  | { readonly kind: 'orphaned'; readonly sessions: readonly SessionId[] };

/** An entry is missing or corrupt; the entries before it are sound. */
export class LogDamage extends Error {
  readonly session: SessionId;
  readonly seq: number;
  /** The first sound entry after the damage; undefined if there is none. */
  next: number | undefined;
  constructor(session: SessionId, seq: number, message: string) {
    super(message);
    this.name = 'LogDamage';
    this.session = session;
    this.seq = seq;
  }
}

/** A sound entry that only a newer version can read. Nothing is lost, but reading ends here as at damage. */
export class LogNewer extends LogDamage {
  readonly format: number;
  constructor(session: SessionId, seq: number, format: number) {
    super(
      session,
      seq,
      `Entry ${seq} was written by a newer version of Parley (log format ${format}); update ` +
        'Parley to read it.',
    );
    this.name = 'LogNewer';
    this.format = format;
  }
}

/** Entries could not be stored, such as on a full disk, and were dropped. */
export class NotStored extends Error {
  constructor(cause: unknown) {
    super(`The session could not be stored: ${errorText(cause, String(cause))}`, { cause });
    this.name = 'NotStored';
  }
}

/** The code of a store's error if another host has taken the session over. */
export const leaseLost = 'lease-lost';

/** A batch was stored, except for the entries of these sessions: other hosts own them by now. */
export class TakenOver extends Error {
  readonly code = leaseLost;
  readonly sessions: ReadonlySet<SessionId>;
  constructor(sessions: ReadonlySet<SessionId>, cause: Error) {
    super(cause.message, { cause });
    this.name = 'TakenOver';
    this.sessions = sessions;
  }
}

/** Whether a write failed because another host owns the session by now, and says how its turns end. */
export function isTakenOver(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === leaseLost;
}

/** Whether a store cannot be reached for now; it may answer later. */
export function isAway(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'unavailable';
}

/** The refusal of everything that needs a store that is away. */
export const storeIsAway: Rejection = reject(
  'unavailable',
  'The database does not answer, so what this session has now cannot be read. Try again when it is back.',
);

/** A command for a session of another host has not been carried out. Nothing was changed. */
export class NotCarriedOut extends NotStored {
  readonly rejection: Rejection;
  constructor(rejection: Rejection) {
    super(rejection);
    this.name = 'NotCarriedOut';
    this.message = rejection.message;
    this.rejection = rejection;
  }
}

/** What writing a log takes. */
export interface LogPorts {
  readonly store: LogStore;
  readonly clock: Clock;
  /** Where bugs and failures of the machine end up; never throws. */
  report(problem: unknown, about: string): void;
}
