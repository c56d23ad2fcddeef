// Gives every connection its door: on the private socket by what its first line wants, over the network by its path.
import type { Socket } from 'node:net';
import type { Host } from '../host/host.ts';
import type { Devices } from '../io/auth/devices.ts';
import type { Farewell, Hello } from '../io/local/socketGreeting.ts';
import { farewell, parting } from '../io/local/socket.ts';
import type { SqliteStore } from '../io/store/sqlite/sqlite.ts';
import { traceTo } from '../io/diagnostics/trace.ts';
import { createStreamTransport } from '../rpc/transports/stream.ts';
import type { Transport } from '../rpc/transports/transport.ts';
import type { Visitor } from '../io/http/server.ts';
import { control } from './control/control.ts';
import { controlMethods } from './control/methods.ts';
import { doors, owner } from './doors.ts';
import type { Guest } from './doors.ts';
import { mayLose } from '../cli/stdio/brokenInput.ts';
import { networkMethods } from './control/networkMethods.ts';

export interface Connections {
  local(hello: Hello, socket: Socket): void;
  web(transport: Transport, path: string, visitor: Visitor): void;
  /** Lets every client go in good order. */
  close(): Promise<void>;
}

export interface ConnectionOptions {
  readonly host: Host;
  readonly store: SqliteStore;
  /** Where to write every message of every connection; absent means nowhere. */
  readonly traces?: string;
  /** Stops the host; resolves when everything is stored and closed. */
  readonly stop: () => Promise<void>;
  /** Looks again for what the user may have changed outside. */
  readonly refresh: () => void;
  readonly devices: Devices;
  /** Where other devices find the console, with a slash at its end, once it can be found. */
  readonly address: () => string | undefined;
  /** Where the host was started by a person; absent where that says nothing. */
  readonly folder?: string | undefined;
  /** How many connections a device has now. */
  readonly connectionsOf: (device: string) => number;
}

interface Coming {
  readonly guest: Guest;
  readonly wishes: Hello['options'];
  readonly device?: string | undefined;
}

/** A connection that is open now. */
export interface Connected {
  readonly door: string;
  /** In milliseconds since 1970. */
  readonly since: number;
  readonly device?: string;
}

interface Open extends Connected {
  readonly done: Promise<void>;
}

export function connections(options: ConnectionOptions): Connections {
  const { host, traces } = options;
  const open = new Map<Transport, Open>();
  const methods = controlMethods({
    ...options,
    connected: () => [...open.values()].map(({ done: _, ...connected }) => connected),
  });
  const local: Guest = { ...owner, extension: networkMethods(methods, owner) };
  let farewellWords: Farewell = { exit: 0 };
  const traced = (transport: Transport, name: string) =>
    traces === undefined ? transport : traceTo(traces, transport, name);
  const serve = (name: string, transport: Transport, coming: Coming) => {
    const { device } = coming;
    const done = work(name, transport, coming).finally(() => open.delete(transport));
    open.set(transport, {
      door: name,
      since: host.clock.now(),
      done,
      ...(device === undefined ? {} : { device }),
    });
  };
  const work = async (name: string, transport: Transport, { guest, wishes }: Coming) => {
    try {
      const door = await doors[name]?.open(wishes, guest);
      await door?.serve(traced(transport, name), host);
    } catch (error) {
      host.report(error, `a connection of the ${name} door`);
      transport.close({ kind: 'failed' });
    }
  };
  return {
    web: (transport, path, visitor) =>
      serve(path === '/acp' ? 'acp' : 'ahp', transport, {
        guest: { ...visitor, extension: networkMethods(methods, visitor) },
        wishes: {},
        device: visitor.device,
      }),
    local(hello, socket) {
      if (hello.wants === 'control') return control(socket, methods);
      const door = Object.hasOwn(doors, hello.wants) ? doors[hello.wants] : undefined;
      if (!door)
        return farewell(socket, { exit: 2, message: `This host knows no door named ${hello.wants}.` });
      const output = parting(socket, () => lost() ?? farewellWords);
      const { transport, lost } = mayLose(
        createStreamTransport({ input: socket, output, framing: door.framing }),
      );
      serve(hello.wants, transport, { guest: local, wishes: hello.options });
    },
    async close() {
      farewellWords = { exit: 0, message: 'the host was stopped.' };
      for (const transport of open.keys()) transport.close();
      await Promise.all([...open.values()].map(({ done }) => done));
    },
  };
}
