// The client of our own commands on the host of this machine, which is started where none is running.
import type { Socket } from 'node:net';
import { errorText } from '../../base/errorText.ts';
import { lineWire } from '../../../client/lineWire.ts';
import { connectToHost, tryConnect } from '../stdio/reachHost.ts';
import { connectClient } from './hostClient.ts';
import type { HostClient } from './hostClient.ts';

export interface OpenOptions {
  /** The private socket of the host. */
  readonly path: string;
  /** Whether a lost host is restarted immediately; otherwise it is restarted by the next request. */
  readonly startsAgain: boolean;
  /** Gets the progress of a slow start, in place of standard error. */
  readonly tell?: ((progress: string) => void) | undefined;
}

export async function openHostClient(options: OpenOptions): Promise<HostClient> {
  const { path, startsAgain } = options;
  let first: Socket | undefined = await connectToHost(path, options.tell);
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
  // It takes milliseconds to load, in which no key is read; here nobody has typed yet, or has seen it.
  const { randomUUID } = await import('node:crypto');
  const clientId = `chat-${randomUUID()}`;
  const client = await connectClient({ clientId, wire: lineWire(connect), needed });
  tell = (progress) => client.reportProblem(progress);
  giveUp = (reason) => (startsAgain ? client.close(reason) : client.reportProblem(reason));
  return client;
}
