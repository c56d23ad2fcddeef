// The second address of a host, for phones and other machines. It is opened and closed while the host runs
// and is always encrypted; the settings say whether it is open when the host starts.
import { errorCode, errorText } from '../base/errorText.ts';
import { present } from '../base/present.ts';
import type { NotPossible } from '../host/ports.ts';
import { inUrl, isLoopback, namesAt, placesAt } from '../io/http/hostNames.ts';
import { listenWeb } from '../io/http/server.ts';
import type { WebOptions, WebServer } from '../io/http/server.ts';
import type { App } from './app.ts';
import { listeningOn } from './listening.ts';
import type { Listening } from './listening.ts';

export interface ListeningState {
  /** Whether the first address of the host can be reached from other machines. */
  readonly onNetwork: boolean;
  /** Absent while the second address is closed. */
  readonly devices?: {
    /** One for each network of this machine, best first, with a slash at the end. */
    readonly urls: readonly string[];
    readonly port: number;
    readonly fingerprint?: string;
  };
  /** The port that is used unless another one is chosen. */
  readonly port: number;
  /** Why the address is closed although the settings say that it is open. */
  readonly problem?: string;
}

export interface DeviceAddress {
  state(): ListeningState;
  /** Listens, on the port of the settings if none is named. An open address moves to the port. */
  start(port?: number): Promise<NotPossible | undefined>;
  stop(): Promise<void>;
  /** Opens the address if the settings say so; a failure is part of the state. */
  restore(): Promise<void>;
  /** Follows the machine into another network: certificate and names change, the port stays. */
  renew(): Promise<void>;
  connectionsOf(device: string): number;
}

export interface DeviceAddressOptions {
  readonly app: App;
  /** How the first address listens. */
  readonly first: Listening;
  /** What both addresses serve. */
  readonly web: () => Omit<WebOptions, 'host' | 'port' | 'names' | 'tls'>;
}

const defaultPort = 4518;

interface OpenAddress {
  readonly server: WebServer;
  readonly listening: Listening;
}

export function deviceAddress({ app, first, web }: DeviceAddressOptions): DeviceAddress {
  const wanted = () => app.settings.of([]).server.devices ?? {};
  const onNetwork = !isLoopback(first.host);
  let open: OpenAddress | undefined;
  let problem: string | undefined;
  const inOrder = oneAfterAnother();
  const close = async () => {
    const closing = open;
    open = undefined;
    await closing?.server.close();
  };
  const listen = async (port: number): Promise<NotPossible | undefined> => {
    if (onNetwork) return { refused: 'Other devices can already reach this host.' };
    if (open && open.server.port === port) return undefined;
    const next = await openAt(port, { app, web });
    if ('refused' in next) return next;
    await close();
    [open, problem] = [next, undefined];
    return undefined;
  };
  return {
    state: () => ({
      onNetwork,
      port: open?.server.port ?? wanted().port ?? defaultPort,
      ...present({ devices: open && described(open), problem }),
    }),
    start: (port) => inOrder(() => listen(port ?? wanted().port ?? defaultPort)),
    stop: () =>
      inOrder(async () => {
        problem = undefined;
        await close();
      }),
    restore: () =>
      inOrder(async () => {
        if (onNetwork || wanted().enabled !== true) return;
        const answer = await listen(wanted().port ?? defaultPort);
        problem = answer?.refused;
        if (problem !== undefined) app.host.report(new Error(problem), 'the address for other devices');
      }),
    renew: () =>
      inOrder(async () => {
        if (!open || sameNames(open.listening)) return;
        const { port } = open.server;
        await close();
        problem = (await listen(port))?.refused;
      }),
    connectionsOf: (device) => open?.server.connectionsOf(device) ?? 0,
  };
}

async function openAt(
  port: number,
  { app, web }: Pick<DeviceAddressOptions, 'app' | 'web'>,
): Promise<OpenAddress | NotPossible> {
  const { server } = app.settings.of([]);
  const host = server.devices?.host ?? '0.0.0.0';
  const listening = listeningOn({ ...server, host, tls: true, insecure: false }, app.paths);
  if ('refused' in listening) return listening;
  if (placesAt(host).length === 0)
    return { refused: 'This computer is not in a network. Connect it and try again.' };
  try {
    return { server: await listenWeb({ ...web(), ...listening, port }), listening };
  } catch (error) {
    return { refused: listenProblem(error, { host, port }) };
  }
}

function listenProblem(error: unknown, { host, port }: { readonly host: string; readonly port: number }) {
  switch (errorCode(error) ?? '') {
    case 'EADDRINUSE':
      return `Port ${port} is in use. Choose another one.`;
    case 'EACCES':
      return `This host may not use port ${port}. Choose one above 1023.`;
    case 'EADDRNOTAVAIL':
      return `This machine has no address ${host}. Change server.devices.host in the settings.`;
    default:
      return `The host cannot listen on port ${port}: ${errorText(error)}`;
  }
}

function described({ server: { port }, listening: { host, fingerprint } }: OpenAddress) {
  return {
    urls: placesAt(host).map((place) => `https://${inUrl(place)}:${port}/`),
    port,
    ...present({ fingerprint }),
  };
}

function sameNames({ host, names }: Listening): boolean {
  return namesAt(host).every((name) => names.includes(name));
}

/** Two requests at the same time do not meet in the middle of opening and closing. */
function oneAfterAnother() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}
