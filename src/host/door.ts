// The interface of a door: it serves one connection of its protocol until the connection ends.
import type { Host } from './host.ts';

export interface Door<Connection> {
  readonly name: string;
  serve(connection: Connection, host: Host): Promise<void>;
}
