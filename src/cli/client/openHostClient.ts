// The client of our own commands on the host of this machine, which is started where none is running.
import type { Socket } from 'node:net';
import { errorText } from '../../base/errorText.ts';
import { lineWire } from '../../../client/lineWire.ts';
import { connectToHost, tryConnect } from '../stdio/reachHost.ts';
import { connectClient } from './hostClient.ts';
import type { HostClient } from './hostClient.ts';

export interface OpenOptions {
  readonly clientId: string;
  /** The private socket of the host. */
  readonly path: string;
  /** Whether a lost host is started again at once; otherwise when something is sent to it. */
  readonly startsAgain: boolean;
}

export async function openHostClient({ clientId, path, startsAgain }: OpenOptions): Promise<HostClient> {
  let first: Socket | undefined = await connectToHost(path);
  let isNeeded = startsAgain;
  let [tell, giveUp] = [(_: string) => {}, (_: string) => {}];
  const connect = async (): Promise<Socket | undefined> => {
    const found = first ?? (await tryConnect(path));
    first = undefined;
    if (found || !isNeeded) return found;
    isNeeded = startsAgain;
    try {
      // The terminal belongs to what is shown on it.
      return await connectToHost(path, tell);
    } catch (error) {
      giveUp(errorText(error));
      return undefined;
    }
  };
  const needed = () => {
    isNeeded = true;
  };
  const client = await connectClient({ clientId, wire: lineWire(connect), needed });
  tell = (progress) => client.reportProblem(progress);
  giveUp = (reason) => (startsAgain ? client.close(reason) : client.reportProblem(reason));
  return client;
}
