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
  /** Called when the host has been greeted: loads something while it answers. */
  readonly meanwhile?: (() => Promise<unknown>) | undefined;
}

export async function openHostClient(options: OpenOptions): Promise<HostClient> {
  const { path, startsAgain, meanwhile } = options;
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
  const greeting = connectClient({ clientId: newClientId(), wire: lineWire(connect), needed });
  // Loading takes the processor for milliseconds, so the greeting is sent first.
  const loading = meanwhile && new Promise((resolve) => setImmediate(resolve)).then(meanwhile);
  const [client] = await Promise.all([greeting, loading]);
  tell = (progress) => client.reportProblem(progress);
  giveUp = (reason) => (startsAgain ? client.close(reason) : client.reportProblem(reason));
  return client;
}

/** Names one connection and is no secret. The module for better random numbers would delay the greeting. */
function newClientId(): string {
  return `chat-${process.pid}-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
}
