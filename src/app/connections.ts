// Gives every connection its door: on the private socket the door that its first line names, over
// the network by its path.
import type { Socket } from 'node:net';
import { present } from '../base/present.ts';
import type { Devices } from '../io/auth/devices.ts';
import type { OwnerToken } from '../io/auth/ownerToken.ts';
import { traceTo } from '../io/diagnostics/trace.ts';
import type { AuthenticatedCaller } from '../io/http/server.ts';
import type { PushFile } from '../io/push/pushFile.ts';
import { sendFarewell, withFarewell } from '../io/local/socket.ts';
import type { Farewell, Hello } from '../io/local/socketGreeting.ts';
import type { Framing } from '../rpc/framing/framing.ts';
import { observeTransport } from '../rpc/transports/observe.ts';
import { createStreamTransport } from '../rpc/transports/stream.ts';
import type { Transport } from '../rpc/transports/transport.ts';
import { acknowledge } from './acknowledge.ts';
import type { App } from './app.ts';
import { watchFraming } from './brokenInput.ts';
import { control } from './control/control.ts';
import { controlMethods } from './control/methods.ts';
import type { ControlMethods } from './control/methods.ts';
import { networkMethods } from './control/networkMethods.ts';
import type { DeviceAddress } from './deviceAddress.ts';
import { doors, owner } from './doors.ts';
import type { DoorClient, OpenDoor } from './doors.ts';

export interface Connections {
  local(hello: Hello, socket: Socket): void;
  web(transport: Transport, path: string, visitor: AuthenticatedCaller): void;
  /** How many connections are open. */
  count(): number;
  /** Ends all turns, tells the clients so, and ends every connection. Resolves when all have ended. */
  close(): Promise<void>;
}

export interface ClientConnectionOptions {
  readonly app: App;
  /** The folder for a trace of every message of every connection; absent means no trace. */
  readonly traces?: string | undefined;
  /** Stops the host; resolves when everything is stored and closed. */
  readonly stop: () => Promise<void>;
  readonly devices: Devices;
  readonly token: OwnerToken;
  /** The URL of the console for other devices, with a slash at its end; undefined before the host listens. */
  readonly address: () => string | undefined;
  /** The second address of the host, for other devices. */
  readonly deviceAddress: DeviceAddress;
  /** The folder in which a user started the host; absent for a host in the background. */
  readonly folder?: string | undefined;
  /** How many connections a device has now. */
  readonly connectionsOf: (device: string) => number;
  /** Opened when it is first needed. */
  readonly pushFile: () => Promise<PushFile>;
}

interface Arrival {
  readonly client: DoorClient;
  readonly options: Hello['options'];
  readonly device?: string | undefined;
  readonly browser?: string | undefined;
}

/** An open connection as the console lists it. */
export interface ConnectionInfo {
  readonly door: string;
  /** In milliseconds since 1970. */
  readonly since: number;
  readonly device?: string;
  /** The name of a browser that signed in with the owner's token and so is not a paired device. */
  readonly browser?: string;
}

interface OpenConnection extends ConnectionInfo {
  readonly done: Promise<void>;
}

export function connections(options: ClientConnectionOptions): Connections {
  const { app, traces, folder } = options;
  const open = new Map<Transport, OpenConnection>();
  const openDoor = doorsOf(app);
  const methods = controlMethods({
    ...options,
    connected: () => [...open.values()].map(({ done: _, ...info }) => info),
  });
  const local: DoorClient = { ...owner, folder, extension: networkMethods(methods, owner) };
  let lastMessage: Farewell = { exit: 0 };
  // What a client sends while the host ends is for the next host.
  const heard = (transport: Transport) =>
    observeTransport(transport, { accepts: () => lastMessage.stopped !== true });
  let traceCount = 0;
  const traced = (transport: Transport, name: string) =>
    traces === undefined ? transport : traceTo(traces, transport, `${(traceCount += 1)}-${name}`);
  const serve = (name: string, transport: Transport, arrival: Arrival) => {
    const done = work(name, transport, arrival).finally(() => open.delete(transport));
    open.set(transport, {
      door: name,
      since: app.host.clock.now(),
      done,
      ...present({ device: arrival.device, browser: arrival.browser }),
    });
  };
  const work = async (name: string, transport: Transport, arrival: Arrival) => {
    try {
      const door = (await openDoor(name))?.(arrival.options, arrival.client);
      await door?.serve(traced(transport, name), app.host);
    } catch (error) {
      app.host.report(error, `a connection of the ${name} door`);
      transport.close({ kind: 'failed' });
    }
  };
  return {
    web(transport, path, visitor) {
      const client = { ...remoteClient(visitor, methods, options.devices), folder };
      const { device, browser } = visitor;
      serve(path === '/acp' ? 'acp' : 'ahp', heard(transport), { client, options: {}, device, browser });
    },
    local(hello, socket) {
      if (hello.wants === 'control') return control(socket, methods);
      const door = Object.hasOwn(doors, hello.wants) ? doors[hello.wants] : undefined;
      if (!door) return sendFarewell(socket, noDoor(hello.wants));
      const transport = heard(streamOf(socket, door.framing, () => lastMessage));
      const { wants, options: given } = hello;
      serve(wants, acknowledge(transport, app.host, hello), { client: local, options: given });
    },
    count: () => open.size,
    async close() {
      lastMessage = { exit: 0, message: 'The host was stopped.', stopped: true };
      await app.host.endTurns();
      // Clients that wait for a turn get their answer first.
      await new Promise(setImmediate);
      for (const transport of open.keys()) transport.close();
      await Promise.all([...open.values()].map(({ done }) => done));
    },
  };
}

function noDoor(name: string): Farewell {
  return {
    exit: 2,
    message: `This host has no door "${name}". It may be an older version: run parley stop.`,
  };
}

/** The messages of a client on the private socket; it is told why they end. */
function streamOf(socket: Socket, framing: Framing, lastMessage: () => Farewell): Transport {
  const output = withFarewell(socket, () => broken() ?? lastMessage());
  const { transport, broken } = watchFraming(createStreamTransport({ input: socket, output, framing }));
  return transport;
}

/** A client that has come over the network; people know its device by the name. */
function remoteClient(visitor: AuthenticatedCaller, methods: ControlMethods, devices: Devices): DoorClient {
  const { principal, role, device, most } = visitor;
  const name = devices.list().find(({ id }) => id === device)?.name;
  const extension = networkMethods(methods, { role, ...present({ device, name, most }) });
  return { principal, role, extension, ...present({ device: name, most }) };
}

/** Opens doors by name; each loads once and shares its state between the connections of this host. */
function doorsOf(app: App): (name: string) => Promise<OpenDoor | undefined> {
  const loaded = new Map<string, Promise<OpenDoor> | undefined>();
  return async (name) => {
    if (!loaded.has(name))
      loaded.set(
        name,
        doors[name]?.load().then((create) => create(app)),
      );
    return loaded.get(name);
  };
}
