// The client library in a browser: `import { connect } from 'parley/client'`.
import { socketWire } from './connection/socket.ts';
import type { ConnectOptions, Parley } from './api.ts';
import { openConnection } from './openConnection.ts';
import { answersAt, socketUrl } from './socketUrl.ts';

export type * from './api.ts';

export async function connect({ url, token, socket, name, timeout }: ConnectOptions): Promise<Parley> {
  if (socket !== undefined) throw new Error('A browser cannot open a socket file. Give `url` and `token`.');
  if (url === undefined) throw new Error('Give the `url` of the host.');
  const address = socketUrl(url, token);
  const isHostUp = () => answersAt(address);
  return openConnection({ wire: socketWire(address), isHostUp, name, timeout });
}
