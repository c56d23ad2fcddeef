// The console's side of the protocol: follows channels, sends our actions and settles them, and comes back after a lost
// connection without losing or repeating anything. It knows no view.
import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
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
import { createLink } from './link.ts';
import type { LinkState } from './link.ts';
import { hearing } from './notifications.ts';
import type { AuthRequired } from './notifications.ts';
import type { Me, OwnMethod, OwnRequests } from './own.ts';
import { connectionLost, RequestError } from './rpc.ts';
import type { Rpc } from './rpc.ts';
import type { OpenWire } from './wire.ts';

export interface Client {
  readonly clientId: string;
  readonly link: ReadonlySignal<LinkState>;
  /** What the host said about itself; absent until it did. */
  readonly host: ReadonlySignal<InitializeResult | undefined>;
  /** What we may do here, where the host is our own. */
  readonly me: ReadonlySignal<Me | undefined>;
  readonly root: Channel<RootState>;
  readonly sessions: ReadonlySignal<ReadonlyMap<URI, SessionSummary>>;
  /** Whether the list of sessions has been received once. */
  readonly listed: ReadonlySignal<boolean>;
  /** Resources that need a token, by their name. */
  readonly authRequired: ReadonlySignal<ReadonlyMap<string, AuthRequired>>;
  /** A token for the resource was given, so it is not due any more. */
  authDone(resource: string): void;
  /** Follows a channel until `release` has been called as often. */
  open<Kind extends ChannelKind>(
    kind: Kind,
    uri: URI,
    options?: { readonly turns?: number },
  ): Channel<ChannelStates[Kind]>;
  release(channel: Channel): void;
  dispatch(channel: Channel, action: ClientAction): Promise<Settlement>;
  request<Method extends RequestMethod>(
    method: Method,
    params: Requests[Method]['params'],
  ): Promise<Requests[Method]['result']>;
  /** Something that only our own host serves. */
  ask<Method extends OwnMethod>(
    method: Method,
    params: OwnRequests[Method]['params'],
  ): Promise<OwnRequests[Method]['result']>;
  start(): void;
  retryNow(): void;
  stop(): void;
}

export interface ClientOptions {
  readonly clientId: string;
  readonly wires: readonly OpenWire[];
  readonly isHostUp: () => Promise<boolean>;
  readonly version?: string;
}

/** Deltas may be merged for this long; a person does not see the difference and the page draws less. */
const maxLatencyMs = 30;

const listPage = 200;

export function createClient(options: ClientOptions): Client {
  const host = signal<InitializeResult | undefined>(undefined);
  const me = signal<Me | undefined>(undefined);
  const listed = signal(false);
  const authRequired = signal<ReadonlyMap<string, AuthRequired>>(new Map());
  const catalogue = createCatalogue();
  /** Present from the moment the greeting is over until the connection is lost. */
  let ready: Rpc | undefined;

  const channels: Channels = new Channels({
    clientId: options.clientId,
    isConnected: () => ready !== undefined,
    subscribe: (channel) => void (ready && subscribe(channel, ready)),
    unsubscribe: (uri) => ready?.notify('unsubscribe', { channel: uri }),
  });
  const root = channels.open('root', rootChannel);

  const subscribe = async (channel: LiveChannel, rpc: Rpc): Promise<void> => {
    const { uri, turns } = channel;
    const view = turns === undefined ? {} : { view: { turns } };
    try {
      const { snapshot } = await rpc.request('subscribe', {
        channel: uri,
        delivery: { maxLatencyMs },
        ...view,
      });
      if (snapshot) channels.load(snapshot);
    } catch (error) {
      // A lost connection is no answer: the channel is asked for again on the next one.
      if (error instanceof RequestError && error.code !== connectionLost) channels.lose(uri, error.message);
    }
  };

  const list = async (rpc: Rpc): Promise<void> => {
    const items: SessionSummary[] = [];
    let cursor: string | undefined;
    do {
      const from = cursor === undefined ? {} : { cursor };
      const page = await rpc.request('listSessions', { channel: rootChannel, limit: listPage, ...from });
      items.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    catalogue.replace(items);
    listed.value = true;
  };

  const link = createLink({
    ...options,
    greet: async (rpc) => {
      const resumed = host.peek() !== undefined && (await resume(rpc, channels, options));
      if (!resumed) {
        const greeting = await initialize(rpc, channels, options);
        if ('incompatible' in greeting) return greeting;
        host.value = greeting.host;
      }
      ready = rpc;
      const stale = channels.all.filter((channel) => !resumed || channel.condition.peek().kind === 'opening');
      for (const channel of stale) if (channel !== root) void subscribe(channel, rpc);
      channels.resend((channel, { clientSeq, action }) =>
        rpc.notify('dispatchAction', { channel, clientSeq, action }),
      );
      // What was told on the root channel meanwhile is not told again, so the list is read anew.
      void list(rpc).catch(() => undefined);
      void rpc.ask('me', {}).then(
        (found) => (me.value = found),
        () => undefined,
      );
      return undefined;
    },
    heard: hearing({ receive: (envelope) => channels.receive(envelope), catalogue, authRequired }),
    lost: () => {
      ready = undefined;
    },
  });

  return {
    clientId: options.clientId,
    link: link.state,
    host,
    me,
    root: typed<'root'>(root),
    sessions: catalogue.sessions,
    listed,
    authRequired,
    authDone: (resource) => {
      authRequired.value = new Map([...authRequired.value].filter(([name]) => name !== resource));
    },
    open: <Kind extends ChannelKind>(kind: Kind, uri: URI, { turns }: { readonly turns?: number } = {}) =>
      typed<Kind>(channels.open(kind, uri, turns)),
    release: ({ uri }) => channels.release(uri),
    dispatch: ({ uri }, action) =>
      channels.propose(uri, action, ({ clientSeq }) => {
        ready?.notify('dispatchAction', { channel: uri, clientSeq, action });
        return ready !== undefined;
      }),
    request: (method, params) =>
      ready
        ? ready.request(method, params)
        : Promise.reject(new RequestError(connectionLost, 'There is no connection to the host.')),
    ask: (method, params) =>
      ready
        ? ready.ask(method, params)
        : Promise.reject(new RequestError(connectionLost, 'There is no connection to the host.')),
    start: link.start,
    retryNow: link.retryNow,
    stop: link.stop,
  };
}

/** A URI names one kind of channel, so what was opened as one kind is of that kind. */
function typed<Kind extends ChannelKind>(channel: LiveChannel): Channel<ChannelStates[Kind]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above; the map of channels cannot express it
  return channel as Channel as Channel<ChannelStates[Kind]>;
}
