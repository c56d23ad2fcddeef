// Tells a client about the MCP servers of its workspace.
import type { McpServer } from '../../../protocols/eca/serviceMessages.ts';
import type { Workspace } from '../client/workspace.ts';
import type { EcaMcpServers } from '../options.ts';
import type { NotificationSink } from './sender.ts';

export type ServerChange = McpServer | { readonly removed: string };

export class ServerUpdates {
  readonly #sender: NotificationSink;
  readonly #workspace: Workspace;
  readonly #mcp: EcaMcpServers | undefined;
  readonly #running = new Set<string>();
  /** Updates that wait until the client has got the answer to its request about the server. */
  readonly #held = new Map<string, ServerChange[]>();
  #watch: { readonly roots: readonly string[]; readonly leave: () => void } | undefined;

  constructor(sender: NotificationSink, workspace: Workspace, mcp: EcaMcpServers | undefined) {
    this.#sender = sender;
    this.#workspace = workspace;
    this.#mcp = mcp;
  }

  /** Follows the servers of the current workspace and reports those of the previous one as removed. */
  watch(): void {
    const { roots } = this.#workspace;
    const previous = this.#watch;
    if (!this.#mcp || JSON.stringify(previous?.roots) === JSON.stringify(roots)) return;
    const before = previous ? this.#mcp.list(previous.roots) : [];
    this.#watch = { roots, leave: this.#mcp.watch((change) => this.#update(change), roots) };
    previous?.leave();
    const now = this.#mcp.list(roots);
    for (const { name } of before)
      if (!now.some((server) => server.name === name)) this.#update({ removed: name });
  }

  /** The workspace has changed; nothing happens before the first `watch`. */
  rewatch(): void {
    if (this.#watch) this.watch();
  }

  /** Keeps updates about a server back until `release`. */
  hold(name: string): void {
    if (!this.#held.has(name)) this.#held.set(name, []);
  }

  release(name: string): void {
    const held = this.#held.get(name) ?? [];
    this.#held.delete(name);
    for (const change of held) this.#send(change);
  }

  close(): void {
    this.#watch?.leave();
  }

  #update(change: ServerChange): void {
    const held = this.#held.get('removed' in change ? change.removed : change.name);
    if (held) held.push(change);
    else this.#send(change);
  }

  /**
   * A server that has just started is sent with its tools first, then again with its prompts and resources.
   */
  #send(change: ServerChange): void {
    if ('removed' in change) {
      this.#running.delete(change.removed);
      return this.#sender.notify('tool/serverRemoved', { name: change.removed });
    }
    const isRunning = change.status === 'running';
    const starts = isRunning && !this.#running.has(change.name);
    if (isRunning) this.#running.add(change.name);
    else this.#running.delete(change.name);
    const hasMore = (change.prompts?.length ?? 0) > 0 || (change.resources?.length ?? 0) > 0;
    if (starts && hasMore)
      this.#sender.notify('tool/serverUpdated', { type: 'mcp', ...change, prompts: null, resources: null });
    this.#sender.notify('tool/serverUpdated', { type: 'mcp', ...change });
  }
}
