// A thin byte pipe between stdio and the host's private socket, starting the host when there is none. Looks into what passes only where the user wants to see it.
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { encodeHello, farewellMark } from '../../io/local/socketGreeting.ts';
import type { Farewell, Hello } from '../../io/local/socketGreeting.ts';
import { socketPath } from '../../io/settings/dataPaths.ts';
import type { View } from './logView.ts';
import { printError } from '../output.ts';

export async function pipe(wants: string, options: Hello['options'] = {}, view?: View): Promise<number> {
  const socket = await reach(socketPath(process.env));
  socket.write(encodeHello(wants, options));
  if (view?.bytes) process.stdin.on('data', view.bytes.incoming);
  process.stdin.pipe(socket);
  const ended = await flow(socket, view);
  process.stdin.destroy();
  if (ended === 'unread') return 0;
  if (!ended) {
    printError('parley: the host went away; nothing is lost. Start this server again to go on.\n');
    return 1;
  }
  if (ended.message !== undefined) printError(`parley: ${ended.message}\n`);
  return ended.exit;
}

/** Connects at once where a host runs; only otherwise is the code that starts one loaded. */
export async function reach(path: string): Promise<Socket> {
  return (await attempt(path)) ?? (await import('./background.ts')).startAndReach(path);
}

export function attempt(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      socket.on('error', () => socket.destroy());
      resolve(socket);
    });
    socket.once('error', () => resolve(undefined));
  });
}

/** Passes everything on to stdout until the host says goodbye, is suddenly gone, or nobody reads any more. */
function flow(socket: Socket, view: View | undefined): Promise<Farewell | 'unread' | undefined> {
  return new Promise((resolve) => {
    let last: Buffer | undefined;
    socket.on('data', (chunk: Buffer) => {
      const mark = last ? 0 : chunk.indexOf(farewellMark);
      const text = mark < 0 ? chunk : chunk.subarray(0, last ? 0 : mark);
      if (mark >= 0) last = Buffer.concat([last ?? Buffer.alloc(0), chunk.subarray(mark + (last ? 0 : 1))]);
      view?.bytes?.outgoing(text);
      if (text.length > 0 && !process.stdout.write(text)) {
        socket.pause();
        process.stdout.once('drain', () => socket.resume());
      }
    });
    process.stdout.on('error', () => {
      resolve('unread');
      socket.destroy();
    });
    socket.once('close', () => resolve(last && parseFarewell(last.toString('utf8'))));
  });
}

function parseFarewell(text: string): Farewell | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('exit' in value) || typeof value.exit !== 'number')
      return undefined;
    const message = 'message' in value && typeof value.message === 'string' ? { message: value.message } : {};
    return { exit: value.exit, ...message };
  } catch {
    return undefined;
  }
}
