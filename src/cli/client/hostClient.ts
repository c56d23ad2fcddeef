// Our own commands as a client of a host, on the client library: the states that the host has confirmed, and
// why it refuses an action. The connection resumes by itself after the host was lost.
import type { Channel, ChannelKind } from '../../../client/connection/channel.ts';
import type { Settlement } from '../../../client/connection/channels.ts';
import { createClient } from '../../../client/connection/client.ts';
import type { Client } from '../../../client/connection/client.ts';
import type { ExtensionMethod, ExtensionRequests } from '../../../client/connection/extensions.ts';
import type { OpenWire } from '../../../client/connection/wire.ts';
import type { ClientAction } from '../../protocols/ahp/v1_0/actions.ts';
import type { RequestMethod, Requests } from '../../protocols/ahp/v1_0/commands.ts';
import type { URI } from '../../protocols/ahp/v1_0/content.ts';
import type { ChannelStates, ChatState, RootState, SessionState } from '../../protocols/ahp/v1_0/state.ts';

declare const PARLEY_VERSION: string;

export interface HostClientOptions {
  readonly clientId: string;
  readonly wire: OpenWire;
  /** Called before something is sent without a connection: somebody needs the host now. */
  readonly needed?: () => void;
}

/** How others see this client. */
export const terminalName = 'Terminal';

/** Connects and performs the handshake. */
export async function connectClient(options: HostClientOptions): Promise<HostClient> {
  const client = createClient({
    clientId: options.clientId,
    name: terminalName,
    version: PARLEY_VERSION,
    wires: [options.wire],
    isHostUp: () => Promise.resolve(false),
    lists: false,
  });
  client.start();
  const connected = new HostClient(client, options);
  await Promise.race([
    firstOf(client.connection, ({ kind }) => kind === 'online' || undefined),
    connected.closed.then((reason) => Promise.reject(new Error(reason))),
  ]);
  return connected;
}

export class HostClient {
  readonly clientId: string;
  /** Why there will be no connection any more. */
  readonly closed: Promise<string>;
  readonly #client: Client;
  readonly #needed: () => void;
  readonly #opened = new Map<URI, { readonly channel: Channel; stop: () => void }>();
  readonly #watching = new Set<(isOnline: boolean) => void>();
  #problem: string | undefined;
  #end: (reason: string) => void = () => {};

  constructor(client: Client, { clientId, needed = () => {} }: HostClientOptions) {
    this.clientId = clientId;
    this.#client = client;
    this.#needed = needed;
    this.closed = new Promise((resolve) => {
      this.#end = resolve;
    });
    client.connection.subscribe((state) => {
      if (state.kind === 'incompatible') this.#end(state.reason);
    });
  }

  /** Why the host is not there yet, until there is a connection again. */
  get problem(): string | undefined {
    return this.isOnline ? undefined : this.#problem;
  }

  /** Tells that the host cannot be started, or not yet. What was sent waits. */
  reportProblem(reason: string): void {
    this.#problem = `${reason} What you have sent waits for the host.`;
    for (const changed of this.#watching) changed(false);
  }

  get isOnline(): boolean {
    return this.#client.connection.peek().kind === 'online';
  }

  /** Called whenever the connection is lost and found again, and when the host cannot be started. */
  onConnection(changed: (isOnline: boolean) => void): () => void {
    let was = this.isOnline;
    this.#watching.add(changed);
    const stop = this.#client.connection.subscribe(({ kind }) => {
      const is = kind === 'online';
      if (is === was) return;
      was = is;
      if (is) this.#problem = undefined;
      changed(is);
    });
    return () => {
      this.#watching.delete(changed);
      stop();
    };
  }

  request<M extends RequestMethod>(method: M, params: Requests[M]['params']): Promise<Requests[M]['result']> {
    return this.#client.request(method, params);
  }

  /** A request beyond AHP, which only Parley serves. */
  requestExtension<M extends ExtensionMethod>(
    method: M,
    params: ExtensionRequests[M]['params'],
  ): Promise<ExtensionRequests[M]['result']> {
    return this.#client.requestExtension(method, params);
  }

  /** Resolves with the current state of the chat; the callback gets every later one. */
  followChat(chat: URI, changed: (state: ChatState) => void): Promise<ChatState> {
    return this.follow('chat', chat, changed);
  }

  /** Resolves with the current state of the channel; the callback gets every later one. */
  async follow<Kind extends ChannelKind>(
    kind: Kind,
    uri: URI,
    changed: (state: ChannelStates[Kind]) => void,
  ): Promise<ChannelStates[Kind]> {
    const channel = this.#client.open(kind, uri);
    this.leave(uri);
    const opened = { channel, stop: () => {} };
    this.#opened.set(uri, opened);
    let current = await stateOf(channel);
    if (this.#opened.get(uri) === opened)
      opened.stop = channel.confirmed.subscribe((state) => {
        if (!state || state === current) return;
        current = state;
        changed(state);
      });
    return current;
  }

  /** Stops following a channel. */
  leave(uri: URI): void {
    const opened = this.#opened.get(uri);
    if (!opened) return;
    this.#opened.delete(uri);
    opened.stop();
    this.#client.release(opened.channel);
  }

  /** The agents with their models. */
  root(): Promise<RootState> {
    return stateOf(this.#client.root);
  }

  async session(session: URI): Promise<SessionState> {
    const channel = this.#client.open('session', session);
    try {
      return await stateOf(channel);
    } finally {
      this.#client.release(channel);
    }
  }

  /**
   * Resolves with the reason if the host refuses the action, otherwise with undefined. Without a connection
   * the action waits for the next one.
   */
  async dispatch(uri: URI, action: ClientAction): Promise<string | undefined> {
    this.#need();
    // Only a channel that is followed tells what became of an action.
    const channel = this.#client.open(uri.startsWith('ahp-session:') ? 'session' : 'chat', uri);
    try {
      return refusalOf(await this.#client.dispatch(channel, action));
    } finally {
      this.#client.release(channel);
    }
  }

  close(reason = 'The connection was closed.'): void {
    this.#end(reason);
    this.#client.stop();
  }

  #need(): void {
    if (this.isOnline) return;
    this.#needed();
    this.#client.retryNow();
  }
}

function refusalOf(settlement: Settlement): string | undefined {
  if (settlement.kind === 'rejected') return settlement.reason;
  if (settlement.kind === 'unconfirmed') return 'The host did not confirm it. Check before you repeat it.';
  return undefined;
}

async function stateOf<State>({ confirmed, status }: Channel<State>): Promise<State> {
  let stop = () => {};
  const lost = new Promise<never>((_, reject) => {
    stop = status.subscribe((now) => now.kind === 'gone' && reject(new Error(now.reason)));
  });
  try {
    const state = await Promise.race([firstOf(confirmed, (value) => value), lost]);
    return confirmed.peek() ?? state;
  } finally {
    stop();
  }
}

interface Readable<Value> {
  subscribe(listener: (value: Value) => void): () => void;
}

/** The first value that `find` finds something in. */
function firstOf<Value, Found>(
  source: Readable<Value>,
  find: (value: Value) => Found | undefined,
): Promise<Found> {
  return new Promise((resolve) => {
    const stop = source.subscribe((value) => {
      const found = find(value);
      if (found === undefined) return;
      resolve(found);
      // The first call comes before `subscribe` has returned.
      queueMicrotask(() => stop());
    });
  });
}
