// Starts the host in the background and waits until it answers. Several processes that start it at the same
// time get the same host.
import { spawn } from 'node:child_process';
import { existsSync, openSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Socket } from 'node:net';
import { errorText } from '../../base/errorText.ts';
import { visibleText } from '../../base/visibleText.ts';
import { dataDirectory } from '../../io/settings/dataPaths.ts';
import { callVariable } from '../../rpc/processes/strayProcesses.ts';
import { makeFolders, privateFile } from '../../io/files/privateFiles.ts';
import { readHolder } from '../../io/store/lockHolder.ts';
import { printError } from '../output.ts';
import { FailedStartError, NoHostError, silentHost, tryConnect } from './reachHost.ts';

/** All in milliseconds. */
const startTime = 20_000;
const noticeTime = 5_000;
const retryDelay = 10;
const launchDelay = 500;

/** The code with which a host in the background ends if its database cannot be reached. */
const awayStoreExit = 75;

export async function startAndReach(
  path: string,
  tell = (progress: string) => printError(`parley: ${progress}\n`),
): Promise<Socket> {
  let host = launch();
  const started = performance.now();
  let [isTold, launched] = [false, 0];
  for (let waited = 0; waited < startTime; waited = performance.now() - started) {
    const reason = host.failure();
    const socket = await tryConnect(path);
    if (socket) return socket;
    const obstacle = host.unreachable();
    if (obstacle !== undefined) throw new NoHostError(obstacle);
    if (reason !== undefined)
      throw new FailedStartError(`The host did not start: ${reason} See ${host.log}.`, host.isStoreAway());
    if (host.isAbandoned() && waited - launched > launchDelay) {
      launched = waited;
      host = launch();
    }
    if (!isTold && waited > noticeTime) {
      isTold = true;
      tell(`Waiting for the host. ${host.progress()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, retryDelay));
  }
  throw new FailedStartError(
    `The host did not start within ${startTime / 1000} seconds. ${host.progress()} See ${host.log}.`,
  );
}

interface Launch {
  readonly log: string;
  /**
   * The last line of a host that has failed; undefined while it starts, and if it found
   * another host that runs.
   */
  readonly failure: () => string | undefined;
  /** Whether it has failed because the database cannot be reached. */
  readonly isStoreAway: () => boolean;
  /** Names the process in the way, if it never will answer. */
  readonly unreachable: () => string | undefined;
  /** Whether it left the start to another host that has ended since, for example because it was killed. */
  readonly isAbandoned: () => boolean;
  /** Why the host cannot be reached yet. */
  readonly progress: () => string;
}

/**
 * The host outlives this process: it has its own process group, no terminal, and a working
 * directory that stays.
 */
function launch(): Launch {
  const data = dataDirectory(process.env);
  const log = join(data, 'host.log');
  const out = openLog(data, log);
  const logStart = statSync(log).size;
  const program = process.argv[1];
  if (program === undefined) throw new NoHostError('Cannot find the program that starts the host.');
  // The host must not end with the call of an agent that has started it.
  const { [callVariable]: _, ...env } = process.env;
  const host = spawn(process.execPath, [program, 'serve', '--background'], {
    env,
    cwd: existsSync(homedir()) ? homedir() : data,
    detached: true,
    stdio: ['ignore', out, out],
    windowsHide: true,
  });
  host.unref();
  return {
    log,
    failure: () =>
      (host.exitCode ?? 0) === 0 && host.signalCode === null ? undefined : lastLine(log, logStart),
    isStoreAway: () => host.exitCode === awayStoreExit,
    unreachable: () => (host.exitCode === 0 ? standaloneHost(data) : undefined),
    isAbandoned: () => host.exitCode === 0 && readHolder(data).pid === undefined,
    progress: () =>
      host.exitCode === 0 ? otherHost(data) : `It is still starting (process ${host.pid ?? 'unknown'}).`,
  };
}

function openLog(data: string, log: string): number {
  try {
    makeFolders(data);
    privateFile(log);
    return openSync(log, 'a');
  } catch (error) {
    throw new NoHostError(
      `The host did not start: its data directory ${data} cannot be used (${errorText(error)}). ` +
        'Set PARLEY_HOME to a folder that you can write to.',
    );
  }
}

/** A standalone holds the data directory for one editor. */
function standaloneHost(data: string): string | undefined {
  const { pid, alone } = readHolder(data);
  return alone
    ? `Process ${pid} runs with --standalone and holds the data directory ${data}. End it, or set PARLEY_HOME.`
    : undefined;
}

function otherHost(data: string): string {
  const { pid } = readHolder(data);
  const name = pid === undefined ? 'Another process' : `Process ${pid}`;
  return `${name} holds the data directory and does not answer. ${silentHost}`;
}

function lastLine(log: string, start: number): string {
  const lines = readFileSync(log).subarray(start).toString('utf8').trim().split('\n');
  return visibleText(lines.at(-1)?.replace(/^parley: /, '') || 'It gave no reason.');
}
