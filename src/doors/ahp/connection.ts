// One client of any version: its identity, its subscriptions, and the echo of its actions. Independent of
// message formats.
import { present } from '../../base/present.ts';
import { errorText } from '../../base/errorText.ts';
import { pipeMethods } from '../../host/door.ts';
import type { Host } from '../../host/host.ts';
import { storeIsAway } from '../../host/session/logStore.ts';
import type { Session } from '../../host/session/session.ts';
import type { TerminalState } from '../../host/terminals/terminal.ts';
import { isRejection } from '../../model/command.ts';
import type { Origin, SessionId } from '../../model/event.ts';
import type { ProtectedResourceMetadata } from '../../protocols/ahp/v1_0/content.ts';
import type { Customization } from '../../protocols/ahp/v1_0/customization.ts';
import { encodeNotification } from '../../rpc/envelope.ts';
import type { RpcError } from '../../rpc/rpcError.ts';
import type { Clients } from './clients.ts';
import type { Role } from '../../host/policy/roles.ts';
import { shownTo } from './outbound/offeredAnswers.ts';
import type { ProjectionsByRole, ShownState } from './outbound/offeredAnswers.ts';
import { Customizations } from './outbound/customizations.ts';
import type { Opening } from './protocolVersion.ts';
import { ahpError, refusedBy, unavailable } from './errors.ts';
import { DispatchQueue } from './inbound/dispatchQueue.ts';
import { SessionUris } from './channels/sessionSpelling.ts';
import { doorName } from './notes.ts';
import type { LiveTarget, Target } from './channels/target.ts';
import { SendQueue } from './delivery/sendQueue.ts';
import { LiveResources } from './resources/liveResources.ts';
import type { LiveResourcesOptions } from './resources/liveResources.ts';
import type { ResourceScope } from './resources/resources.ts';
import { posOf, seqUpTo } from './delivery/serverSeq.ts';
import { resourcesOf } from './inbound/signIns.ts';
import { Subscriptions } from './delivery/subscriptions.ts';
import type { SubscriptionsOptions } from './delivery/subscriptions.ts';
import type { NameOf } from './outbound/terminalView.ts';

/** How a version encodes the parts that all versions share. */
export interface VersionForm
  extends
    Pick<SubscriptionsOptions, 'deliveryForm'>,
    Pick<LiveResourcesOptions, 'encode'>,
    Pick<ResourceScope, 'lost'> {
  readonly projections: ProjectionsByRole;
  readonly terminal: (state: TerminalState, nameOf: NameOf) => object;
}

/** A channel that exists, as a client spells it and as the host means it. */
export interface ResolvedChannel<T = Target | LiveTarget> {
  readonly uri: string;
  readonly session: Session;
  readonly target: T;
}

/** An action as its sender wrote it; it need not be one. */
type RefusedAction = Omit<DispatchedAction, 'action'> & { readonly action: unknown };

export interface DispatchedAction {
  /** Absent in version 1, where the action names its own resource. */
  readonly channel?: string;
  readonly clientSeq: number;
  readonly action: unknown;
}

interface RootWatch {
  refresh(): void;
  terminalsChanged(): void;
  disposed(id: SessionId, uri: string): void;
  close(): void;
}

/** The maximum number of channels a client can subscribe to. */
const maxChannels = 1_024;

export abstract class AhpConnection {
  readonly opening: Opening;
  readonly host: Host;
  readonly clients: Clients;
  readonly names: SessionUris;
  readonly sendQueue: SendQueue;
  readonly subscriptions: Subscriptions;
  readonly liveResources: LiveResources;
  readonly customizations: Customizations;
  readonly scope: ResourceScope;
  /** What it dispatches, in order. */
  readonly dispatchQueue = new DispatchQueue();
  readonly #leave: () => void;

  constructor(opening: Opening, { projections, deliveryForm, encode, terminal, lost }: VersionForm) {
    const {
      host,
      peer,
      options: { clients, files, own = [], servers, terminals },
    } = opening;
    this.opening = opening;
    this.host = host;
    this.clients = clients;
    this.names = new SessionUris(opening);
    this.scope = { host, files, own, lost };
    this.customizations = new Customizations({
      host,
      clients,
      open: servers,
      tell: (channel, customizations) => this.#extended(channel, customizations),
    });
    this.sendQueue = new SendQueue({
      send: (text) => peer.sendRaw(text),
      // A client that is behind gets what it missed with numbers below the newest.
      shown: () => (this.subscriptions.isLive ? host.shown : posOf(this.sendQueue.last)),
      clock: host.clock,
      newNumbers: () => (this.subscriptions.isLive ? host.advance() : this.subscriptions.caughtUp()),
      seen: (seq) => this.#saw(seq, 'actions'),
    });
    this.subscriptions = new Subscriptions({
      ...projections[this.role],
      sendQueue: this.sendQueue,
      ...(deliveryForm ? { deliveryForm } : {}),
      sessionOf: (chat) => host.opened(host.sessionOf(chat) ?? chat),
      ready: () => peer.ready(),
      live: () => this.rootWatch?.refresh(),
      // What cannot be read for it now it may get when it comes again.
      problem: (error) => {
        host.report(error, 'an AHP client that catches up');
        peer.close();
      },
    });
    const nameOf = (id: SessionId) => this.nameOf(id);
    this.liveResources = new LiveResources({
      host,
      peer,
      sendQueue: this.sendQueue,
      client: opening.client.id,
      hub: terminals?.(host),
      scope: this.scope,
      nameOf,
      encode,
      show: (state) => terminal(state, nameOf),
      terminalsChanged: () => this.rootWatch?.terminalsChanged(),
    });
    peer.onDrain(() => this.subscriptions.resume());
    this.#leave = host.follow((change) => {
      if (change.kind === 'removed') this.subscriptions.removeAll(change.id);
      else this.subscriptions.regain();
    });
  }

  /** Notifies the client about changes outside its sessions, if it subscribed to them. */
  protected abstract get rootWatch(): RootWatch | undefined;

  abstract get followsRoot(): boolean;

  /** The durable channel of a URI, or undefined. */
  abstract find(uri: string): Promise<ResolvedChannel | undefined>;

  /** The session that a URI belongs to, if it is listed. */
  protected abstract sessionAt(uri: string): SessionId | undefined;

  /** Why a channel is not found: `absent`, unless its session is there and cannot be read. */
  async whyNotFound(uri: string, absent: RpcError): Promise<RpcError> {
    const id = this.sessionAt(uri);
    const session = id === undefined ? undefined : await this.host.open(id);
    const why = isRejection(session) ? session : session?.readOnly;
    return why === undefined || why.rejected === 'not-found' ? absent : refusedBy(why);
  }

  /** The channels that exist, each once. */
  async findAll(uris: readonly string[] = []): Promise<readonly ResolvedChannel[]> {
    const found = await Promise.all([...new Set(uris)].map((uri) => this.find(uri)));
    return found.flatMap((channel) => channel ?? []);
  }

  /** Tells the client what extends the agents of a session now. */
  protected abstract sendCustomizations(channel: string, customizations: readonly Customization[]): void;

  /** The client as the cause of an entry; `mark` is the number of its dispatch. */
  origin(mark?: number): Extract<Origin, { kind: 'client' }> {
    const { id, name } = this.opening.client;
    return {
      kind: 'client',
      door: doorName,
      client: id,
      ...(name === undefined ? {} : { name }),
      ...present({ device: this.opening.options.caller.device, most: this.opening.options.caller.most }),
      ...(mark === undefined ? {} : { mark }),
    };
  }

  get role(): Role {
    return this.opening.options.caller.role ?? 'control';
  }

  /** The state of a session, as this client is shown it. */
  shown({ state }: Session): ShownState {
    return shownTo(this.role, state);
  }

  nameOf(id: SessionId): string {
    return this.names.of(this.host.summary(id) ?? { id, agent: '' });
  }

  /** What the agents are advertised with. */
  get resources(): readonly ProtectedResourceMetadata[] {
    return resourcesOf(this.opening.options.signIns);
  }

  /** Sends what can be sent, and returns whether that was all; a newer state may follow then. */
  sendAll(): boolean {
    this.sendQueue.flush();
    return this.subscriptions.isLive && !this.sendQueue.waiting;
  }

  /** Resolves when `sendAll` may succeed; throws if it cannot, because the store stays away. */
  async caughtUp(): Promise<void> {
    if (this.sendQueue.isStuck) throw unavailable(storeIsAway);
    await (this.sendQueue.waiting ?? this.subscriptions.caughtUp());
  }

  /** Follows a channel from the state that the client is given with the answer. */
  protected follow<State>(
    { uri, session, target }: ResolvedChannel<Target>,
    state: State,
  ): { readonly resource: string; readonly state: State; readonly fromSeq: number } {
    this.#makeRoom();
    this.subscriptions.add(session, uri, target);
    this.names.remember(uri);
    const fromSeq = this.sawAll();
    this.keepChannel(uri);
    this.#saw(fromSeq, 'snapshot');
    return { resource: uri, state, fromSeq };
  }

  /** The number that everything shown so far has; the client has seen nothing behind it. */
  protected sawAll(): number {
    const seq = seqUpTo(this.host.shown);
    this.sendQueue.saw(seq);
    return seq;
  }

  /** The next host continues the channel. */
  keepChannel(uri: string): void {
    this.#keep(`channel:${uri}`, true);
  }

  /** The next host continues behind this number, unless only this one knows what it means. */
  #saw(seq: number, how: 'actions' | 'snapshot'): void {
    this.clients.sent(this.opening.client.id, seq, how);
    if (this.opening.options.resumable && this.subscriptions.areRenumbered) this.#keep('renumbered', true);
    this.#keep('seen', seq);
  }

  /** Lets the pipe of the client keep a value for the next host; null removes it. */
  #keep(key: string, value: unknown): void {
    const { peer, options } = this.opening;
    if (options.resumable) peer.notify(pipeMethods.keep, { key, value });
  }

  /** The same for resources that are not in a log, such as terminals. */
  protected followLive(
    uri: string,
  ): { readonly resource: string; readonly state: object; readonly fromSeq: number } | undefined {
    this.#makeRoom();
    const state = this.liveResources.enter(uri);
    return state && { resource: uri, state, fromSeq: this.sendQueue.last };
  }

  #makeRoom(): void {
    this.sendQueue.flush();
    if (this.subscriptions.count + this.liveResources.count >= maxChannels)
      throw ahpError('permissionDenied', `A client can subscribe to at most ${maxChannels} channels.`);
  }

  leave(uri: string): void {
    this.customizations.leave(uri);
    this.liveResources.leave(uri);
    this.subscriptions.remove(uri);
    this.#keep(`channel:${uri}`, null);
  }

  /** The client disposed of a session: it gets nothing about it until the session changes again. */
  forget(id: SessionId, uri: string): void {
    this.subscriptions.removeAll(id);
    this.rootWatch?.disposed(id, uri);
  }

  /** The customizations of a session have changed, or a client that was away gets them again. */
  #extended(channel: string, customizations: readonly Customization[]): void {
    if (this.subscriptions.follows(channel)) this.sendCustomizations(channel, customizations);
    else this.customizations.leave(channel);
  }

  /** Echoes an unlogged action to its sender before the changes it causes. */
  echoAction({ channel, clientSeq, action }: DispatchedAction): void {
    const origin = { clientId: this.opening.client.id, clientSeq };
    this.sendQueue.tell((seq) => encodeNotification('action', { channel, action, serverSeq: seq(), origin }));
  }

  /** Gives an action back if it is refused for a reason, or if its effect cannot be stored. */
  settle(given: DispatchedAction, reason: string | undefined, session: Session): void {
    if (reason !== undefined) return this.reject(given, reason, session);
    if (!session.settledNow)
      session.settled().catch((error: unknown) => this.reject(given, errorText(error, String(error))));
  }

  /** Returns a refused action to its sender, after all entries of what it sent before. */
  reject({ channel, clientSeq, action }: RefusedAction, reason: string, session?: Session): void {
    const send = () => {
      const origin = { clientId: this.opening.client.id, clientSeq };
      this.sendQueue.notify(() =>
        encodeNotification('action', {
          channel,
          action,
          serverSeq: this.sendQueue.last,
          origin,
          rejectionReason: reason,
        }),
      );
      this.sendQueue.flush();
    };
    if (session && !session.settledNow)
      void session
        .settled()
        .catch(() => {})
        .then(send);
    else send();
  }

  close(): void {
    this.#leave();
    this.rootWatch?.close();
    this.liveResources.close();
    this.customizations.close();
    this.subscriptions.removeAll();
    this.sendQueue.close();
  }
}
