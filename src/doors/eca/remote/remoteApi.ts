// The running remote API of one editor, if there is one.
import type { Host } from '../../../host/host.ts';
import type { Method, Notifications } from '../../../protocols/eca/messages.ts';
import type { RemoteServer, RemoteSettings } from '../options.ts';
import type { NotificationSink } from '../outbound/sender.ts';
import type { Remote } from './remote.ts';

export interface RunningRemote {
  readonly settings: RemoteSettings;
  readonly remote: Remote;
  readonly server: RemoteServer;
}

export class RemoteApi implements NotificationSink {
  readonly #host: Host;
  #running: RunningRemote | undefined;
  #changes: Promise<void> = Promise.resolve();

  constructor(host: Host) {
    this.#host = host;
  }

  get running(): RunningRemote | undefined {
    return this.#running;
  }

  /** Closes the running API; the given one takes its place. */
  replace(running: RunningRemote | undefined): void {
    this.#running?.remote.close();
    this.#running?.server.close();
    this.#running = running;
  }

  /** Runs changes of the API one after the other. */
  enqueue(change: () => Promise<void>): void {
    this.#changes = this.#changes
      .then(change)
      .catch((error: unknown) => this.#host.report(error, "an ECA connection's remote API"));
  }

  notify<M extends Method>(method: M, params: Notifications[M]): void {
    this.#running?.remote.notify(method, params);
  }
}
