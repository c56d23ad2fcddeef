// One of several machines with a host on a shared PostgreSQL. Editors on stdio start the host; other hosts
// reach it only through a gate that can be shut.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { newHome } from '../../kit/parley.ts';
import type { Home } from '../../kit/parley.ts';
import { eventually } from '../../kit/patience.ts';

export interface HostInfo {
  readonly pid: number;
  readonly port: number;
  readonly token: string;
}

export class Machine {
  readonly home: Home;
  /** The name of the host in the database. */
  readonly name: string;
  readonly #sockets = new Set<Socket>();
  readonly #gate = createServer((socket) => this.#lead(socket));
  #isShut = false;

  constructor(database: string) {
    this.home = newHome();
    const directory = this.home.env['PARLEY_HOME'] ?? '';
    this.home.env['PARLEY_STORE'] = database;
    mkdirSync(directory, { recursive: true });
    // Conversations are compacted every few turns, also in the middle of one.
    const settings = { permissions: { mode: 'full' }, limits: { compactAt: 15 } };
    writeFileSync(join(directory, 'config.jsonc'), JSON.stringify(settings));
    this.name = `${hostname()}:${directory}`;
  }

  /** The host that runs now, or did until a moment ago; throws while there is none. */
  host(): HostInfo {
    const read = (name: string) => readFileSync(join(this.home.env['PARLEY_HOME'] ?? '', name), 'utf8');
    const { pid, port } = JSON.parse(read('host.json')) as Pick<HostInfo, 'pid' | 'port'>;
    return { pid, port, token: read('token').trim() };
  }

  /** Returns when another host runs here, or the first one. */
  another(pid?: number): Promise<HostInfo> {
    const look = () => {
      try {
        const host = this.host();
        return host.pid !== pid && host;
      } catch {
        // One has ended, and the next one has not written its place yet.
        return undefined;
      }
    };
    return eventually(look, `a host of ${this.name} that is not ${pid}`);
  }

  /** Opens the gate and gives its port. */
  async gate(): Promise<number> {
    await new Promise<void>((resolve) => {
      this.#gate.listen(0, '127.0.0.1', resolve);
    });
    return (this.#gate.address() as AddressInfo).port;
  }

  /** Cuts all links of other hosts to this one, and lets none through until it is opened again. */
  shut(isShut: boolean): void {
    this.#isShut = isShut;
    if (isShut) for (const socket of this.#sockets) socket.destroy();
  }

  async dispose(): Promise<void> {
    this.shut(true);
    this.#gate.close();
    await this.home.dispose();
  }

  #lead(socket: Socket): void {
    const port = this.#isShut ? undefined : this.#port();
    if (port === undefined) return void socket.destroy();
    const target = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [socket, target],
      [target, socket],
    ] as const) {
      this.#sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
  }

  #port(): number | undefined {
    try {
      return this.host().port;
    } catch {
      return undefined;
    }
  }
}
