// Connects to the host's private socket. Starts the host if none is running.
import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** No host answers, and none can be started. The command ends with the code for that. */
export class NoHostError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NoHostError';
  }
}

/** A start was late or failed. Another may succeed: the machine was busy, or the host was killed. */
export class FailedStartError extends NoHostError {
  /** Whether the database cannot be reached for now. */
  readonly isStoreAway: boolean;

  constructor(message: string, isStoreAway = false) {
    super(message);
    this.isStoreAway = isStoreAway;
  }
}

/** What to do about a host that runs but does not react. */
export const silentHost = 'If it stays busy, "parley stop" ends it, and the next command starts a new one.';

/**
 * Connects to the running host. The code that starts a host is loaded only if there is none. `tell` gets the
 * progress of a slow start, in place of standard error.
 */
export async function connectToHost(path: string, tell?: (progress: string) => void): Promise<Socket> {
  return (await tryConnect(path)) ?? (await import('./background.ts')).startAndReach(path, tell);
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
