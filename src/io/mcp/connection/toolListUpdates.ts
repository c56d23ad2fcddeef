// Tracks whether a server has announced a new tool list that we have not fetched yet: a call may have added
// the tool that the next step needs.
import type { Client } from '@modelcontextprotocol/client';
import { onAbort } from '../../../base/waiting.ts';

/** How long to wait for the new list, in milliseconds. */
const patience = 5_000;

export class ToolList {
  readonly #waiting = new Set<() => void>();
  #stale = false;

  /** Sees messages before the library does. Call it once the client is connected. */
  watch(client: Client): void {
    const { transport } = client;
    const hear = transport?.onmessage;
    if (!transport || !hear || !client.getServerCapabilities()?.tools?.listChanged) return;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the library has no other way to listen
    transport.onmessage = (message, extra) => {
      if ('method' in message && message.method === 'notifications/tools/list_changed') this.#stale = true;
      hear(message, extra);
    };
  }

  /** Call it when the list has been fetched, or the attempt failed. */
  renewed(): void {
    this.#stale = false;
    for (const done of this.#waiting) done();
  }

  /** Waits for a pending list; resolves immediately when there is none. */
  fresh(signal: AbortSignal): Promise<void> {
    if (!this.#stale || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        leave();
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, patience);
      this.#waiting.add(done);
      const leave = onAbort(signal, done);
    });
  }
}
