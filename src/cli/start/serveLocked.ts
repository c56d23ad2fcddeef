// The host of `parley serve` in the foreground. It owns the data directory, the private socket and the port
// until it stops.
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { App } from '../../app/app.ts';
import { listeningOn } from '../../app/listening.ts';
import type { Listening } from '../../app/listening.ts';
import { openHost } from '../../app/openHost.ts';
import { serveHost } from '../../app/serveHost.ts';
import type { ServedHost } from '../../app/serveHost.ts';
import { isLoopback } from '../../io/http/hostNames.ts';
import { watchSignals } from '../../io/processes/signalWatchdog.ts';
import type { Lock } from '../../io/store/lock.ts';
import type { StorePlace } from '../../io/store/storeUrl.ts';
import { UsageError } from '../say.ts';
import { print, printError } from '../output.ts';
import { replacedAndIdle, replacedWords } from './replacedProgram.ts';
import type { ServeFlags } from './serve.ts';

declare const PARLEY_VERSION: string;

const defaultPort = 4517;

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export async function serveLocked(
  flags: ServeFlags,
  { store, lock }: { readonly store: StorePlace; readonly lock: Lock },
): Promise<number> {
  const lost = new AbortController();
  const replaced = new AbortController();
  const ended = new AbortController();
  const app = await openHost(process.env, { store, lock, onLost: () => lost.abort() });
  if ('heldBy' in app) throw new Error('The host lost its locks while it started.');
  // As soon as the host listens, a client may stop it.
  for (const signal of signals) process.once(signal, () => ended.abort());
  ended.signal.addEventListener('abort', killIfLate);
  const { listening, served } = await listen(app, flags);
  followProcess(app);
  const stopping = AbortSignal.any([lost.signal, replaced.signal, ended.signal]);
  const program = { file: fileURLToPath(import.meta.url), sessions: () => app.host.openSessions() };
  void replacedAndIdle(program, stopping).then((isReplaced) => isReplaced && replaced.abort());
  print(
    `Parley ${PARLEY_VERSION} is listening on ${served.address} (AHP at ` +
      `${served.address.replace('http', 'ws')}ahp, token in ${app.paths.token}).\n`,
  );
  if (!flags.background) await greet(listening, served, flags.open);
  stopping.addEventListener('abort', () => void served.stop());
  if (stopping.aborted) void served.stop();
  await served.stopRequested;
  // Pipes and commands start the next host in the background; a service starts what has failed.
  if (replaced.signal.aborted) return endEarly(served, replacedWords, flags.background ? 0 : 1);
  return lost.signal.aborted ? endEarly(served, lostWords, 3) : closeInTime(served);
}

const lostWords =
  'Another host has taken over the sessions of this one in the database, because this one did not renew ' +
  'its lease in time. It ends now; start it again.';

async function endEarly(served: ServedHost, words: string, code: number): Promise<number> {
  printError(`parley: ${words}\n`);
  await closeInTime(served);
  return code;
}

/** Closes the app if it cannot be served, so that a start that fails leaves nothing behind. */
async function listen(
  app: App,
  flags: ServeFlags,
): Promise<{ readonly listening: Listening; readonly served: ServedHost }> {
  try {
    const { server } = app.settings.of([]);
    const listening = listeningOn({ ...server, ...flags.server }, app.paths);
    if ('refused' in listening) throw new UsageError(listening.refused);
    const served = await serveHost(app, {
      listening,
      port: flags.port,
      defaultPort: server.port ?? defaultPort,
      traces: flags.trace ? app.paths.traces : undefined,
      folder: flags.background ? undefined : process.cwd(),
    });
    return { listening, served };
  } catch (error) {
    await Promise.race([app.close(), delay(failedStartTime, undefined, { ref: false })]);
    throw error;
  }
}

/** How long the parts of a host that cannot be served may take to close, in milliseconds. */
const failedStartTime = 1_000;

/** How long a host may take to store and close everything before it is ended, in milliseconds. */
const closeTime = 4_000;

/** The watchdog is for a host that cannot even notice that its time is over. */
const watchdogTime = closeTime + 500;

/**
 * The watchdog comes when the host listens. Until then a name that nobody resolves, or a database that is
 * silent, may hold up the start; the process cannot even exit while a thread waits for that.
 */
function killIfLate(): void {
  const kill = () => {
    printError('parley: The host was killed because it did not stop in time.\n');
    process.kill(process.pid, 'SIGKILL');
  };
  setTimeout(kill, watchdogTime).unref();
}

/** Ends the process, because a part that did not close in time may keep it alive. */
async function closeInTime(served: ServedHost): Promise<number> {
  const timer = new AbortController();
  const late = delay(closeTime, false, { signal: timer.signal }).catch(() => false);
  const inTime = await Promise.race([served.close().then(() => true), late]);
  timer.abort();
  if (!inTime) printError('parley: The host did not close in time and was ended.\n');
  setTimeout(() => process.exit(), exitTime).unref();
  return inTime ? 0 : 1;
}

/** How long a finished process may take to exit before it is forced, in milliseconds. */
const exitTime = 100;

/** A host that does not stop in time is ended; an unexpected error is logged and the host goes on. */
function followProcess({ host }: App): void {
  if (process.platform !== 'win32') watchSignals(signals, watchdogTime);
  // The host goes on although nobody reads what it prints.
  process.stdout.on('error', () => {});
  process.on('uncaughtException', (error) => host.report(error, 'the host itself'));
  process.on('unhandledRejection', (error) => host.report(error, 'the host itself'));
}

/** A link works once, so the browser that we open gets its own. */
async function greet(
  { host, fingerprint, privacy }: Listening,
  served: ServedHost,
  open: boolean,
): Promise<void> {
  const [{ certificateNote, invitation }, { openBrowser }] = await Promise.all([
    import('./invite.ts'),
    import('../../io/processes/openBrowser.ts'),
  ]);
  const second = served.devices();
  const reachable = second ?? (isLoopback(host) ? undefined : { urls: [served.address], fingerprint });
  const otherDevices = reachable
    ? await invitation({
        link: served.signInLink('approve', reachable.urls[0]),
        fingerprint: reachable.fingerprint,
      })
    : certificateNote(fingerprint);
  const warning =
    privacy === 'open'
      ? 'Warning: connections are not encrypted. Anyone on the network can read them and take over.\n'
      : '';
  print(`Open the console once with ${served.signInLink('control')}\n${otherDevices}${warning}`);
  if (open && process.stdout.isTTY) openBrowser(served.signInLink('control'));
}
