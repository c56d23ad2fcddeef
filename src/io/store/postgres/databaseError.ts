// Errors of a PostgreSQL database: what they mean for the store, and in words without any password.
import { errorCode, errorText } from '../../../base/errorText.ts';
import { leaseLost } from '../../../host/session/logStore.ts';
import { StoreError } from '../sqlite/storeError.ts';
import type { StoreProblem } from '../sqlite/storeError.ts';
import type { Connection } from './connection.ts';

/** What our own functions raise. */
export const raised = { leaseLost: 'PL001', notOwner: 'PL002' } as const;

/** The five letters with which PostgreSQL names an error; undefined if it came from the connection. */
export function sqlState(error: unknown): string | undefined {
  const code = errorCode(error);
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && 'severity' in Object(error) ? code : undefined;
}

/**
 * Whether the connection is gone or the server cannot be used for now. Whether the statement was carried out
 * is then unknown.
 */
export function isBroken(error: unknown): boolean {
  if (error instanceof StoreError) return false;
  const state = sqlState(error);
  return state === undefined || unavailableClasses.has(state.slice(0, 2)) || unavailable.has(state);
}

/**
 * Connections, sign-in, a lack of disk or memory, shutdown and crash, failures of the machine: a restart or
 * an administrator can end them, and nothing is wrong with the statement.
 */
const unavailableClasses: ReadonlySet<string> = new Set(['08', '28', '53', '57', '58']);

/** No such database, read-only as after a failover, a conflict with another transaction. */
const unavailable: ReadonlySet<string> = new Set(['3D000', '25006', '40001', '40P01', '55P03']);

/** The state of an error if the server is there and refuses; undefined if it or the connection is gone. */
export function refusalState(error: unknown): string | undefined {
  const state = sqlState(error);
  return state?.startsWith('08') || state?.startsWith('57') ? undefined : state;
}

/** Makes an error of ours; `where` is the address of the database without the password. */
export function databaseError(error: unknown, doing: string, where: string): StoreError {
  if (error instanceof StoreError) return error;
  const state = sqlState(error);
  const known = state === undefined ? undefined : explained[state];
  if (known)
    return new StoreError(known.code, `${doing} failed: ${known.text} (${where}).`, { cause: error });
  const text = errorText(error, String(error));
  if (!isBroken(error))
    return new StoreError('unknown', `${doing} failed: ${text} (${where})`, { cause: error });
  const problem =
    refusalState(error) === undefined
      ? `cannot reach the database ${where}`
      : `the database ${where} refuses`;
  return new StoreError('unavailable', `${doing} failed: ${problem}: ${text}`, { cause: error });
}

/** A connection whose errors are ours. */
export function inWords(
  connection: Pick<Connection, 'query'>,
  doing: string,
  where: string,
): Pick<Connection, 'query'> {
  return {
    query: (query) =>
      connection.query(query).catch((error: unknown) => {
        throw databaseError(error, doing, where);
      }),
  };
}

const explained: { readonly [state: string]: { readonly code: StoreProblem; readonly text: string } } = {
  [raised.leaseLost]: { code: leaseLost, text: 'another host has taken over the lease of this one' },
  [raised.notOwner]: { code: leaseLost, text: 'this host does not own the session any more' },
  '28P01': { code: 'unavailable', text: 'the database refuses the password' },
  '28000': { code: 'unavailable', text: 'the database refuses this user' },
  '3D000': { code: 'unavailable', text: 'there is no such database' },
  '42501': { code: 'unavailable', text: 'the user of the database lacks a right' },
  '53100': { code: 'full', text: 'the disk of the database is full' },
  '23505': { code: 'conflict', text: 'an entry with this number exists already' },
  '25006': { code: 'unavailable', text: 'the database is read-only' },
};
