// The clients a host knows: which ids exist, whose they are, and who is here now. The ids are kept in the host's own log.
import type { Host } from '../../host/host.ts';
import type { SessionId } from '../../model/event.ts';
import { knownClients, takeNote } from './notes.ts';
import type { KnownClient } from './notes.ts';

/** A client of long ago has to introduce itself again. */
const remembered = 256;

/** How long a client that has lost its connection counts as active in its sessions. */
export const grace = 30_000;

interface Present {
  readonly leave: () => void;
}

export class Clients {
  readonly #host: Host;
  readonly #present = new Map<string, Present>();
  readonly #active = new Map<string, Set<SessionId>>();
  readonly #recalls = new Map<string, () => void>();

  constructor(host: Host) {
    this.#host = host;
  }

  known(id: string): KnownClient | undefined {
    return knownClients(this.#host.own.head).find((client) => client.id === id);
  }

  /** A connection speaks for a client from now on; one that did before is closed. */
  enter(client: KnownClient, leave: () => void): () => void {
    this.#remember(client);
    this.#present.get(client.id)?.leave();
    this.#recalls.get(client.id)?.();
    this.#recalls.delete(client.id);
    const here: Present = { leave };
    this.#present.set(client.id, here);
    return () => {
      if (this.#present.get(client.id) === here) this.#left(client.id);
    };
  }

  /** Whether a client is here, or was a moment ago. */
  counts(id: string): boolean {
    return this.#present.has(id) || this.#recalls.has(id);
  }

  /** The client has declared itself active in a session, or not active any more. */
  setActive(id: string, session: SessionId, active: 'active' | 'gone'): void {
    const sessions = this.#active.get(id) ?? new Set<SessionId>();
    this.#active.set(id, sessions);
    if (active === 'active') sessions.add(session);
    else sessions.delete(session);
  }

  #left(id: string): void {
    this.#present.delete(id);
    if (!this.#active.get(id)?.size) return;
    this.#recalls.set(id, this.#host.clock.after(grace, () => {
      this.#recalls.delete(id);
      this.#deactivate(id);
    }));
  }

  #deactivate(id: string): void {
    for (const session of this.#active.get(id) ?? []) {
      this.#host.opened(session)?.dispatch(takeNote({ note: 'client', client: id, since: 0, active: null }), { kind: 'host' });
    }
    this.#active.delete(id);
  }

  #remember(client: KnownClient): void {
    const others = knownClients(this.#host.own.head).filter(({ id }) => id !== client.id);
    const old = this.known(client.id);
    if (old?.principal === client.principal && old.version === client.version && old.name === client.name) return;
    this.#host.own.dispatch(takeNote({ note: 'clients', known: [...others.slice(1 - remembered), client] }), { kind: 'host' });
  }
}

const perHost = new WeakMap<Host, Clients>();

/** The clients of a host, whatever door instance they came through. */
export function clientsOf(host: Host): Clients {
  const clients = perHost.get(host) ?? new Clients(host);
  perHost.set(host, clients);
  return clients;
}
