// Opens a host to its clients: the private socket, the web server, and the file that says where they are.
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { errorCode } from '../base/errorText.ts';
import { present } from '../base/present.ts';
import type { Role } from '../host/policy/roles.ts';
import { digestOf, openDevices } from '../io/auth/devices.ts';
import type { Devices } from '../io/auth/devices.ts';
import { moveDevices, signInFile } from '../io/auth/signInStorage.ts';
import { openOwnerToken } from '../io/auth/ownerToken.ts';
import type { OwnerToken } from '../io/auth/ownerToken.ts';
import { inUrl, placeAt } from '../io/http/hostNames.ts';
import { listenWeb } from '../io/http/server.ts';
import type { WebDoors, WebServer } from '../io/http/server.ts';
import { listenLocal } from '../io/local/socket.ts';
import type { LocalServer } from '../io/local/socket.ts';
import { socketPath } from '../io/settings/dataPaths.ts';
import type { App } from './app.ts';
import { connections } from './connections.ts';
import type { Connections } from './connections.ts';
import { deviceAddress } from './deviceAddress.ts';
import type { DeviceAddress, ListeningState } from './deviceAddress.ts';
import { warmUp } from './doors.ts';
import { writeHostInfo } from './hostInfo.ts';
import type { Listening } from './listening.ts';
import { publishLinks, takeLinks } from './takeLinks.ts';
import { startNotifications } from './notify/notifications.ts';

declare const PARLEY_VERSION: string;

export interface ServeOptions {
  readonly listening: Listening;
  /**
   * The port that the user asks for; without one the default port is used, or any free one if that is taken.
   */
  readonly port: number | undefined;
  readonly defaultPort: number;
  /** The folder for traces of all messages. */
  readonly traces?: string | undefined;
  /** The folder in which a user started the host; absent for a host in the background. */
  readonly folder?: string | undefined;
}

export interface ServedHost {
  /** The URL of the console, with a slash at its end. */
  readonly address: string;
  /** The address for other devices, if the host listens there, too. */
  devices(): ListeningState['devices'];
  /** Creates a link that signs in one browser, once; it leads to `address` unless another one is named. */
  signInLink(role: Role, at?: string): string;
  /** Requests the end; resolves when `close` is done. */
  stop(): Promise<void>;
  /** Resolves when a client or the caller has requested the end. */
  readonly stopRequested: Promise<void>;
  /** Ends the turns and all connections, then closes the app. */
  close(): Promise<void>;
}

/** The client for which a host in the background was started comes first; in milliseconds. */
const warmAfter = 1_000;

export async function serveHost(app: App, options: ServeOptions): Promise<ServedHost> {
  const { listening } = options;
  const { stop, stopRequested, stopped } = stopSwitch();
  const { devices, token } = await openSignIns(app);
  const { clients, second, notifications, web, opened } = compose(app, { ...options, stop, devices, token });
  const links = takeLinks(app, listening);
  const doors = webDoors(clients, links);
  const server = await listenOnPort(options.port, options.defaultPort, { ...web, ...listening, doors });
  opened(server);
  const address = addressOf(listening, server.port);
  if (links) await publishLinks(app, listening, address);
  const local = await announce(app, clients, {
    pid: process.pid,
    host: listening.host,
    port: server.port,
    version: PARLEY_VERSION,
    url: address,
    ...present({ fingerprint: listening.fingerprint }),
  }).catch(async (error: unknown) => {
    await server.close();
    throw error;
  });
  await second.restore();
  // Nobody waits yet for a host that a user has started; its first list finds the catalogue read.
  if (options.folder !== undefined) void app.store.warm('list');
  const warming = setTimeout(() => void warmUp().then(() => app.store.warm('all')), warmAfter).unref();
  return {
    address,
    devices: () => second.state().devices,
    signInLink: (role, at = address) => `${at}sign-in?code=${devices.newCode(role)}`,
    stop,
    stopRequested,
    async close() {
      clearTimeout(warming);
      rmSync(app.paths.info, { force: true });
      local.close();
      notifications.close();
      await clients.close();
      await Promise.all([server.close(), second.stop()]);
      await app.close();
      stopped();
    },
  };
}

interface Composition extends ServeOptions {
  readonly stop: () => Promise<void>;
  readonly devices: Devices;
  readonly token: OwnerToken;
}

/** The parts of a host that serve its clients. They know the first address as soon as it is open. */
function compose(app: App, { listening, traces, folder, stop, devices, token }: Composition) {
  let server: WebServer | undefined;
  const address = () => server && addressOf(listening, server.port);
  const web = { token, version: PARLEY_VERSION, devices, status: statusOf(app, () => clients.count()) };
  const second: DeviceAddress = deviceAddress({
    app,
    first: listening,
    // Links between hosts use the first address only.
    web: () => ({ ...web, doors: webDoors(clients, undefined) }),
  });
  const notifications = startNotifications(app, {
    devices,
    address: () => second.state().devices?.urls[0] ?? address(),
  });
  const clients: Connections = connections({
    app,
    traces,
    stop,
    devices,
    token,
    address,
    deviceAddress: second,
    connectionsOf: (device) => (server?.connectionsOf(device) ?? 0) + second.connectionsOf(device),
    folder,
    pushFile: notifications.pushFile,
  });
  const opened = (first: WebServer) => {
    server = first;
  };
  return { clients, second, notifications, web, opened };
}

/** Who may connect over the network. Hosts that share a store know each other's devices and owners. */
async function openSignIns({ paths, store: { shared } }: App) {
  const signIns = shared?.signIns;
  const token = openOwnerToken(paths.token, signIns?.shared);
  if (!signIns) return { devices: openDevices(signInFile(paths.devices)), token };
  await moveDevices(paths.devices, signIns);
  await signIns.shared.announceOwner(digestOf(token.current()));
  return { devices: openDevices(signIns), token };
}

function webDoors(clients: Connections, links: WebDoors['links']): WebDoors {
  return {
    paths: ['/', '/ahp', '/acp'],
    welcome: upgradeHeaders,
    accept: (...connection) => clients.web(...connection),
    links,
  };
}

/** What the host tells about itself over the network. */
function statusOf(app: App, connected: () => number) {
  return {
    hosts: app.store.shared && (async () => (await app.store.shared?.holders()) ?? []),
    links: () => app.store.shared?.own.status() ?? [],
    metrics: async () => (await import('./metrics.ts')).metricsText(app, connected()),
  };
}

/** Opens the private socket and writes where the host listens. */
async function announce(
  { env, paths }: App,
  clients: Connections,
  info: Parameters<typeof writeHostInfo>[1],
): Promise<LocalServer> {
  const local = await listenLocal(socketPath(env), (hello, socket) => clients.local(hello, socket));
  try {
    writeHostInfo(paths.info, info);
    return local;
  } catch (error) {
    local.close();
    throw error;
  }
}

function stopSwitch() {
  let request = () => {};
  let stopped = () => {};
  const stopRequested = new Promise<void>((resolve) => {
    request = resolve;
  });
  const end = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  const stop = () => {
    request();
    return end;
  };
  return { stop, stopRequested, stopped: () => stopped() };
}

/** Clients of ACP over WebSocket expect an id of their connection. */
function upgradeHeaders(path: string): { readonly [name: string]: string } {
  return path === '/acp' ? { 'Acp-Connection-Id': randomUUID() } : {};
}

function addressOf({ host, tls }: Listening, port: number): string {
  return `${tls ? 'https' : 'http'}://${inUrl(placeAt(host))}:${port}/`;
}

async function listenOnPort(
  port: number | undefined,
  defaultPort: number,
  options: Omit<Parameters<typeof listenWeb>[0], 'port'>,
): Promise<WebServer> {
  try {
    return await listenWeb({ ...options, port: port ?? defaultPort });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EADDRNOTAVAIL')
      throw new Error(
        `This machine has no address ${options.host}. Change server.host in the settings, or use --host.`,
        { cause: error },
      );
    if (code !== 'EADDRINUSE') throw error;
    if (port !== undefined)
      throw new Error(`Port ${port} is in use. Choose another one with --port.`, { cause: error });
    return listenWeb({ ...options, port: 0 });
  }
}
