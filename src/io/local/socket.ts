// The private local socket. The first line of a connection names its purpose, the rest is that protocol. Only
// the owner can connect.
import { chmodSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { Writable } from 'node:stream';
import { farewellMark } from './socketGreeting.ts';
import type { Farewell, Hello } from './socketGreeting.ts';

const newline = 10;
const maxHello = 16 * 1024;
const helloWait = 5_000;

export interface LocalServer {
  /** Accepts no more connections; open ones stay open. */
  close(): void;
}

export type Welcome = (hello: Hello, socket: Socket) => void;

/**
 * The caller must hold the data directory's lock, because a socket that a dead host left behind is removed.
 */
export async function listenLocal(path: string, welcome: Welcome): Promise<LocalServer> {
  if (process.platform !== 'win32') rmSync(path, { force: true });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    readHello(socket, welcome);
  });
  await listening(server, path);
  if (process.platform !== 'win32') chmodSync(path, 0o600);
  return { close: () => void server.close() };
}

/** Closes a connection with a farewell. */
export function sendFarewell(socket: Socket, words: Farewell): void {
  if (socket.writable) socket.end(encodeFarewell(words));
}

/** The writing half of a connection; sends the farewell when it ends. */
export function withFarewell(socket: Socket, words: () => Farewell): Writable {
  const writable = new Writable({
    highWaterMark: socket.writableHighWaterMark,
    decodeStrings: false,
    write: (chunk: string | Buffer, encoding, done) => void socket.write(chunk, encoding, done),
    final: (done) => void socket.end(encodeFarewell(words()), () => done()),
    destroy: (error, done) => {
      socket.destroySoon();
      done(error);
    },
  });
  socket.once('close', () => writable.destroy());
  return writable;
}

function encodeFarewell(words: Farewell): Buffer {
  return Buffer.concat([Buffer.from([farewellMark]), Buffer.from(`${JSON.stringify(words)}\n`)]);
}

/** Creates the socket with a strict umask, so that others can never connect. */
function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const mask = process.umask(0o177);
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
    process.umask(mask);
  });
}

function readHello(socket: Socket, welcome: Welcome): void {
  let seen: Buffer = Buffer.alloc(0);
  const late = setTimeout(() => socket.destroy(), helloWait);
  const read = (chunk: Buffer) => {
    seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
    const end = seen.indexOf(newline);
    if (end < 0 && seen.length < maxHello) return;
    clearTimeout(late);
    socket.off('data', read);
    socket.pause();
    const hello = end < 0 ? undefined : parseHello(seen.toString('utf8', 0, end));
    if (!hello)
      return sendFarewell(socket, {
        exit: 2,
        message: 'This is the private socket of a Parley host of another version.',
      });
    if (end + 1 < seen.length) socket.unshift(seen.subarray(end + 1));
    welcome(hello, socket);
  };
  socket.on('data', read);
  socket.once('close', () => clearTimeout(late));
}

function parseHello(line: string): Hello | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isHello(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isHello(value: unknown): value is Hello {
  if (
    typeof value !== 'object' ||
    value === null ||
    !('parley' in value) ||
    !('wants' in value) ||
    !('options' in value)
  )
    return false;
  const { parley, wants, options } = value;
  return (
    parley === 1 &&
    typeof wants === 'string' &&
    typeof options === 'object' &&
    options !== null &&
    Object.values(options).every((option) => typeof option === 'string')
  );
}
