// Hosts on one memory store that have links to each other, as hosts on one database.
import type { HostLink, Links } from '../../src/host/ownership/hostLinks.ts';
import { LinkBroken } from '../../src/host/ownership/hostLinks.ts';
import { leaseLost } from '../../src/host/session/logStore.ts';
import type { Batch, ForeignChange, LogStore, SharedStore } from '../../src/host/session/logStore.ts';
import { rig } from './host.ts';
import type { Rig } from './host.ts';
import { MemoryStore } from './memoryStore.ts';

/** What the hosts have in common, as a database would keep it. */
export class SharedTables extends MemoryStore {
  readonly owners = new Map<string, string>();
  readonly followers = new Map<string, (change: ForeignChange) => void>();
  readonly hosts = new Map<string, Rig>();
  /** The names of the hosts that nobody reaches. */
  readonly cut = new Set<string>();
  /** The names of those that do nothing: they neither renew their lease nor answer. */
  readonly frozen = new Set<string>();
  /** Each ends the news of one session, as a link that is cut. */
  readonly breaks: (() => void)[] = [];
  /** Called before a claim is answered. */
  beforeAnswer: () => Promise<void> = async () => {};
  reserved = 0;

  /** The greatest position that any host has used or keeps for itself. */
  get newest(): number {
    return Math.max(this.head(), this.reserved);
  }

  tell(by: string, change: ForeignChange): void {
    for (const [name, follower] of this.followers) if (name !== by) follower(change);
  }

  /** As after a crash: the host is gone, and so is its lease. */
  removeHost(name: string): void {
    this.cut.add(name);
    for (const [session, owner] of this.owners) if (owner === name) this.owners.delete(session);
  }
}

/** `how` says whether the hosts take links. */
export async function sharedHost(
  name: string,
  tables: SharedTables,
  how: 'with links' | 'without links' = 'with links',
): Promise<Rig> {
  const on = await rig(storeOf(name, tables, how));
  tables.hosts.set(name, on);
  return on;
}

function linksOf(me: string, tables: SharedTables): Links {
  const reach = (name: string) => {
    const there = tables.hosts.get(name);
    if (!there || tables.cut.has(name) || tables.cut.has(me))
      throw new LinkBroken(`${name} cannot be reached.`);
    return there.host.forOthers;
  };
  return {
    to: ({ host }): HostLink => ({
      command: async (command) => {
        if (tables.frozen.has(host)) await new Promise(() => {});
        // As over a wire: nothing is shared but the text.
        const answer = await reach(host).command(JSON.parse(JSON.stringify(command)));
        reach(host);
        return answer;
      },
      letGo: async (session) => reach(host).letGo(session, me),
      follow: (session, on) => {
        const leave = tables.cut.has(host) ? undefined : reach(host).follow(session, on);
        if (!leave) queueMicrotask(() => on.gone());
        else
          tables.breaks.push(() => {
            leave();
            on.broke?.();
          });
        return leave ?? (() => {});
      },
      get isUp() {
        return !tables.cut.has(host) && !tables.cut.has(me);
      },
    }),
  };
}

function storeOf(name: string, tables: SharedTables, how: 'with links' | 'without links'): LogStore {
  let renewals = 0;
  const ownerOf = (session: string) => {
    const host = tables.owners.get(session);
    if (host === undefined || host === name) return undefined;
    if (!tables.frozen.has(host)) renewals += 1;
    const lease = { lease: host, renewed: String(renewals) };
    return { host, ...lease, ...(how === 'with links' ? { address: { url: `memory:${host}` } } : {}) };
  };
  // As with a database, a host learns the positions of others only when it asks or reads.
  let head = tables.newest;
  const see = (pos: number) => (head = Math.max(head, pos));
  const take = (session: string) => {
    // One without entries belongs to whoever writes the first.
    const exists = tables.summaries().some(({ id }) => id === session);
    if (exists && !tables.owners.has(session)) tables.owners.set(session, name);
    see(tables.newest);
  };
  const shared: SharedStore = {
    name,
    ...(how === 'with links' ? { links: linksOf(name, tables) } : {}),
    async claim(session) {
      take(session);
      const owner = ownerOf(session);
      await tables.beforeAnswer();
      return owner;
    },
    async claimFree(sessions) {
      sessions.forEach(take);
      const mine = sessions.filter((session) => tables.owners.get(session) === name);
      await tables.beforeAnswer();
      return mine;
    },
    ownerOf: async (session) => ownerOf(session),
    async reserve(pos) {
      tables.reserved = Math.max(tables.reserved, pos);
    },
    async release(session) {
      if (tables.broken) throw tables.broken;
      if (tables.owners.get(session) === name) tables.owners.delete(session);
    },
    follow: (follower) => void tables.followers.set(name, follower),
  };
  return {
    summaries: () => tables.summaries(),
    unfinished: () => tables.unfinished().filter((id) => !tables.owners.has(id)),
    head: () => head,
    async takePosition() {
      tables.reserved = tables.newest + 1;
      return see(tables.reserved);
    },
    *read(session, after) {
      for (const entry of tables.read(session, after)) {
        see(entry.pos);
        yield entry;
      }
    },
    remove: (session) => tables.remove(session),
    close: () => {},
    shared,
    write(batch: Batch): void {
      for (const { session } of batch.entries) {
        const owner = tables.owners.get(session) ?? name;
        if (owner !== name || tables.cut.has(name))
          throw Object.assign(new Error(`${owner} owns ${session}.`), { code: leaseLost });
        tables.owners.set(session, owner);
      }
      tables.write(batch);
      for (const { entry } of batch.entries) see(entry.pos);
      for (const summary of batch.summaries) tables.tell(name, { kind: 'changed', summary });
    },
  };
}
