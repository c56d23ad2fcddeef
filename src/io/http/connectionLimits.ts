// Keeps room at a server for those who have something to show: of the connections that have shown nothing,
// only the newest stay.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface UnauthenticatedConnections {
  /** The connection is authenticated and is never dropped to make room. */
  knows(connection: Duplex): void;
}

/** At most `all` connections; a quarter of them may be unauthenticated. */
export function roomFor(server: Server, all: number): UnauthenticatedConnections {
  const waiting = new Map<string, Socket>();
  server.maxConnections = all;
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    waiting.set(name, socket);
    socket.once('close', () => waiting.get(name) === socket && waiting.delete(name));
    const [oldest] = waiting.size > all / 4 ? waiting : [];
    if (!oldest) return;
    waiting.delete(oldest[0]);
    oldest[1].destroy();
  });
  return { knows: (connection) => void waiting.delete(nameOf(connection)) };
}

/** An encrypted connection is another object than the one it was made of, from the same place. */
function nameOf(
  connection: Duplex & {
    readonly remoteAddress?: string | undefined;
    readonly remotePort?: number | undefined;
  },
): string {
  return `${connection.remoteAddress} ${connection.remotePort}`;
}
