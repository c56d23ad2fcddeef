// Finds a session by its ID, or by a prefix that is unique.
import type { SessionColumns, SessionRow } from '../../app/control/sessions.ts';
import type { Peer } from '../../rpc/peer.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import { otherVersion, startedHost } from '../client/controlClient.ts';

export async function findSessionById(wanted: string): Promise<SessionRow> {
  const host = await startedHost();
  try {
    return await findIn(host, wanted);
  } finally {
    host.close();
  }
}

export async function findIn(host: Peer, wanted: string): Promise<SessionRow> {
  const all = await sessionRows(host);
  const exact = all.find(({ id }) => id === wanted);
  if (exact) return exact;
  const [match, ...more] = wanted === '' ? [] : all.filter(({ id }) => id.startsWith(wanted));
  if (match === undefined) throw new Error(`Session "${wanted}" not found. Try: parley sessions list --all`);
  if (more.length > 0)
    throw new Error(`${more.length + 1} sessions start with "${wanted}". Use more characters of the ID.`);
  return match;
}

/** What `parley sessions list` shows. */
export async function sessionColumns(host: Pick<Peer, 'request'>, all: boolean): Promise<SessionColumns> {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer comes from our own host
    return (await host.request('sessions/columns', { all })) as SessionColumns;
  } catch (error) {
    const isUnknown = error instanceof RpcError && error.code === rpcCodes.methodNotFound;
    throw isUnknown ? new Error(otherVersion, { cause: error }) : error;
  }
}

async function sessionRows(host: Peer): Promise<readonly SessionRow[]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer comes from our own host
  return (await host.request('sessions/list', {})) as readonly SessionRow[];
}
