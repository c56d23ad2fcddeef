// A wire over the host's private socket: one message per line.
import type { Socket } from 'node:net';
import { encodeHello } from '../src/io/local/socketGreeting.ts';
import type { OpenWire } from './connection/wire.ts';

/** How long a host may leave unread what was sent last, in milliseconds. */
const lastWordsTime = 500;

/** `connect` is called for each connection; it rejects, or finds nothing, if there is no host. */
export function lineWire(connect: () => Promise<Socket | undefined>): OpenWire {
  return ({ opened, received, closed }) => {
    let socket: Socket | undefined;
    let isClosed = false;
    const begin = (found: Socket | undefined): void => {
      if (!found || isClosed) {
        found?.destroy();
        return closed();
      }
      socket = found;
      readLines(found, received);
      found.once('error', () => {});
      found.once('close', closed);
      found.write(encodeHello('ahp'));
      return opened();
    };
    void connect().then(begin, () => begin(undefined));
    return {
      send: (text) => void socket?.write(`${text}\n`),
      close: () => {
        isClosed = true;
        if (socket) closeSoon(socket);
      },
    };
  };
}

function readLines(socket: Socket, received: (line: string) => void): void {
  let pieces: string[] = [];
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    const [first = '', ...lines] = chunk.split('\n');
    pieces.push(first);
    if (lines.length === 0) return;
    const rest = lines.pop() ?? '';
    for (const line of [pieces.join(''), ...lines]) if (line.trim() !== '') received(line);
    pieces = [rest];
  });
}

/** A host that hangs closes nothing itself. */
function closeSoon(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), lastWordsTime);
  socket.once('close', () => clearTimeout(timer));
  socket.destroySoon();
}
