// The sockets in the file system that programs of this machine listen on: docker, agents for keys, message
// buses, our own host. A read-only view does not keep a program from connecting to one.
import { readFileSync } from 'node:fs';

export function unixSockets(): readonly string[] {
  try {
    return socketsIn(readFileSync('/proc/net/unix', 'utf8'));
  } catch {
    return [];
  }
}

/** Flag of a socket that accepts connections. */
const accepting = 0x10000;

/** Lines are: address, references, protocol, flags, type, state, inode, path. */
export function socketsIn(table: string): readonly string[] {
  const paths = table.split('\n').flatMap((line) => {
    // Most have no path in the file system.
    if (!line.includes(' /')) return [];
    const [, flags = '', path = ''] = /^\S+ \S+ \S+ (\S+) \S+ \S+\s+\S+ (\/.*)$/.exec(line) ?? [];
    // Datagram sockets accept messages without being in that state; they are hidden, too.
    const isStream = / 0001 /.test(line);
    return path !== '' && (!isStream || (Number.parseInt(flags, 16) & accepting) !== 0) ? [path] : [];
  });
  return [...new Set(paths)];
}
