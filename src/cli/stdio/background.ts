// Starts the host in the background and waits until it can be reached. Several starters at once end up with one host.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Socket } from 'node:net';
import { dataDirectory } from '../../io/settings/dataPaths.ts';
import { attempt } from './pipe.ts';

const patience = 20_000;
const pause = 25;

export async function startAndReach(path: string): Promise<Socket> {
  const log = launch();
  const deadline = Date.now() + patience;
  while (Date.now() < deadline) {
    const socket = await attempt(path);
    if (socket) return socket;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  throw new Error(`the host did not start within ${patience / 1000} seconds; ${log} may say why.`);
}

/** The host outlives whoever needed it first: own process group, no terminal, a working directory nobody misses. */
function launch(): string {
  const data = dataDirectory(process.env);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const log = join(data, 'host.log');
  const out = openSync(log, 'a', 0o600);
  const program = process.argv[1];
  if (program === undefined) throw new Error('cannot find the program to start the host with.');
  spawn(process.execPath, [program, 'serve', '--background'], {
    cwd: existsSync(homedir()) ? homedir() : data,
    detached: true,
    stdio: ['ignore', out, out],
    windowsHide: true,
  }).unref();
  return log;
}
