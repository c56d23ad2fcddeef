// The AHP client of the library and the console: follows channels, sends actions and reports how they
// settled, and resumes after a lost connection without losing or repeating an action. It knows no view.
import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import { present } from '../../src/base/present.ts';
import type { ClientAction } from '../../src/protocols/ahp/v1_0/actions.ts';
import type { InitializeResult, RequestMethod, Requests } from '../../src/protocols/ahp/v1_0/commands.ts';
import type { URI } from '../../src/protocols/ahp/v1_0/content.ts';
import { rootChannel } from '../../src/protocols/ahp/v1_0/state.ts';
import type { ChannelStates, RootState, SessionSummary } from '../../src/protocols/ahp/v1_0/state.ts';
import { createCatalogue } from './catalogue.ts';
import type { Channel, ChannelKind, LiveChannel } from './channel.ts';
import { Channels } from './channels.ts';
import type { Settlement } from './channels.ts';
import { initialize, resume } from './handshake.ts';
import { HostConnection } from './hostConnection.ts';
import type { ConnectionState } from './hostConnection.ts';
import { notificationHandler } from './notifications.ts';
import type { AuthRequired } from './notifications.ts';
import type { Access, ExtensionMethod, ExtensionRequests } from './extensions.ts';
import { connectionLost, RequestError } from './rpc.ts';
import type { Requester, Rpc } from './rpc.ts';
import type { OpenWire } from './wire.ts';

export interface Client extends Requester {
  readonly clientId: string;
  readonly connection: ReadonlySignal<ConnectionState>;
  /** The host's answer to `initialize`; absent before the first connection. */
  readonly host: ReadonlySignal<InitializeResult | undefined>;
  /** The role of this browser; absent where the host is not Parley. */
  readonly access: ReadonlySignal<Access | undefined>;
  readonly root: Channel<RootState>;
  readonly sessions: ReadonlySignal<ReadonlyMap<URI, SessionSummary>>;
  /** True once the list of sessions has been received. */
  readonly listed: ReadonlySignal<boolean>;
  /** Protected resources that need a token, by resource name. */
  readonly authRequired: ReadonlySignal<ReadonlyMap<string, AuthRequired>>;
  /** Removes the resource from `authRequired`: the user has provided a token. */
  authDone(resource: string): void;
  /** Follows a channel until `release` has been called as often as `open`. */
  open<Kind extends ChannelKind>(
    kind: Kind,
    uri: URI,
    options?: { readonly turns?: number },
  ): Channel<ChannelStates[Kind]>;
  release(channel: Channel): void;
  dispatch(channel: Channel, action: ClientAction): Promise<Settlement>;
  start(): void;
  retryNow(): void;
  stop(): void;
}

export interface ClientOptions {
  readonly clientId: string;
  /** The name that other clients see. Default: the console's. */
  readonly name?: string;
  readonly wires: readonly OpenWire[];
  readonly isHostUp: () => Promise<boolean>;
  readonly version?: string;
  /** Whether `sessions` is kept. Default: true. */
  readonly lists?: boolean;
}

/**
 * Deltas may be merged for this long: a person does not see the difference, and the page draws less often.
 */
const maxLatencyMs = 30;

const listPageSize = 200;

export function createClient(options: ClientOptions): Client {
  return new ConsoleClient(options);
}

class ConsoleClient implements Client {
  readonly clientId: string;
  readonly host = signal<InitializeResult | undefined>(undefined);
  readonly access = signal<Access | undefined>(undefined);
  readonly listed = signal(false);
  readonly authRequired = signal<ReadonlyMap<string, AuthRequired>>(new Map());
  readonly root: Channel<RootState>;
  readonly #options: ClientOptions;
  readonly #catalogue = createCatalogue();
  readonly #channels: Channels;
  readonly #connection: HostConnection;
  /** Present from the end of the handshake until the connection is lost. */
  #rpc: Rpc | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.clientId = options.clientId;
    this.#channels = new Channels({
      clientId: options.clientId,
      isConnected: () => this.#rpc !== undefined,
      subscribe: (channel) => void (this.#rpc && this.#subscribe(channel, this.#rpc)),
      unsubscribe: (uri) => this.#rpc?.notify('unsubscribe', { channel: uri }),
    });
    this.root = this.open('root', rootChannel);
    this.#connection = new HostConnection({
      wires: options.wires,
      isHostUp: options.isHostUp,
      handshake: (rpc) => this.#shakeHands(rpc),
      onNotification: notificationHandler({
        receive: (envelope) => this.#channels.receive(envelope),
        catalogue: this.#catalogue,
        authRequired: this.authRequired,
      }),
      onDisconnect: () => {
        this.#rpc = undefined;
      },
    });
  }

  get connection(): ReadonlySignal<ConnectionState> {
    return this.#connection.state;
  }

  get sessions(): ReadonlySignal<ReadonlyMap<URI, SessionSummary>> {
    return this.#catalogue.sessions;
  }

  authDone(resource: string): void {
    this.authRequired.value = new Map([...this.authRequired.value].filter(([name]) => name !== resource));
  }

  open<Kind extends ChannelKind>(
    kind: Kind,
    uri: URI,
    { turns }: { readonly turns?: number } = {},
  ): Channel<ChannelStates[Kind]> {
    return typed<Kind>(this.#channels.open(kind, uri, turns));
  }

  release({ uri }: Channel): void {
    this.#channels.release(uri);
  }

  dispatch({ uri }: Channel, action: ClientAction): Promise<Settlement> {
    return this.#channels.propose(uri, action, ({ clientSeq }) => {
      this.#rpc?.notify('dispatchAction', { channel: uri, clientSeq, action });
      return this.#rpc !== undefined;
    });
  }

  request<Method extends RequestMethod>(
    method: Method,
    params: Requests[Method]['params'],
  ): Promise<Requests[Method]['result']> {
    return this.#rpc ? this.#rpc.request(method, params) : Promise.reject(notConnected());
  }

  requestExtension<Method extends ExtensionMethod>(
    method: Method,
    params: ExtensionRequests[Method]['params'],
  ): Promise<ExtensionRequests[Method]['result']> {
    return this.#rpc ? this.#rpc.requestExtension(method, params) : Promise.reject(notConnected());
  }

  start(): void {
    this.#connection.start();
  }

  retryNow(): void {
    this.#connection.retryNow();
  }

  stop(): void {
    this.#channels.close();
    this.#connection.stop();
  }

  /** Resumes the earlier connection where the host remembers it, otherwise starts afresh. */
  async #shakeHands(rpc: Rpc): Promise<{ readonly incompatible: string } | undefined> {
    const resumed = this.host.peek() !== undefined && (await resume(rpc, this.#channels, this.#options));
    if (!resumed) {
      const greeting = await initialize(rpc, this.#channels, this.#options);
      if ('incompatible' in greeting) return greeting;
      this.host.value = greeting.host;
    }
    this.#rpc = rpc;
    this.#subscribeAgain(rpc, resumed);
    this.#channels.resend((channel, { clientSeq, action }) =>
      rpc.notify('dispatchAction', { channel, clientSeq, action }),
    );
    // Notifications that were missed meanwhile do not come again, so the whole list is read.
    if (this.#options.lists !== false) void this.#listSessions(rpc).catch(() => undefined);
    void rpc.requestExtension('me', {}).then(
      (access) => (this.access.value = access),
      () => undefined,
    );
    return undefined;
  }

  /** After a fresh start every channel needs a subscription; after a resumption only those still opening. */
  #subscribeAgain(rpc: Rpc, resumed: boolean): void {
    for (const channel of this.#channels.all) {
      const needed = !resumed || channel.status.peek().kind === 'opening';
      // The root channel is part of the handshake.
      if (needed && channel.uri !== rootChannel) void this.#subscribe(channel, rpc);
    }
  }

  async #subscribe({ uri, turns }: LiveChannel, rpc: Rpc): Promise<void> {
    try {
      const params = {
        channel: uri,
        delivery: { maxLatencyMs },
        ...(turns === undefined ? {} : { view: { turns } }),
      };
      await rpc.requestInOrder('subscribe', params, ({ snapshot }) => {
        if (snapshot) this.#channels.load(snapshot);
      });
    } catch (error) {
      // A lost connection is no answer: the next connection subscribes again.
      if (error instanceof RequestError && error.code !== connectionLost)
        this.#channels.lose(uri, error.message);
    }
  }

  async #listSessions(rpc: Rpc): Promise<void> {
    const items: SessionSummary[] = [];
    let cursor: string | undefined;
    do {
      const params = { channel: rootChannel, limit: listPageSize, ...present({ cursor }) };
      cursor = await rpc.requestInOrder('listSessions', params, (page) => {
        items.push(...page.items);
        if (page.nextCursor === undefined) this.#catalogue.replace(items);
        return page.nextCursor;
      });
    } while (cursor !== undefined);
    this.listed.value = true;
  }
}

function notConnected(): RequestError {
  return new RequestError(connectionLost, 'Not connected to the host.');
}

/** A URI names one kind of channel, so a channel that was opened as one kind has that kind. */
function typed<Kind extends ChannelKind>(channel: LiveChannel): Channel<ChannelStates[Kind]> {
  // See above; the map of channels cannot express it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return channel as Channel as Channel<ChannelStates[Kind]>;
}
