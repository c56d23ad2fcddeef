// Gives every connection its door: on the private socket by what its first line wants, over the network by its path.
import type { Socket } from 'node:net';
import type { Host } from '../host/host.ts';
import type { Devices } from '../io/devices.ts';
import type { Farewell, Hello } from '../io/hello.ts';
import { farewell, parting } from '../io/local.ts';
import type { SqliteStore } from '../io/log/sqlite.ts';
import { traceTo } from '../io/trace.ts';
import { createStreamTransport } from '../rpc/stream.ts';
import type { Transport } from '../rpc/transport.ts';
import { control } from './control.ts';
import { doors } from './doors.ts';

export interface Connections {
  local(hello: Hello, socket: Socket): void;
  web(transport: Transport, path: string, principal: string): void;
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
}

export function connections({ host, traces, ...rest }: ConnectionOptions): Connections {
  const open = new Map<Transport, Promise<void>>();
  let farewellWords: Farewell = { exit: 0 };
  const traced = (transport: Transport, name: string) => (traces === undefined ? transport : traceTo(traces, transport, name));
  const serve = (name: string, transport: Transport, options: Hello['options']) => {
    open.set(transport, work(name, transport, options).finally(() => open.delete(transport)));
  };
  const work = async (name: string, transport: Transport, options: Hello['options']) => {
    try {
      const door = await doors[name]?.open(options);
      await door?.serve(traced(transport, name), host);
    } catch (error) {
      host.report(error, `a connection of the ${name} door`);
      transport.close({ kind: 'failed' });
    }
  };
  return {
    web: (transport, path, principal) => serve(path === '/acp' ? 'acp' : 'ahp', transport, { principal }),
    local(hello, socket) {
      if (hello.wants === 'control') return control(socket, { host, ...rest });
      const door = Object.hasOwn(doors, hello.wants) ? doors[hello.wants] : undefined;
      if (!door) return farewell(socket, { exit: 2, message: `This host knows no door named ${hello.wants}.` });
      const output = parting(socket, () => farewellWords);
      serve(hello.wants, createStreamTransport({ input: socket, output, framing: door.framing }), hello.options);
    },
    async close() {
      farewellWords = { exit: 0, message: 'the host was stopped.' };
      for (const transport of open.keys()) transport.close();
      await Promise.all(open.values());
    },
  };
}
