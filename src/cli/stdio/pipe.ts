// A byte pipe between stdio and the host's private socket. Starts the host if none is running.
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { errorText } from '../../base/errorText.ts';
import { isRecord } from '../../base/isRecord.ts';
import { present } from '../../base/present.ts';
import { encodeHello, farewellMark } from '../../io/local/socketGreeting.ts';
import type { Farewell, Hello } from '../../io/local/socketGreeting.ts';
import { socketPath } from '../../io/settings/dataPaths.ts';
import type { LogView } from './logView.ts';
import { printError } from '../output.ts';

export async function pipe(wants: string, options: Hello['options'] = {}, view?: LogView): Promise<number> {
  const socket = await connectToHost(socketPath(process.env)).catch(async (error: unknown) => {
    await (await import('./refuseClient.ts')).refuseClient(wants, errorText(error, String(error)));
    throw error;
  });
  socket.write(encodeHello(wants, options));
  const stopWaiting = noticeSilence(socket);
  if (view?.bytes) process.stdin.on('data', view.bytes.incoming);
  process.stdin.pipe(socket);
  const ended = await copyOutput(socket, view);
  stopWaiting();
  process.stdin.destroy();
  if (ended === 'unread') return 0;
  if (!ended) {
    printError('parley: Lost the connection to the host. Nothing is lost; start this command again.\n');
    return 1;
  }
  if (ended.message !== undefined) printError(`parley: ${ended.message}\n`);
  return ended.exit;
}

/** How long a host may take for its first answer before we say so, in milliseconds. */
const silenceTime = 3_000;

/** Says on stderr when a host has accepted the connection but answers nothing that the client has sent. */
function noticeSilence(socket: Socket): () => void {
  let timer: NodeJS.Timeout | undefined;
  const complain = () => printError(`parley: The host has not answered yet. ${silentHost}\n`);
  const asked = () => (timer ??= setTimeout(complain, silenceTime).unref());
  const stop = () => {
    clearTimeout(timer);
    process.stdin.off('data', asked);
  };
  process.stdin.on('data', asked);
  socket.once('data', stop);
  return stop;
}

/** What to do about a host that runs but does not react. */
export const silentHost = 'If it stays busy, "parley stop" ends it, and the next command starts a new one.';

/** Connects to the running host. The code that starts a host is loaded only if there is none. */
export async function connectToHost(path: string): Promise<Socket> {
  return (await tryConnect(path)) ?? (await import('./background.ts')).startAndReach(path);
}

export function tryConnect(path: string): Promise<Socket | undefined> {
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

/**
 * Copies everything to stdout until the host ends the connection, disappears (undefined), or stdout
 * is closed (`unread`).
 */
function copyOutput(socket: Socket, view: LogView | undefined): Promise<Farewell | 'unread' | undefined> {
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
    if (!isRecord(value) || typeof value['exit'] !== 'number') return undefined;
    const message = typeof value['message'] === 'string' ? value['message'] : undefined;
    return present({ exit: value['exit'], message });
  } catch {
    return undefined;
  }
}
