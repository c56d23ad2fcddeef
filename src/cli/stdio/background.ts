// Starts the host in the background and waits until it answers. Several processes that start it at the same time get the same host.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Socket } from 'node:net';
import { dataDirectory } from '../../io/settings/dataPaths.ts';
import { attempt } from './pipe.ts';

/** Both in milliseconds. */
const startTime = 20_000;
const retryDelay = 25;

export async function startAndReach(path: string): Promise<Socket> {
  const log = launch();
  const deadline = Date.now() + startTime;
  while (Date.now() < deadline) {
    const socket = await attempt(path);
    if (socket) return socket;
    await new Promise((resolve) => setTimeout(resolve, retryDelay));
  }
  throw new Error(`The host did not start within ${startTime / 1000} seconds. See ${log}.`);
}

/** The host outlives this process: it has its own process group, no terminal, and a working directory that stays. */
function launch(): string {
  const data = dataDirectory(process.env);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const log = join(data, 'host.log');
  const out = openSync(log, 'a', 0o600);
  const program = process.argv[1];
  if (program === undefined) throw new Error('Cannot find the program that starts the host.');
  spawn(process.execPath, [program, 'serve', '--background'], {
    cwd: existsSync(homedir()) ? homedir() : data,
    detached: true,
    stdio: ['ignore', out, out],
    windowsHide: true,
  }).unref();
  return log;
}
