// The client library in Node: `import { connect } from 'parley/client'`.
import { connect as connectSocket } from 'node:net';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { socketPath } from '../src/io/settings/dataPaths.ts';
import type { OpenWire } from './connection/wire.ts';
import type { ConnectOptions, Parley } from './api.ts';
import { lineWire } from './lineWire.ts';
import { openConnection } from './openConnection.ts';
import { answersAt, socketUrl } from './socketUrl.ts';

export type * from './api.ts';

/** Without an address it connects to the host of this machine, which must be running. */
export async function connect(options: ConnectOptions = {}): Promise<Parley> {
  const { url, token, socket, name, timeout } = options;
  if (url !== undefined && socket !== undefined) throw new Error('Give either `url` or `socket`.');
  if (url === undefined) {
    const path = socket ?? socketPath(process.env);
    const wire = lineWire(() => connectTo(path));
    // The socket file is the user's own, so nobody is refused there.
    return openConnection({ wire, isHostUp: () => Promise.resolve(false), name, timeout });
  }
  const address = socketUrl(url, token);
  return openConnection({ wire: webWire(address), isHostUp: () => answersAt(address), name, timeout });
}

function webWire(address: string): OpenWire {
  return ({ opened, received, closed }) => {
    const socket = new WebSocket(address);
    socket.once('open', opened);
    socket.on('message', (data, isBinary) => {
      if (!isBinary && Buffer.isBuffer(data)) received(data.toString());
    });
    socket.once('error', () => {});
    socket.once('close', closed);
    return {
      send: (text) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(text);
      },
      close: () => socket.close(),
    };
  };
}

function connectTo(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket(path);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}
