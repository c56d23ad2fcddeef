// `parley serve`: the host in the foreground. It owns the data directory, the private socket and the loopback port until it is told to stop.
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { rmSync, writeFileSync } from 'node:fs';
import { openDevices } from '../io/devices.ts';
import { listenLocal } from '../io/local.ts';
import { socketPath } from '../io/paths.ts';
import { listenWeb } from '../io/web.ts';
import type { WebServer } from '../io/web.ts';
import { connections } from './connections.ts';
import { openHost } from './compose.ts';
import { warmUp } from './doors.ts';
import { readToken } from './token.ts';

declare const PARLEY_VERSION: string;

const usualPort = 4517;

export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      host: { type: 'string' }, port: { type: 'string' }, data: { type: 'string' },
      trace: { type: 'boolean' }, background: { type: 'boolean' }, 'no-open': { type: 'boolean' },
    },
  });
  if (values.host !== undefined && !loopback.has(values.host)) throw notLoopback(values.host);
  const port = values.port === undefined ? undefined : Number(values.port);
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port < 65_536)) throw new Error(`"${values.port}" is not a port.`);
  if (values.data !== undefined) process.env['PARLEY_HOME'] = values.data;
  const opened = await openHost(process.env);
  if ('heldBy' in opened) return alreadyRunning(opened.heldBy, values.background ?? false);
  const set = opened.host.settings?.of([]).server;
  const hostname = values.host ?? set?.host ?? '127.0.0.1';
  if (!loopback.has(hostname)) {
    await opened.close();
    throw notLoopback(hostname);
  }

  const ending = endingOf();
  const { host, paths } = opened;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void ending.stop());
  process.on('uncaughtException', (error) => host.report(error, 'the host itself'));
  process.on('unhandledRejection', (error) => host.report(error, 'the host itself'));
  const token = readToken(paths.token);
  const devices = openDevices(paths.devices);
  const serve = connections({ host, store: opened.store, ...(values.trace ? { traces: paths.traces } : {}), stop: ending.stop, refresh: () => opened.refresh(), devices });
  const web = await listen({ host: hostname, usual: set?.port ?? usualPort, token, version: PARLEY_VERSION, paths: ['/', '/ahp', '/acp'], welcome: (path) => (path === '/acp' ? { 'Acp-Connection-Id': randomUUID() } : {}), devices, accept: (...connection) => serve.web(...connection) }, port);
  const local = await listenLocal(socketPath(process.env), (hello, socket) => serve.local(hello, socket));
  writeFileSync(paths.info, `${JSON.stringify({ pid: process.pid, host: hostname, port: web.port, version: PARLEY_VERSION })}\n`, { mode: 0o600 });
  const address = `${hostname === '::1' ? '[::1]' : hostname}:${web.port}`;
  process.stdout.write(`Parley ${PARLEY_VERSION} is listening on http://${address}/ (AHP at ws://${address}/ahp, token in ${paths.token}).\n`);
  if (!values.background) process.stdout.write(`Open the console once with http://${address}/sign-in?code=${devices.newCode()}\n`);

  setImmediate(() => void warmUp());
  await ending.wanted;
  rmSync(paths.info, { force: true });
  local.close();
  await Promise.all([serve.close(), web.close()]);
  await opened.close();
  ending.done();
  return 0;
}

/** Whoever asks for the end is told when it has come. */
function endingOf() {
  let want = () => {};
  let done = () => {};
  const wanted = new Promise<void>((resolve) => {
    want = resolve;
  });
  const over = new Promise<void>((resolve) => {
    done = resolve;
  });
  const stop = () => {
    want();
    return over;
  };
  return { wanted, stop, done };
}

function notLoopback(hostname: string): Error {
  return new Error(`will not listen on ${hostname}: only loopback addresses are served without encryption.`);
}

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

/** Without a wish the usual port is taken, or any free one when somebody else has it. */
async function listen({ usual, ...options }: Omit<Parameters<typeof listenWeb>[0], 'port'> & { readonly usual: number }, port: number | undefined): Promise<WebServer> {
  try {
    return await listenWeb({ ...options, port: port ?? usual });
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (!taken) throw error;
    if (port !== undefined) throw new Error(`port ${port} is taken; choose another with --port.`, { cause: error });
    return listenWeb({ ...options, port: 0 });
  }
}

function alreadyRunning(holder: { readonly pid?: number }, background: boolean): number {
  if (background) return 0;
  process.stderr.write(`parley: a host is already running on this data directory${holder.pid === undefined ? '' : ` (pid ${holder.pid})`}. Use it, or set PARLEY_HOME to start another.\n`);
  return 3;
}
