// A small AHP host whose every state and action a test decides. It keeps its sequence and replays
// it, and has no agent.
import { errorCodes } from '../../../src/protocols/ahp/errors.ts';
import type { StateAction } from '../../../src/protocols/ahp/v1_0/actions.ts';
import { reducers } from '../../../src/protocols/ahp/v1_0/reduce.ts';
import { rootChannel } from '../../../src/protocols/ahp/v1_0/state.ts';
import type {
  ActionEnvelope,
  ChannelStates,
  RootState,
  SessionSummary,
} from '../../../src/protocols/ahp/v1_0/state.ts';

type Kind = keyof ChannelStates;
type Json = Readonly<Record<string, unknown>>;

export interface Line {
  receive(text: string): void;
  close(): void;
}

/** Answers a request that the host itself does not know; nothing means "method not found". */
export type Answer = (params: Json, from: string) => unknown;

/** A reason to reject an action of a client, or nothing to accept it. */
export type Judge = (channel: string, action: StateAction, from: string) => string | undefined;

interface Connection {
  readonly send: (message: object) => void;
  readonly channels: Set<string>;
  client: string;
}

interface Incoming {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Json;
}

interface Place {
  readonly kind: Kind;
  state: unknown;
}

export class ScriptedHost {
  readonly places = new Map<string, Place>();
  readonly summaries = new Map<string, SessionSummary>();
  readonly answers = new Map<string, Answer>();
  /** Every action that clients sent, in order of arrival. */
  readonly dispatched: { readonly channel: string; readonly action: StateAction; readonly from: string }[] =
    [];
  readonly requests: { readonly method: string; readonly params: Json }[] = [];
  judge: Judge = () => undefined;
  /** Actions that are passed over without a word, as a host does with what it does not know. */
  ignores: (channel: string, action: StateAction) => boolean = () => false;
  /** Runs after an accepted action of a client, for example to let an agent answer. */
  after: (channel: string, action: StateAction) => void = () => undefined;
  /** When false the host answers a reconnect with snapshots. */
  replays = true;
  triggers: readonly string[] = ['@', '/'];
  #seq = 0;
  readonly #log: ActionEnvelope[] = [];
  readonly #known = new Set<string>();
  readonly #connections = new Set<Connection>();

  constructor(root: RootState) {
    this.place('root', rootChannel, root);
  }

  place<K extends Kind>(kind: K, uri: string, state: ChannelStates[K]): void {
    this.places.set(uri, { kind, state });
  }

  state<K extends Kind>(_kind: K, uri: string): ChannelStates[K] {
    return this.places.get(uri)?.state as ChannelStates[K];
  }

  /** Announces a session to everybody who follows the root. */
  list(summary: SessionSummary): void {
    const known = this.summaries.has(summary.resource);
    this.summaries.set(summary.resource, summary);
    if (known) this.tell('root/sessionSummaryChanged', { session: summary.resource, changes: summary });
    else this.tell('root/sessionAdded', { summary });
  }

  tell(method: string, params: Json): void {
    for (const { channels, send } of this.#connections) {
      if (channels.has(rootChannel)) send({ method, params: { channel: rootChannel, ...params } });
    }
  }

  /** An action of the host itself. */
  emit(channel: string, action: StateAction): void {
    this.#publish({ channel, action, serverSeq: ++this.#seq });
  }

  /** Sends an envelope as it is, without believing it: no well-meaning host would send a broken one. */
  sendBroken(channel: string, action: object): void {
    for (const { channels, send } of this.#connections) {
      if (channels.has(channel))
        send({ method: 'action', params: { channel, action, serverSeq: ++this.#seq } });
    }
  }

  get clients(): readonly string[] {
    return [...this.#connections].map(({ client }) => client);
  }

  /** As after a restart: nobody is known any more, the states are. */
  forget(): void {
    this.#known.clear();
  }

  connect(sendText: (text: string) => void, hangUp: () => void): Line {
    const connection: Connection = {
      send: (message) => sendText(JSON.stringify({ jsonrpc: '2.0', ...message })),
      channels: new Set(),
      client: '',
    };
    this.#connections.add(connection);
    return {
      receive: (text) => this.#receive(connection, JSON.parse(text) as Incoming),
      close: () => {
        if (this.#connections.delete(connection)) hangUp();
      },
    };
  }

  #publish(envelope: ActionEnvelope): void {
    const place = this.places.get(envelope.channel);
    if (place)
      place.state = (reducers[place.kind] as (state: unknown, action: object) => unknown)(
        place.state,
        envelope.action,
      );
    this.#log.push(envelope);
    for (const { channels, send } of this.#connections) {
      if (channels.has(envelope.channel)) send({ method: 'action', params: envelope });
    }
  }

  #receive(connection: Connection, { id, method, params = {} }: Incoming): void {
    if (method === 'dispatchAction') return this.#dispatch(connection, params);
    if (method === 'unsubscribe') return void connection.channels.delete(String(params['channel']));
    if (method === undefined || id === undefined) return;
    this.requests.push({ method, params });
    const result = this.#answer(connection, method, params);
    connection.send(isFailure(result) ? { id, error: result } : { id, result });
  }

  #dispatch(connection: Connection, params: Json): void {
    const { channel, clientSeq, action } = params as unknown as {
      channel: string;
      clientSeq: number;
      action: StateAction;
    };
    const from = connection.client;
    this.dispatched.push({ channel, action, from });
    const origin = { clientId: from, clientSeq };
    if (this.ignores(channel, action)) return;
    const rejectionReason = this.judge(channel, action, from);
    if (rejectionReason !== undefined) {
      connection.send({
        method: 'action',
        params: { channel, action, serverSeq: this.#seq, origin, rejectionReason },
      });
      return;
    }
    this.#publish({ channel, action, serverSeq: ++this.#seq, origin });
    this.after(channel, action);
  }

  #answer(connection: Connection, method: string, params: Json): unknown {
    const answer = this.answers.get(method);
    if (answer) return answer(params, connection.client);
    const channel = String(params['channel']);
    switch (method) {
      case 'initialize':
        return this.#initialize(connection, params);
      case 'reconnect':
        return this.#reconnect(connection, params);
      case 'subscribe':
        if (!this.places.has(channel)) return failure(errorCodes.notFound, `There is no ${channel}.`);
        connection.channels.add(channel);
        return { snapshot: this.#snapshot(channel) };
      case 'listSessions':
        return { items: [...this.summaries.values()] };
      case 'ping':
        return null;
      default:
        return failure(errorCodes.methodNotFound, `${method} is not served.`);
    }
  }

  #initialize(connection: Connection, params: Json): unknown {
    connection.client = String(params['clientId']);
    this.#known.add(connection.client);
    connection.channels.add(rootChannel);
    return {
      protocolVersion: '1.0.0',
      serverSeq: this.#seq,
      serverInfo: { name: 'scripted', version: '1' },
      snapshots: [this.#snapshot(rootChannel)],
      defaultDirectory: 'file:///home/user',
      completionTriggerCharacters: this.triggers,
    };
  }

  #reconnect(connection: Connection, params: Json): unknown {
    const client = String(params['clientId']);
    if (!this.#known.has(client)) return failure(errorCodes.notFound, 'Unknown client.');
    connection.client = client;
    const wanted = params['subscriptions'] as readonly string[];
    const present = wanted.filter((uri) => this.places.has(uri));
    for (const uri of present) connection.channels.add(uri);
    if (!this.replays) return { type: 'snapshot', snapshots: present.map((uri) => this.#snapshot(uri)) };
    const actions = this.#log.filter(
      ({ channel, serverSeq }) =>
        serverSeq > Number(params['lastSeenServerSeq']) && present.includes(channel),
    );
    return { type: 'replay', actions, missing: wanted.filter((uri) => !present.includes(uri)) };
  }

  #snapshot(resource: string): object {
    return { resource, state: this.places.get(resource)?.state, fromSeq: this.#seq };
  }
}

function failure(code: number, message: string): { readonly code: number; readonly message: string } {
  return { code, message };
}

function isFailure(result: unknown): result is { readonly code: number; readonly message: string } {
  return typeof result === 'object' && result !== null && 'code' in result && 'message' in result;
}
