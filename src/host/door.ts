// The interface of a door: it serves one connection of its protocol until the connection ends. A client on
// stdio is connected through a pipe that outlives its host.
import type { Autonomy } from '../model/event.ts';
import type { Host } from './host.ts';
import type { Role } from './policy/roles.ts';

/** Who is connected, and what they may do. */
export interface Caller {
  /** The principal whose credential was used. */
  readonly principal: string;
  /** Absent means everything. */
  readonly role?: Role;
  /** The name of the signed-in device that the client runs on; absent on this machine. */
  readonly device?: string;
  /** The permission mode with most freedom that it may choose; absent means any. */
  readonly most?: Autonomy;
}

export interface Door<Connection> {
  readonly name: string;
  serve(connection: Connection, host: Host): Promise<void>;
}

/** The messages between a pipe and a host. The client of the pipe sees none of them. */
export const pipeMethods = {
  /** From the host: the pipe keeps a value for the next host; null removes it. */
  keep: '_parley/keep',
  /** From the host: how many messages of the connection it has handled and stored. */
  taken: '_parley/taken',
  /** To the next host: everything that was kept. Chats are opened and send nothing yet. */
  resume: '_parley/resume',
  /** To the next host: a request that the last one did not answer. */
  again: '_parley/again',
  /** To the next host: the client gets what it has missed, and everything new. */
  live: '_parley/live',
} as const;

/** The member of `_meta` in which a pipe names a request, so that it has an effect only once. */
export const requestKey = 'parley/request';

/**
 * The member of `_meta` in which a host names the question of a request to a pipe. The next host asks under
 * the same name; another question may have the same words.
 */
export const askKey = 'parley/ask';

/** The data of an error that says that the store is away for now: a pipe makes its request again later. */
export const awayStore = { code: 'unavailable' } as const;

/** The error of a request that ended with its host. */
export const interruptedRequest = {
  message: 'The request was interrupted because the host was restarted. Send it again.',
  data: { code: 'interrupted' },
} as const;
