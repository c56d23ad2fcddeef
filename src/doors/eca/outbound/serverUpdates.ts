// What a client hears of the servers of tools: one that has begun to run is told with its tools first, and then with its prompts and resources.
import type { McpServer } from '../../../protocols/eca/serviceMessages.ts';
import type { Connection } from '../connection.ts';

export type ServerChange = McpServer | { readonly removed: string };

/** Hears of the servers of the workspace as it is now; those that are in it no more are told to be gone. */
export function watchServers(connection: Connection): void {
  const {
    options: { mcp },
    roots,
    servers,
    watched: old,
  } = connection;
  if (!mcp || JSON.stringify(old?.roots) === JSON.stringify(roots)) return;
  const before = old ? mcp.list(old.roots) : [];
  connection.watched = { roots, leave: mcp.watch((change) => servers.hear(change), roots) };
  old?.leave();
  const now = mcp.list(roots);
  for (const { name } of before)
    if (!now.some((server) => server.name === name)) servers.hear({ removed: name });
}

export class ServerNews {
  readonly #tell: Connection['tell'];
  readonly #running = new Set<string>();
  /** What there is to say of a server that the client is still to be answered about. */
  readonly #held = new Map<string, ServerChange[]>();

  constructor(tell: Connection['tell']) {
    this.#tell = tell;
  }

  hear(change: ServerChange): void {
    const held = this.#held.get('removed' in change ? change.removed : change.name);
    if (held) held.push(change);
    else this.#say(change);
  }

  /** Says nothing of a server until it is released. */
  hold(name: string): void {
    if (!this.#held.has(name)) this.#held.set(name, []);
  }

  release(name: string): void {
    const held = this.#held.get(name) ?? [];
    this.#held.delete(name);
    for (const change of held) this.#say(change);
  }

  #say(change: ServerChange): void {
    if ('removed' in change) {
      this.#running.delete(change.removed);
      return this.#tell('tool/serverRemoved', { name: change.removed });
    }
    const begins = change.status === 'running' && !this.#running.has(change.name);
    if (change.status === 'running') this.#running.add(change.name);
    else this.#running.delete(change.name);
    const more = (change.prompts?.length ?? 0) > 0 || (change.resources?.length ?? 0) > 0;
    if (begins && more)
      this.#tell('tool/serverUpdated', { type: 'mcp', ...change, prompts: null, resources: null });
    this.#tell('tool/serverUpdated', { type: 'mcp', ...change });
  }
}
