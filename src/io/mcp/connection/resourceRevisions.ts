// How often each resource that was read may have changed since.
import type { ServerLink } from './connect.ts';

export class ResourceRevisions {
  readonly #revisions = new Map<string, number>();

  of(uri: string): number {
    return this.#revisions.get(uri) ?? 0;
  }

  /** The resource is about to be read; from now on its changes count. */
  follow(uri: string, link: ServerLink): void {
    this.#revisions.set(uri, this.of(uri));
    link.subscribe(uri);
  }

  changed(uri: string): void {
    this.#revisions.set(uri, this.of(uri) + 1);
  }

  /** Follows all resources on a new connection. Changes while there was none were not reported. */
  connected(link: ServerLink, wasConnected: boolean): void {
    for (const uri of this.#revisions.keys()) {
      link.subscribe(uri);
      if (wasConnected) this.changed(uri);
    }
  }
}
