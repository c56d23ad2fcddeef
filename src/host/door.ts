// What every protocol implements towards the host; a door serves one connection until it ends.
import type { Host } from './host.ts';

export interface Door<Connection> {
  readonly name: string;
  serve(connection: Connection, host: Host): Promise<void>;
}
