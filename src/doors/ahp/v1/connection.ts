// One client of version 1: its subscriptions, its requests and what it dispatches. It sees every chat as a session of its own.
import { shareLive } from '../../../host/live.ts';
import type { Host } from '../../../host/host.ts';
import type { Session } from '../../../host/session.ts';
import type { ChatSummary, Summary } from '../../../host/summary.ts';
import type { ChatId, Origin, SessionId } from '../../../model/event.ts';
import { diff } from '../../../protocols/ahp/difference.ts';
import type { ActionOf } from '../../../protocols/ahp/v1/actions.ts';
import type { RequestMethod, Requests } from '../../../protocols/ahp/v1/commands.ts';
import { isRequestMethod, parseClientAction, parseNotification, parseRequest } from '../../../protocols/ahp/v1/schema.ts';
import { rootResource } from '../../../protocols/ahp/v1/state.ts';
import type { Snapshot } from '../../../protocols/ahp/v1/state.ts';
import { encodeNotification } from '../../../rpc/envelope.ts';
import { answered } from '../answered.ts';
import type { Answering } from '../answered.ts';
import type { Customization } from '../../../protocols/ahp/newest/customization.ts';
import { clientsOf } from '../clients.ts';
import { Customizations } from '../customizations.ts';
import { thin } from './customizations.ts';
import type { Dialect, Opening, Spoken } from '../dialect.ts';
import { agentOf, configOf, configSchema } from '../config.ts';
import { refused } from '../errors.ts';
import { Line } from '../line.ts';
import { openLocated } from '../locate.ts';
import { readToolTerminal } from '../content.ts';
import type { ToolPlace } from '../content.ts';
import { isToolPlace, toolAt, toolPlace, v1ToolTerminal } from '../toolTerminal.ts';
import { Names } from '../names.ts';
import { doorName, hostConfig, takeNote } from '../notes.ts';
import { maxKept } from '../act.ts';
import { Outlet } from '../outlet.ts';
import { Outside } from '../outside.ts';
import type { ResourceScope } from '../resources.ts';
import { v1Terminal } from '../terminalView.ts';
import { outside, root } from '../outgoing.ts';
import type { Place } from '../outgoing.ts';
import { seqUpTo } from '../serverSeq.ts';
import { Subscriptions } from '../subscriptions.ts';
import { act } from './inbound.ts';
import { locate } from './locate.ts';
import type { Located } from './locate.ts';
import { project } from './outbound.ts';
import { reconnect } from './reconnect.ts';
import { requests } from './requests.ts';
import { rootState } from './rootState.ts';
import { resourcesOf } from '../signIns.ts';
import type { ProtectedResourceMetadata } from '../../../protocols/ahp/v1/content.ts';
import { sessionState } from './sessionState.ts';
import { ownerOf } from './terminals.ts';
import { Watch } from './watch.ts';

export const v1: Dialect = (opening) => new V1Connection(opening);

/** A client cannot follow more resources than this at once. */
const maxResources = 1_024;

const liveOf = shareLive(project);

export class V1Connection implements Spoken {
  readonly opening: Opening;
  readonly host: Host;
  readonly names = new Names(undefined);
  readonly outlet: Outlet;
  readonly subscriptions: Subscriptions;
  readonly watch: Watch;
  readonly outside: Outside;
  readonly customizations: Customizations;
  readonly #line = new Line();
  readonly #leave: () => void;

  constructor(opening: Opening) {
    const { host, peer } = opening;
    this.opening = opening;
    this.host = host;
    this.customizations = new Customizations({ host, open: opening.options.servers, tell: (session, customizations) => this.#extended(session, customizations) });
    this.outlet = new Outlet({ send: (text) => peer.sendRaw(text), shown: () => host.shown, after: (milliseconds, run) => host.clock.after(milliseconds, run) });
    this.subscriptions = new Subscriptions({
      sessionOf: (chat) => host.opened(host.sessionOf(chat) ?? chat),
      outlet: this.outlet, project, liveOf, ready: () => peer.ready(), live: () => this.watch.refresh(),
      problem: (error) => {
        host.report(error, 'an AHP client that catches up');
        peer.close();
      },
    });
    this.watch = new Watch({
      host, outlet: this.outlet, followsRoot: () => this.followsRoot, isLive: () => this.subscriptions.isLive, nameOf: (summary, chat) => this.nameOf(summary, chat),
      terminals: () => this.outside.terminals, signIns: opening.options.signIns,
    });
    const nameOf = (id: SessionId) => this.names.of(host.summary(id) ?? { id, agent: '' });
    this.outside = new Outside({
      host, peer, outlet: this.outlet, client: opening.client.id, hub: opening.options.terminals?.(host), scope: this.scope, nameOf,
      encode: (terminal, action, envelope) => encodeNotification('action', { action: { ...action, terminal }, ...envelope }),
      show: (state) => v1Terminal(state, nameOf), terminalsChanged: () => this.watch.terminalsChanged(),
    });
    peer.onDrain(() => this.subscriptions.resume());
    this.#leave = host.follow((change) => {
      if (change.kind === 'removed') this.subscriptions.removeAll(change.id);
      else this.subscriptions.regain();
    });
  }

  /** The client as the cause of an entry; `mark` is the number of its dispatch. */
  origin(mark?: number): Extract<Origin, { kind: 'client' }> {
    const { id, name } = this.opening.client;
    return { kind: 'client', door: doorName, client: id, ...(name === undefined ? {} : { name }), ...(mark === undefined ? {} : { mark }) };
  }

  nameOf(summary: Summary, { id }: Pick<ChatSummary, 'id'>): string {
    return this.names.of({ id, agent: summary.agent });
  }

  get scope(): ResourceScope {
    const { files, own } = this.opening.options;
    return { host: this.host, files, own: own ?? [], lost: 'contentNotFound' };
  }

  /** What the agents are advertised with. */
  get resources(): readonly ProtectedResourceMetadata[] {
    return resourcesOf(this.opening.options.signIns);
  }

  initialize(params: unknown): Answering<Requests['initialize']['result']> {
    const { initialSubscriptions } = checked('initialize', params);
    const directory = this.opening.options.defaultDirectory;
    return answered(async (answer) => {
      const found = await Promise.all([...new Set(initialSubscriptions)].map((uri) => this.find(uri)));
      const snapshots = found.flatMap((one) => (one && this.enter(one)) ?? []);
      answer({ protocolVersion: 1, serverSeq: seqUpTo(this.host.shown), snapshots, ...(directory === undefined ? {} : { defaultDirectory: directory }) });
    });
  }

  reconnect(params: unknown): unknown {
    return reconnect(this, checked('reconnect', params));
  }

  request(method: string, params: unknown): unknown {
    const handle = isRequestMethod(method) ? requests[method] : undefined;
    if (!handle || !isRequestMethod(method)) throw refused('methodNotFound', `This host has no method ${method.slice(0, 64)}.`);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the method chooses params and handle alike, which the compiler cannot follow
    return handle(this, checked(method, params) as never);
  }

  notification(method: string, params: unknown): void {
    if (method === 'unsubscribe') {
      const parsed = parseNotification('unsubscribe', params);
      if (parsed.ok) {
        this.subscriptions.remove(parsed.value.resource);
        this.outside.leave(parsed.value.resource);
        this.customizations.leave(parsed.value.resource);
      }
    } else if (method === 'dispatchAction') {
      this.#dispatched(params);
    }
  }

  refuse(params: unknown, reason: string): void {
    const parsed = parseNotification('dispatchAction', params);
    if (parsed.ok) this.#reject({ ...parsed.value, reason }, this.host.own);
  }

  close(): void {
    this.#leave();
    this.watch.close();
    this.outside.close();
    this.customizations.close();
    this.subscriptions.removeAll();
  }

  get followsRoot(): boolean {
    return this.subscriptions.follows(rootResource);
  }

  /** Finds a resource and waits until it is durable; what is found can be entered in the same step as others. */
  async find(uri: string): Promise<Found | undefined> {
    if (this.outside.knows(uri)) return { uri, session: this.host.own, place: outside };
    const terminal = readToolTerminal(uri);
    if (terminal) return this.#findTerminal(uri, terminal);
    const located = locate(this.host, uri);
    if (located === undefined) return undefined;
    if (located === 'root') return { uri, session: this.host.own, place: root };
    const session = await openLocated(this.host, located);
    if (!session) return undefined;
    clientsOf(this.host).tend(session);
    if (!session.settledNow && (session.state.seq === 0 || located.placeIn(session.state) === undefined)) await session.settled().catch(() => {});
    // What its workspace has to say can be set from the first snapshot on.
    await this.host.knowledge.of(session.state.roots);
    const place = session.state.seq === 0 ? undefined : located.placeIn(session.state);
    return place === undefined ? undefined : { uri, session, place };
  }

  /** Subscribes and takes the snapshot in one step; nothing where the chat has gone in the meantime. */
  enter({ uri, session, place }: Found): Snapshot | undefined {
    if (place === outside) return this.#enterOutside(uri);
    const state = this.#stateOf({ uri, session, place });
    if (!state) return undefined;
    this.outlet.flush();
    if (this.subscriptions.count + this.outside.count >= maxResources) throw refused('permissionDenied', `No more than ${maxResources} resources can be followed.`);
    this.subscriptions.add(session, uri, place);
    this.names.heard(uri);
    const fromSeq = seqUpTo(this.host.shown);
    this.outlet.saw(fromSeq);
    return { resource: uri, state, fromSeq };
  }

  #stateOf({ uri, session, place }: Found): Snapshot['state'] | undefined {
    if (place === root) return rootState(this.host, this.resources, this.outside.terminals);
    if (isToolPlace(place)) return v1ToolTerminal(session.state, place, (id) => this.names.of(this.host.summary(id) ?? { id, agent: '' }));
    const shown = sessionState(session.state, place, uri);
    return shown && { ...shown, customizations: thin(this.customizations.enter(uri, session)), config: { schema: configSchema(agentOf(this.host, session.state.agent, session.state.roots)), values: configOf(session.state).values } };
  }

  async #findTerminal(uri: string, place: ToolPlace): Promise<Found | undefined> {
    const session = this.host.opened(place.session) ?? (await this.host.open(place.session));
    return 'rejected' in session || !toolAt(session.state, toolPlace(place)) ? undefined : { uri, session, place: toolPlace(place) };
  }

  #extended(session: string, customizations: readonly Customization[]): void {
    if (!this.subscriptions.follows(session)) return this.customizations.leave(session);
    this.outlet.tell((seq) => encodeNotification('action', { action: { type: 'session/customizationsChanged', session, customizations: thin(customizations) }, serverSeq: seq() }));
  }

  #enterOutside(uri: string): Snapshot | undefined {
    this.outlet.flush();
    const state = this.outside.enter(uri);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- outside the logs this version knows only terminals
    return state && { resource: uri, state: state as Snapshot['state'], fromSeq: this.outlet.last };
  }

  /** The client has disposed of a session: it hears no more of it until something new happens there. */
  forget(id: SessionId, uri: string): void {
    this.subscriptions.removeAll(id);
    this.watch.disposed(id, uri);
  }

  /** Gives a refused action back to its sender, after everything it sent before has come back. */
  #reject({ clientSeq, action, reason }: { clientSeq: number; action: unknown; reason: string }, session: Session): void {
    const send = () => {
      this.outlet.flush();
      const origin = { clientId: this.opening.client.id, clientSeq };
      this.opening.peer.sendRaw(encodeNotification('action', { action, serverSeq: this.outlet.last, origin, rejectionReason: reason }));
    };
    if (session.settledNow) send();
    else void session.settled().catch(() => {}).then(send);
  }

  /** What an action is about stands in the action; an unknown resource is nobody's business. */
  #dispatched(params: unknown): void {
    const parsed = parseNotification('dispatchAction', params);
    if (!parsed.ok) return;
    const { clientSeq, action } = parsed.value;
    if ('terminal' in action && typeof action.terminal === 'string' && action.type.startsWith('terminal/')) return this.#dispatchedOutside(action.terminal, clientSeq, action);
    const uri = action.type.startsWith('root/') ? rootResource : 'session' in action && typeof action.session === 'string' ? action.session : undefined;
    const located = uri === undefined ? undefined : locate(this.host, uri);
    if (uri === undefined || located === undefined) return;
    const opened = located === 'root' ? this.host.own : this.host.opened(located.id);
    this.#line.run(opened, {
      open: async () => (located === 'root' ? this.host.own : await openLocated(this.host, located)),
      act: (session) => this.#act(session, { uri, located, clientSeq, action }),
      failed: (error) => this.host.report(error, 'an action of an AHP client'),
    });
  }

  #dispatchedOutside(uri: string, clientSeq: number, action: unknown): void {
    if (readToolTerminal(uri)) return this.#reject({ clientSeq, action, reason: 'This terminal shows a tool call, and is only to be looked at.' }, this.host.own);
    if (!this.outside.knows(uri)) return;
    const read = parseClientAction(action);
    if (read.kind !== 'accepted') return this.#reject({ clientSeq, action, reason: read.kind === 'hostOnly' ? `Only the host may dispatch ${read.type}.` : 'This host cannot read that action.' }, this.host.own);
    const wanted = read.action;
    const next = wanted.type === 'terminal/claimed' ? ownerOf(this, wanted.claim) : undefined;
    this.outside.dispatch(uri, { clientSeq, action: { ...wanted }, next });
  }

  #act(session: Session, { uri, located, clientSeq, action }: Dispatched): void {
    const place = located === 'root' ? root : located.placeIn(session.head);
    if (place === undefined) return;
    this.names.heard(uri);
    const reason = this.#perform(session, place, { clientSeq, action });
    if (reason !== undefined) this.#reject({ clientSeq, action, reason }, session);
  }

  #perform(session: Session, place: Place, { clientSeq, action }: { clientSeq: number; action: unknown }): string | undefined {
    const read = parseClientAction(action);
    if (read.kind === 'unknown') return 'This host does not know that action.';
    if (read.kind === 'hostOnly') return `Only the host may dispatch ${read.type}.`;
    if (read.kind === 'malformed') return `Malformed action: ${read.problem}`;
    if (read.action.type === 'root/configChanged') return this.#changeConfig(clientSeq, read.action);
    if (read.action.type === 'session/customizationToggled') return this.#toggle(session, clientSeq, read.action);
    return act({ host: this.host, clients: clientsOf(this.host), session, place, client: this.opening.client.id, by: this.origin(clientSeq) }, read.action);
  }

  /** What extends agents is in no log: the wish comes back by itself, before what becomes of it. */
  #toggle(session: Session, clientSeq: number, action: ActionOf<'session/customizationToggled'>): string | undefined {
    const id = this.customizations.idAt(action.session, action.uri);
    const reason = id === undefined ? 'There is no such thing in this session.' : this.customizations.toggle(action.session, session, { id, wish: action.enabled ? 'on' : 'off', by: this.origin() });
    if (reason === undefined) this.outlet.tell((seq) => encodeNotification('action', { action, serverSeq: seq(), origin: { clientId: this.opening.client.id, clientSeq } }));
    return reason;
  }

  /** What is already so is only given back. */
  #changeConfig(clientSeq: number, action: { readonly config: Readonly<Record<string, unknown>>; readonly replace?: boolean }): string | undefined {
    const { own } = this.host;
    const old = hostConfig(own.head);
    const values = action.replace ? action.config : { ...old, ...action.config };
    if (JSON.stringify(values).length > maxKept) return 'These settings are too large.';
    if (diff(old, values).length > 0 || !this.subscriptions.isLive) return own.dispatch(takeNote({ note: 'config', values }), this.origin(clientSeq))?.message;
    if (!this.followsRoot) return undefined;
    const origin = { clientId: this.opening.client.id, clientSeq };
    this.outlet.tell((seq) => encodeNotification('action', { action, serverSeq: seq(), origin }));
    return undefined;
  }
}

interface Dispatched {
  readonly uri: string;
  readonly located: Located | 'root';
  readonly clientSeq: number;
  readonly action: unknown;
}

/** A resource that exists. */
export interface Found {
  readonly uri: string;
  readonly session: Session;
  readonly place: ChatId;
}

/** The params of a request, or the error that says what is wrong with them. */
function checked<Method extends RequestMethod>(method: Method, params: unknown): Requests[Method]['params'] {
  const parsed = parseRequest(method, params);
  if (!parsed.ok) throw refused('invalidParams', parsed.problem);
  return parsed.value;
}
