// Passes the messages of one client to its host and back. When the host is lost, it continues the connection
// with the next host: nothing is sent twice, and every request is answered once. Does no I/O.
import { isRecord } from '../../../base/isRecord.ts';
import { awayStore, interruptedRequest, pipeMethods, requestKey } from '../../../host/door.ts';
import { rpcCodes } from '../../../rpc/rpcError.ts';
import { Announcements } from './announcements.ts';
import { HostRequests } from './hostRequests.ts';
import { encodeMessage, parseMessage } from './message.ts';
import type { RpcMessage } from './message.ts';
import type { PipedProtocol } from './pipedProtocols.ts';

export interface RelayOptions {
  readonly protocol: PipedProtocol;
  readonly toClient: (text: string) => void;
  /**
   * The answer to a first request that comes before any host is connected; undefined to leave it to the host.
   */
  readonly greet?: ((method: string, params: unknown) => unknown) | undefined;
  /** A new name for a request that must have its effect once. */
  readonly newKey: () => string;
  /** The next host cannot continue the connection. */
  readonly failed: (failure: RelayFailure) => void;
  /** The client and the host are connected. */
  readonly live: () => void;
}

export interface RelayFailure {
  readonly reason: string;
  /** Whether the host may continue it later: its store is away. */
  readonly isTemporary: boolean;
}

interface UnansweredRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params: unknown;
  readonly text: string;
}

interface SentNotification {
  /** The number of the message on its connection. */
  readonly number: number;
  readonly text: string;
}

export class Relay {
  readonly #options: RelayOptions;
  readonly #hostRequests: HostRequests;
  readonly #announcements = new Announcements();
  #phase: 'lost' | 'resuming' | 'live' = 'lost';
  #send: (text: string) => void = () => {};
  /** How many messages the current host was sent. */
  #sent = 0;
  readonly #unanswered = new Map<string, UnansweredRequest>();
  /** Notifications that the host has not stored yet. */
  #unstored: readonly SentNotification[] = [];
  /** The client's messages that wait for a host. */
  #held: string[] = [];
  #handshake: readonly string[] = [];
  #isGreeted = false;
  /** The first request, in JSON of its id, from our early answer until the host's own answer. */
  #early: string | undefined;
  readonly #kept = new Map<string, unknown>();
  /** Our own requests to the host, by id. */
  readonly #own = new Map<unknown, (failure: RelayFailure | undefined) => void>();
  #ownCount = 0;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#hostRequests = new HostRequests({ ...options, toHost: (text) => this.#toHost(text) });
  }

  /** Whether nobody waits for a host: no request is under way and no message is held back. */
  get isIdle(): boolean {
    const early = this.#early === undefined ? 0 : 1;
    return this.#unanswered.size + this.#held.length <= early;
  }

  get hasQuestion(): boolean {
    return this.#hostRequests.hasQuestion;
  }

  get hasAnswer(): boolean {
    return this.#hostRequests.hasAnswer;
  }

  fromClient(text: string): void {
    const message = parseMessage(text);
    if (message && message.method === undefined && message.id !== undefined) this.#answer(message);
    else if (this.#phase === 'live') this.#forward(text, message);
    else {
      if (this.#held.length === 0 && !this.#isGreeted) this.#greet(message);
      this.#held.push(text);
    }
  }

  /**
   * A message with an id alone is an answer only if we wait for it. Else the host refuses it, by its method:
   * a request of the host may have the same id.
   */
  #answer(message: RpcMessage): void {
    const isEmpty = message.result === undefined && message.error === undefined;
    if (!this.#hostRequests.answer(message) && isEmpty)
      this.fromClient(JSON.stringify({ ...message, method: null }));
  }

  fromHost(text: string): void {
    const message = parseMessage(text);
    if (message === undefined) return;
    const { method, id } = message;
    if (typeof method !== 'string') this.#response(message, text);
    else if (id === undefined) this.#notification(method, message.params, text);
    else this.#hostRequests.ask(message, method, text);
  }

  /** A host is connected: the first one, or the next one after a loss. */
  connected(send: (text: string) => void): void {
    this.#sent = 0;
    this.#send = send;
    if (this.#isGreeted) return this.#resume();
    for (const { text } of this.#unanswered.values()) this.#toHost(text);
    for (const text of this.#handshake) if (parseMessage(text)?.id === undefined) this.#toHost(text);
    this.#repeatNotifications();
    this.#goLive();
  }

  lost(): void {
    this.#phase = 'lost';
    this.#send = () => {};
    this.#own.clear();
    this.#announcements.expectRepetition();
    this.#hostRequests.hostLost();
  }

  /** Answers every request that is under way, because no host will. */
  interrupt(reason: string = interruptedRequest.message): void {
    for (const text of this.#held.splice(0)) this.#note(text, parseMessage(text));
    const error = { code: rpcCodes.internalError, message: reason, data: interruptedRequest.data };
    for (const [key, { id }] of this.#unanswered)
      if (key !== this.#early) this.#options.toClient(encodeMessage({ id, error }));
    this.#unanswered.clear();
  }

  /** The host gets the same request, too; its answer is dropped. */
  #greet(message: RpcMessage | undefined): void {
    const { protocol, greet, toClient } = this.#options;
    if (!greet || typeof message?.method !== 'string' || message.id === undefined) return;
    if (this.#unanswered.size > 0 || !protocol.handshake.includes(message.method)) return;
    const result = greet(message.method, message.params);
    if (result === undefined) return;
    this.#early = JSON.stringify(message.id);
    toClient(encodeMessage({ id: message.id, result }));
  }

  #forward(text: string, message: RpcMessage | undefined): void {
    const sent = this.#note(text, message);
    this.#toHost(sent);
    if (typeof message?.method !== 'string' || message.id !== undefined) return;
    if (!this.#options.protocol.handshake.includes(message.method))
      this.#unstored = [...this.#unstored, { number: this.#sent, text: sent }];
  }

  /** Remembers what the next host must know of a message. Returns the text for the host. */
  #note(text: string, message: RpcMessage | undefined): string {
    if (typeof message?.method !== 'string') return text;
    const { handshake, once } = this.#options.protocol;
    const { id, method } = message;
    const params = once.includes(method) ? this.#withKey(message.params) : message.params;
    const sent = params === message.params ? text : JSON.stringify({ ...message, params });
    if (handshake.includes(method)) this.#handshake = [...this.#handshake, sent];
    if (id !== undefined) this.#unanswered.set(JSON.stringify(id), { id, method, params, text: sent });
    return sent;
  }

  #withKey(params: unknown): unknown {
    if (!isRecord(params)) return params;
    const meta = isRecord(params['_meta']) ? params['_meta'] : {};
    return { ...params, _meta: { ...meta, [requestKey]: this.#options.newKey() } };
  }

  #toHost(text: string): number {
    this.#sent += 1;
    this.#send(text);
    return this.#sent;
  }

  #resume(): void {
    this.#phase = 'resuming';
    const refused = (failure: RelayFailure | undefined) => {
      if (failure !== undefined) this.#options.failed(failure);
    };
    for (const text of this.#handshake) {
      const message = parseMessage(text) ?? {};
      if (message.id === undefined) this.#toHost(text);
      else this.#request(message, refused);
    }
    const params = { kept: Object.fromEntries(this.#kept) };
    this.#request({ method: pipeMethods.resume, params }, (failure) => {
      if (failure !== undefined) return this.#options.failed(failure);
      for (const { id, method, params: given } of this.#unanswered.values())
        this.#toHost(encodeMessage({ id, method: pipeMethods.again, params: { method, params: given } }));
      this.#repeatNotifications();
      this.#request({ method: pipeMethods.live, params: {} }, () => this.#goLive());
    });
  }

  #request(message: RpcMessage, done: (failure: RelayFailure | undefined) => void): void {
    const id = `parley-${(this.#ownCount += 1)}`;
    this.#own.set(id, done);
    this.#toHost(encodeMessage({ ...message, id }));
  }

  #repeatNotifications(): void {
    this.#unstored = this.#unstored.map(({ text }) => {
      this.#toHost(text);
      return { number: this.#sent, text };
    });
  }

  #goLive(): void {
    this.#phase = 'live';
    this.#options.live();
    this.#hostRequests.settle();
    for (const text of this.#held.splice(0)) this.fromClient(text);
  }

  #response(message: RpcMessage, text: string): void {
    const own = this.#own.get(message.id);
    if (own) {
      this.#own.delete(message.id);
      return own(failureIn(message));
    }
    const key = JSON.stringify(message.id);
    const { method = '' } = this.#unanswered.get(key) ?? {};
    if (this.#options.protocol.handshake.includes(method)) this.#isGreeted = true;
    this.#unanswered.delete(key);
    if (key !== this.#early) return this.#options.toClient(text);
    this.#early = undefined;
    const failure = failureIn(message);
    if (failure !== undefined) this.#options.failed(failure);
  }

  #notification(method: string, params: unknown, text: string): void {
    const { protocol, toClient } = this.#options;
    const given = isRecord(params) ? params : {};
    if (method === pipeMethods.keep) this.#keep(given);
    else if (method === pipeMethods.taken) this.#taken(Number(given['count']));
    else if (method === protocol.cancel?.method) this.#hostRequests.cancelled(given[protocol.cancel.idKey]);
    else if (method === protocol.echo?.method) this.#echoed(given, text);
    else if (!protocol.announces(method) || !this.#announcements.isRepeated(method, params, text))
      toClient(text);
  }

  #keep({ key, value }: { readonly [name: string]: unknown }): void {
    if (typeof key !== 'string') return;
    this.#isGreeted = true;
    if (value === null) this.#kept.delete(key);
    else this.#kept.set(key, value);
  }

  /**
   * The host has stored the notification that it repeats. The client sees its number now: the host may be
   * lost before it tells.
   */
  #echoed({ origin, serverSeq }: { readonly [name: string]: unknown }, text: string): void {
    if (typeof serverSeq === 'number')
      this.#kept.set('seen', Math.max(serverSeq, Number(this.#kept.get('seen') ?? 0)));
    if (this.#unstored.length > 0 && isRecord(origin) && origin['clientId'] === this.#kept.get('client'))
      this.#unstored = this.#unstored.filter((sent) => clientSeqIn(sent.text) !== origin['clientSeq']);
    this.#options.toClient(text);
  }

  #taken(count: number): void {
    this.#hostRequests.taken(count);
    this.#unstored = this.#unstored.filter(({ number }) => number > count);
  }
}

function failureIn({ error }: RpcMessage): RelayFailure | undefined {
  if (error === undefined || error === null) return undefined;
  const { message, data } = isRecord(error) ? error : {};
  return {
    reason: typeof message === 'string' ? message : 'It gave no reason.',
    isTemporary: isRecord(data) && data['code'] === awayStore.code,
  };
}

function clientSeqIn(text: string): unknown {
  const params = parseMessage(text)?.params;
  return isRecord(params) ? params['clientSeq'] : undefined;
}
