// Finds a session by its id, or by any beginning of it that fits one session alone.
import type { Summary } from '../../host/session/summary.ts';
import type { Peer } from '../../rpc/peer.ts';
import { hostControl } from '../client/controlClient.ts';

export async function findSession(wanted: string): Promise<Summary> {
  const host = await hostControl('start');
  if (!host) throw new Error('the host cannot be reached.');
  try {
    return await findIn(host, wanted);
  } finally {
    host.close();
  }
}

export async function findIn(host: Peer, wanted: string): Promise<Summary> {
  const all = await summaries(host);
  const exact = all.find(({ id }) => id === wanted);
  const fitting = exact ? [exact] : wanted === '' ? [] : all.filter(({ id }) => id.startsWith(wanted));
  const [only] = fitting;
  if (only === undefined)
    throw new Error(`there is no session ${wanted}; parley sessions list --all shows them.`);
  if (fitting.length > 1)
    throw new Error(`${fitting.length} sessions begin with ${wanted}; write more of the id.`);
  return only;
}

export async function summaries(host: Peer): Promise<readonly Summary[]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own host says what our own program reads
  return (await host.request('sessions/list', {})) as readonly Summary[];
}
