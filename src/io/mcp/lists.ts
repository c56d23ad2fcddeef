// Knows whether a server has said that its tools are others now and they have not been asked for yet: a call may have added the tool that the next step needs.
import type { Client } from '@modelcontextprotocol/client';

/** How long anybody waits for the new list, in milliseconds. */
const patience = 5_000;

export class ToolList {
  #waiting: (() => void)[] = [];
  #stale = false;

  /** Hears what the server says before the library does; to be called once it is connected. */
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

  /** The list has been asked for, whatever came of it. */
  renewed(): void {
    this.#stale = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Resolves at once where nothing has changed. */
  fresh(signal: AbortSignal): Promise<void> {
    if (!this.#stale || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, patience);
      signal.addEventListener('abort', () => resolve(), { once: true });
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
