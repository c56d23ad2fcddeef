// The client library in Node: `import { connect } from 'parley/client'`.
import { connect as connectSocket } from 'node:net';
import { WebSocket } from 'ws';
import { encodeHello } from '../src/io/local/socketGreeting.ts';
import { socketPath } from '../src/io/settings/dataPaths.ts';
import type { OpenWire } from './connection/wire.ts';
import type { ConnectOptions, Parley } from './api.ts';
import { openConnection } from './openConnection.ts';
import { answersAt, socketUrl } from './socketUrl.ts';

export type * from './api.ts';

/** Without an address it connects to the host of this machine, which must be running. */
export async function connect(options: ConnectOptions = {}): Promise<Parley> {
  const { url, token, socket, name, timeout } = options;
  if (url !== undefined && socket !== undefined) throw new Error('Give either `url` or `socket`.');
  if (url === undefined) {
    const wire = fileWire(socket ?? socketPath(process.env));
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

/** One message per line over the host's private socket. */
function fileWire(path: string): OpenWire {
  return ({ opened, received, closed }) => {
    const socket = connectSocket(path);
    let rest = '';
    socket.setEncoding('utf8');
    socket.once('connect', () => {
      socket.write(encodeHello('ahp'));
      opened();
    });
    socket.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') received(line);
    });
    socket.once('error', () => {});
    socket.once('close', closed);
    return {
      send: (text) => void socket.write(`${text}\n`),
      close: () => void socket.end(),
    };
  };
}
