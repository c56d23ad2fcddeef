// `parley serve`: the host in the foreground. It owns the data directory, the private socket and the loopback port until it is told to stop.
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import type { Role } from '../../host/policy/roles.ts';
import type { ServerSettings } from '../../host/settings/settings.ts';
import { openDevices } from '../../io/auth/devices.ts';
import { listenLocal } from '../../io/local/socket.ts';
import { socketPath } from '../../io/settings/dataPaths.ts';
import { inUrl, isLoopback, placeAt } from '../../io/http/hostNames.ts';
import { listenWeb } from '../../io/http/server.ts';
import type { WebServer } from '../../io/http/server.ts';
import { connections } from '../../app/connections.ts';
import { openHost } from '../../app/openHost.ts';
import { warmUp } from '../../app/doors.ts';
import { listeningOn } from '../../app/listening.ts';
import type { Listening } from '../../app/listening.ts';
import { print, printError } from '../output.ts';
import { noMore, readArgs, UsageError } from '../say.ts';
import { readToken } from '../../app/token.ts';

declare const PARLEY_VERSION: string;

const usualPort = 4517;

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    host: { type: 'string' },
    port: { type: 'string' },
    data: { type: 'string' },
    store: { type: 'string' },
    tls: { type: 'boolean' },
    cert: { type: 'string' },
    key: { type: 'string' },
    insecure: { type: 'boolean' },
    trace: { type: 'boolean' },
    background: { type: 'boolean' },
    'no-open': { type: 'boolean' },
  });
  noMore(positionals);
  const port = values.port === undefined ? undefined : Number(values.port);
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port < 65_536))
    throw new UsageError(`"${values.port}" is not a port.`);
  if ((values.cert === undefined) !== (values.key === undefined))
    throw new UsageError('--cert and --key belong together.');
  if (values.data !== undefined) process.env['PARLEY_HOME'] = values.data;
  const opened = await openHost(process.env, { store: values.store });
  if ('heldBy' in opened) return alreadyRunning(opened.heldBy, values.background ?? false);
  const set: ServerSettings = { host: '127.0.0.1', ...opened.host.settings?.of([]).server };
  const { paths } = opened;
  const listening = listeningOn({ ...set, ...given(values) }, paths);
  if ('refused' in listening) {
    await opened.close();
    throw new UsageError(listening.refused);
  }

  const ending = endingOf();
  const { host } = opened;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void ending.stop());
  process.on('uncaughtException', (error) => host.report(error, 'the host itself'));
  process.on('unhandledRejection', (error) => host.report(error, 'the host itself'));
  const token = readToken(paths.token);
  const devices = openDevices(paths.devices);
  /** Open from the moment it listens. */
  const front: { web?: WebServer } = {};
  const serve = connections({
    host,
    store: opened.store,
    ...(values.trace ? { traces: paths.traces } : {}),
    stop: ending.stop,
    refresh: () => opened.refresh(),
    devices,
    address: () => front.web && addressOf(listening, front.web.port),
    connectionsOf: (device) => front.web?.connectionsOf(device) ?? 0,
    folder: values.background ? undefined : process.cwd(),
  });
  const web = await listen(
    {
      ...listening,
      usual: set.port ?? usualPort,
      token,
      version: PARLEY_VERSION,
      paths: ['/', '/ahp', '/acp'],
      welcome: greetingHeaders,
      devices,
      accept: (...connection) => serve.web(...connection),
    },
    port,
  );
  front.web = web;
  const local = await listenLocal(socketPath(process.env), (hello, socket) => serve.local(hello, socket));
  const { fingerprint } = listening;
  const address = addressOf(listening, web.port);
  writeFileSync(
    paths.info,
    `${JSON.stringify({ pid: process.pid, host: listening.host, port: web.port, version: PARLEY_VERSION, url: address, ...(fingerprint === undefined ? {} : { fingerprint }) })}\n`,
    { mode: 0o600 },
  );
  print(
    `Parley ${PARLEY_VERSION} is listening on ${address} (AHP at ${address.replace('http', 'ws')}ahp, token in ${paths.token}).\n`,
  );
  if (!values.background)
    await greet(listening, {
      link: (role) => `${address}sign-in?code=${devices.newCode(role)}`,
      open: !values['no-open'],
    });

  setImmediate(() => void warmUp().then(() => opened.store.warm()));
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

/** The link works once, so a browser that is opened gets one of its own. */
async function greet(
  { host, fingerprint, privacy }: Listening,
  { link, open }: { readonly link: (role: Role) => string; readonly open: boolean },
): Promise<void> {
  const [{ certificateWords, invitation }, { openBrowser }] = await Promise.all([
    import('./invite.ts'),
    import('../openBrowser.ts'),
  ]);
  const others = isLoopback(host)
    ? certificateWords(fingerprint)
    : await invitation({ link: link('approve'), fingerprint });
  const warning =
    privacy === 'open' ? 'Nothing is encrypted: everybody on the way can read along and take over.\n' : '';
  print(`Open the console once with ${link('control')}\n${others}${warning}`);
  if (open && process.stdout.isTTY) openBrowser(link('control'));
}

/** What the flags say about how to listen. */
function given({
  host,
  tls,
  cert,
  key,
  insecure,
}: {
  readonly host?: string;
  readonly tls?: boolean;
  readonly cert?: string;
  readonly key?: string;
  readonly insecure?: boolean;
}): Partial<ServerSettings> {
  return {
    ...(host === undefined ? {} : { host }),
    ...(tls === undefined ? {} : { tls }),
    ...(insecure === undefined ? {} : { insecure }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  };
}

function greetingHeaders(path: string): { readonly [name: string]: string } {
  return path === '/acp' ? { 'Acp-Connection-Id': randomUUID() } : {};
}

function addressOf({ host, tls }: Listening, port: number): string {
  return `${tls ? 'https' : 'http'}://${inUrl(placeAt(host))}:${port}/`;
}

/** Without a wish the usual port is taken, or any free one when somebody else has it. */
async function listen(
  { usual, ...options }: Omit<Parameters<typeof listenWeb>[0], 'port'> & { readonly usual: number },
  port: number | undefined,
): Promise<WebServer> {
  try {
    return await listenWeb({ ...options, port: port ?? usual });
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (!taken) throw error;
    if (port !== undefined)
      throw new Error(`port ${port} is taken; choose another with --port.`, { cause: error });
    return listenWeb({ ...options, port: 0 });
  }
}

function alreadyRunning(holder: { readonly pid?: number }, background: boolean): number {
  if (background) return 0;
  printError(
    `parley: a host is already running on this data directory${holder.pid === undefined ? '' : ` (pid ${holder.pid})`}. Use it, or set PARLEY_HOME to start another.\n`,
  );
  return 3;
}
