// What `parley sessions` asks of the running host over the control connection.
import * as z from 'zod';
import type { Host } from '../../host/host.ts';
import { present } from '../../base/present.ts';
import type { Summary } from '../../host/session/summary.ts';
import { entriesAfter } from '../../host/session/damagedLog.ts';
import type { DurableStore } from '../../io/store/durableStore.ts';
import { errorText } from '../../base/errorText.ts';
import { linesOfNamed } from '../../io/files/userFiles.ts';
import { isRejection } from '../../model/command.ts';
import type { Rejection } from '../../model/command.ts';
import type { Entry, Origin, SessionChanges } from '../../model/event.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import { readSession } from '../sessions/sessionFile.ts';
import { importSession } from '../sessions/sessionImport.ts';

/** `by` is who asks. */
export type ControlMethod = (params: unknown, signal: AbortSignal, by: Origin) => unknown;

export interface EntryPage {
  readonly entries: readonly Entry[];
  /** Whether there may be more after these. */
  readonly more: boolean;
  /** Why the log cannot be read further. */
  readonly damage?: string;
}

/** What a list shows of a session. */
export type SessionRow = Pick<
  Summary,
  'id' | 'title' | 'agent' | 'roots' | 'modifiedAt' | 'archived' | 'status' | 'damage' | 'newer'
>;

/**
 * The columns of a list, newest first. Thousands of sessions are written and read faster so than as an object
 * each.
 */
export interface SessionColumns {
  readonly id: readonly string[];
  readonly status: readonly string[];
  readonly title: readonly string[];
  readonly agent: readonly string[];
  readonly folder: readonly string[];
  readonly modifiedAt: readonly number[];
  /** The permission mode, where one was chosen. */
  readonly mode: readonly string[];
  /** The sessions that are left out: a short ID must begin none of them. */
  readonly hidden: readonly string[];
}

const by: Origin = { kind: 'client', door: 'control', client: 'parley', name: 'parley sessions' };

/** What one page may hold; a message between us is far larger. */
const pageEntries = 2_000;
const pageLetters = 4_000_000;

const searchParams = z.object({
  words: z.array(z.string().min(1)).min(1),
  limit: z.int().min(1).max(1_000),
  within: z.int().min(0).optional(),
});

function rowOf(summary: Summary): SessionRow {
  const { id, title, agent, roots, modifiedAt, archived, status, damage, newer } = summary;
  return {
    id,
    title,
    agent,
    roots,
    modifiedAt,
    archived,
    status,
    ...(damage === undefined ? {} : { damage }),
    ...(newer ? { newer } : {}),
  };
}

function columnsOf(started: readonly Summary[], all: boolean): SessionColumns {
  const isListed = ({ archived }: Summary) => all || !archived;
  const listed = started.filter(isListed);
  return {
    hidden: started.flatMap((each) => (isListed(each) ? [] : [each.id])),
    id: listed.map(({ id }) => id),
    status: listed.map(shownStatus),
    title: listed.map(({ title }) => title),
    agent: listed.map(({ agent }) => agent),
    folder: listed.map(({ roots }) => roots[0] ?? ''),
    modifiedAt: listed.map(({ modifiedAt }) => modifiedAt),
    mode: listed.map(({ autonomy }) => autonomy ?? ''),
  };
}

function shownStatus({ status, archived, damage, newer }: Summary): string {
  if (newer) return 'newer';
  if (damage !== undefined) return 'damaged';
  return archived ? 'archived' : status;
}

export function sessionMethods(host: Host, store: DurableStore): { readonly [name: string]: ControlMethod } {
  return {
    'sessions/list': (params) => {
      const { whole } = read(z.object({ whole: z.boolean().default(false) }), params);
      const listed = host.summaries().filter(({ started }) => started);
      return whole ? listed : listed.map(rowOf);
    },
    'sessions/columns': (params) => {
      const { all } = read(z.object({ all: z.boolean() }), params);
      return columnsOf(
        host.summaries().filter(({ started }) => started),
        all,
      );
    },
    'sessions/search': async (params, signal) => {
      const { within, ...query } = read(searchParams, params);
      const result = await host.search({ ...query, within, signal });
      return within === undefined ? result.hits : result;
    },
    'sessions/entries': async (params) => {
      const { id, after } = read(z.object({ id: z.string(), after: z.int().min(0) }), params);
      return pageOf(host, store, { id, after });
    },
    'sessions/change': async (params) => {
      const { id, title, archived } = read(
        z.object({ id: z.string(), title: z.string().min(1).optional(), archived: z.boolean().optional() }),
        params,
      );
      const session = accepted(await host.open(id));
      const changes: SessionChanges = {
        ...(title === undefined ? {} : { title }),
        ...(archived === undefined ? {} : { archived }),
      };
      accepted(session.dispatch({ kind: 'changeSession', changes }, by));
      await session.settled();
      return null;
    },
    'sessions/delete': async (params) => {
      accepted(await host.remove(read(z.object({ id: z.string() }), params).id));
      return null;
    },
    'sessions/import': async (params) => {
      const { file, roots } = read(z.object({ file: z.string(), roots: z.array(z.string()) }), params);
      const found = await linesOfNamed(file, roots);
      if ('refused' in found) throw refusal(found.refused);
      const session = await readSession(found.lines).catch((error: unknown) => ({
        problem: errorText(error, 'It cannot be read.'),
      }));
      if ('problem' in session) throw refusal(`${found.path} cannot be imported: ${session.problem}`);
      const imported = await importSession(host, { session, roots });
      if ('problem' in imported) throw refusal(`${found.path} cannot be imported: ${imported.problem}`);
      return imported;
    },
    'sessions/verify': async () => {
      const found = await store.verify();
      for (const { session } of found) if (session !== undefined) await listDamage(host, session);
      return found;
    },
  };
}

/** The list learns of damage when a session is opened; who only reads the log finds it as well. */
async function listDamage(host: Host, id: string): Promise<void> {
  if (host.summary(id)?.damage === undefined) await host.open(id);
}

async function pageOf(
  host: Host,
  store: DurableStore,
  { id, after }: { id: string; after: number },
): Promise<EntryPage> {
  if (!host.summary(id)) throw refusal(`There is no session ${id}.`);
  const shown = host.opened(id)?.state.seq ?? Infinity;
  const entries: Entry[] = [];
  let [letters, more] = [0, false];
  let damage: string | undefined;
  const damaged = ({ message }: Error) => (damage ??= message);
  for await (const entry of entriesAfter(store, id, { after, damaged })) {
    if (entry.seq > shown) break;
    entries.push(entry);
    letters += JSON.stringify(entry.event).length;
    more = entries.length >= pageEntries || letters >= pageLetters;
    if (more) break;
  }
  if (damage !== undefined) await listDamage(host, id);
  return { entries, more, ...present({ damage }) };
}

function read<T>(schema: z.ZodType<T>, params: unknown): T {
  const result = schema.safeParse(params);
  if (!result.success)
    throw new RpcError(
      rpcCodes.invalidParams,
      'This host does not understand that; it may be of another version. Stop it with parley ' +
        'stop and try again.',
    );
  return result.data;
}

function accepted<T>(value: T | Rejection): T {
  if (isRejection(value)) throw refusal(value.message);
  return value;
}

function refusal(message: string): RpcError {
  return new RpcError(rpcCodes.invalidParams, message);
}
