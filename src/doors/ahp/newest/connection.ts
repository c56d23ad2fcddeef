// One client of the newest dialect: its subscriptions, its requests and what it dispatches.
import { shareLive } from '../../../host/live.ts';
import type { Host } from '../../../host/host.ts';
import type { Session } from '../../../host/session.ts';
import type { Origin, SessionId } from '../../../model/event.ts';
import { isAtLeast } from '../../../protocols/ahp/negotiate.ts';
import type { RequestMethod, Requests } from '../../../protocols/ahp/newest/commands.ts';
import { isRequestMethod, parseClientAction, parseNotification, parseRequest } from '../../../protocols/ahp/newest/schema.ts';
import { rootChannel } from '../../../protocols/ahp/newest/state.ts';
import type { SessionState, Snapshot } from '../../../protocols/ahp/newest/state.ts';
import { encodeNotification } from '../../../rpc/envelope.ts';
import { answered } from '../answered.ts';
import type { Answering } from '../answered.ts';
import type { ActionOf, ClientAction } from '../../../protocols/ahp/newest/actions.ts';
import type { Customization } from '../../../protocols/ahp/newest/customization.ts';
import { clientsOf } from '../clients.ts';
import { Customizations } from '../customizations.ts';
import type { Dialect, Opening, Spoken } from '../dialect.ts';
import { agentOf, configOf, configSchema } from '../config.ts';
import { refused } from '../errors.ts';
import { Line } from '../line.ts';
import { locate, openLocated, placeIn } from '../locate.ts';
import type { Located } from '../locate.ts';
import { Names } from '../names.ts';
import { doorName } from '../notes.ts';
import { Outlet } from '../outlet.ts';
import { Outside } from '../outside.ts';
import type { ResourceScope } from '../resources.ts';
import { newestTerminal } from '../terminalView.ts';
import { changesOf, isChanges, root, whole } from '../outgoing.ts';
import type { Place } from '../outgoing.ts';
import { seqUpTo } from '../serverSeq.ts';
import { Subscriptions } from '../subscriptions.ts';
import { readToolTerminal } from '../content.ts';
import type { ToolPlace } from '../content.ts';
import { isToolPlace, newestToolTerminal, toolAt, toolPlace } from '../toolTerminal.ts';
import { reviewFiles } from './changesetOperations.ts';
import { changesetState, readChangeset } from './changesets.ts';
import { chatState } from './chatState.ts';
import { triggerCharacters } from './completions.ts';
import { act } from '../inbound.ts';
import { changeRootConfig } from './inboundRoot.ts';
import { Manners } from './manners.ts';
import type { Wish } from './manners.ts';
import { olderChat, olderSession } from './older.ts';
import { projections } from './outbound.ts';
import { requests } from './requests.ts';
import { ownerOf } from './terminals.ts';
import { reconnect } from './reconnect.ts';
import { rootState } from './rootState.ts';
import { RootWatch } from './rootWatch.ts';
import { resourcesOf } from '../signIns.ts';
import type { ProtectedResourceMetadata } from '../../../protocols/ahp/newest/content.ts';
import { sessionState } from './sessionState.ts';
import type { SummaryFields } from './sessionState.ts';

export const newest: Dialect = (opening) => new NewestConnection(opening);

/** A client cannot follow more channels than this at once. */
const maxChannels = 1_024;

type Class = keyof typeof projections;

const lives = { '0.9.0': shareLive(projections['0.9.0']), '1.0.0': shareLive(projections['1.0.0']) };

type Answer<Method extends RequestMethod> = Requests[Method]['result'];

export class NewestConnection implements Spoken {
  readonly opening: Opening;
  readonly host: Host;
  readonly names: Names;
  readonly outlet: Outlet;
  readonly subscriptions: Subscriptions;
  readonly outside: Outside;
  readonly fields: SummaryFields;
  #root: RootWatch | undefined;
  readonly manners: Manners;
  readonly customizations: Customizations;
  readonly #line = new Line();
  readonly #leave: () => void;

  constructor(opening: Opening) {
    const { host, peer, speaks, meta } = opening;
    const version: Class = isAtLeast(speaks, '1.0.0') ? '1.0.0' : '0.9.0';
    this.opening = opening;
    this.host = host;
    this.names = new Names(meta);
    this.fields = version === '1.0.0' ? 'withChats' : 'basic';
    this.manners = new Manners();
    this.customizations = new Customizations({ host, open: opening.options.servers, tell: (channel, customizations) => this.#extended(channel, customizations) });
    this.outlet = new Outlet({ send: (text) => peer.sendRaw(text), shown: () => host.shown, after: (milliseconds, run) => host.clock.after(milliseconds, run) });
    this.subscriptions = new Subscriptions({
      manner: (channel, outgoing, state) => this.manners.of(channel, outgoing, state),
      sessionOf: (chat) => host.opened(host.sessionOf(chat) ?? chat),
      outlet: this.outlet, project: projections[version], liveOf: lives[version], ready: () => peer.ready(),
      live: () => this.#root?.refresh(),
      // What cannot be read for it now it may get when it comes again.
      problem: (error) => {
        host.report(error, 'an AHP client that catches up');
        peer.close();
      },
    });
    const nameOf = (id: SessionId) => this.#nameOf(id);
    this.outside = new Outside({
      host, peer, outlet: this.outlet, client: opening.client.id, hub: opening.options.terminals?.(host), scope: this.scope, nameOf,
      encode: (channel, action, envelope) => encodeNotification('action', { channel, action, ...envelope }),
      show: (state) => newestTerminal(state, nameOf), terminalsChanged: () => this.#root?.terminalsChanged(),
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

  get scope(): ResourceScope {
    const { files, own } = this.opening.options;
    return { host: this.host, files, own: own ?? [], lost: 'notFound' };
  }

  /** What the agents are advertised with. */
  get resources(): readonly ProtectedResourceMetadata[] {
    return resourcesOf(this.opening.options.signIns);
  }

  initialize(params: unknown): Answering<Answer<'initialize'>> {
    const { initialSubscriptions } = checked('initialize', params);
    const { version, options, host } = this.opening;
    const directory = options.defaultDirectory;
    return answered(async (answer) => {
      const found = await Promise.all([...new Set(initialSubscriptions)].map((uri) => this.find(uri)));
      const snapshots = found.flatMap((channel) => (channel && this.enter(channel)) ?? []);
      answer({
        protocolVersion: version, serverSeq: seqUpTo(host.shown), snapshots, serverInfo: { name: 'parley', version: options.version }, completionTriggerCharacters: triggerCharacters,
        ...(directory === undefined ? {} : { defaultDirectory: directory }),
      });
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
      if (parsed.ok) this.leave(parsed.value.channel);
    } else if (method === 'dispatchAction') {
      this.#dispatched(params);
    }
  }

  refuse(params: unknown, reason: string): void {
    const parsed = parseNotification('dispatchAction', params);
    if (parsed.ok) this.reject(parsed.value.channel, { ...parsed.value, reason });
  }

  close(): void {
    this.#leave();
    this.#root?.close();
    this.outside.close();
    this.customizations.close();
    this.subscriptions.removeAll();
  }

  /** Finds a channel and waits until it is durable; what is found can be entered in the same step as others. */
  async find(uri: string): Promise<Found | undefined> {
    if (this.outside.knows(uri)) return { uri, outside: true };
    const changeset = readChangeset(uri);
    if (changeset) return this.#findChanges(uri, changeset);
    const terminal = readToolTerminal(uri);
    if (terminal) return this.#findTerminal(uri, terminal);
    const located = locate(this.host, uri);
    if (located === undefined || located === 'root') return located && { uri: rootChannel };
    const session = await openLocated(this.host, located);
    if (!session) return undefined;
    clientsOf(this.host).tend(session);
    if (!session.settledNow && (session.state.seq === 0 || placeIn(session.state, located) === undefined)) await session.settled().catch(() => {});
    const place = session.state.seq === 0 ? undefined : placeIn(session.state, located);
    // What its workspace has to say can be set from the first snapshot on.
    if (place === whole) await this.host.knowledge.of(session.state.roots);
    return place === undefined ? undefined : { uri, session, place };
  }

  /** The changes of a session, or of a turn that has ended. */
  async #findChanges(uri: string, { session: id, turn }: { readonly session: SessionId; readonly turn?: string }): Promise<Found | undefined> {
    const session = this.host.opened(id) ?? (await this.host.open(id));
    if ('rejected' in session || session.state.seq === 0 || !changesetState(session.state, turn)) return undefined;
    return { uri, session, place: changesOf(turn ?? '') };
  }

  async #findTerminal(uri: string, place: ToolPlace): Promise<Found | undefined> {
    const session = this.host.opened(place.session) ?? (await this.host.open(place.session));
    return 'rejected' in session || !toolAt(session.state, toolPlace(place)) ? undefined : { uri, session, place: toolPlace(place) };
  }

  /** Subscribes and takes the snapshot in one step; nothing where the chat has gone in the meantime. */
  enter(found: Found, wish: Wish = {}): Snapshot | undefined {
    const { uri } = found;
    const state = 'session' in found ? this.#stateOf(found, wish.turns) : rootState(this.host, this.resources, this.outside.terminals);
    if (!state) return undefined;
    this.outlet.flush();
    if (this.subscriptions.count + this.outside.count >= maxChannels) throw refused('permissionDenied', `No more than ${maxChannels} channels can be followed.`);
    if ('outside' in found) return this.#enterOutside(uri);
    if ('session' in found) this.subscriptions.add(found.session, uri, found.place);
    else this.enterRoot();
    this.manners.set(uri, wish, state);
    this.names.heard(uri);
    const fromSeq = seqUpTo(this.host.shown);
    this.outlet.saw(fromSeq);
    return { resource: uri, state, fromSeq };
  }

  #stateOf({ uri, session, place }: Extract<Found, { session: Session }>, turns: number | undefined): Snapshot['state'] | undefined {
    if (place === whole) return this.#sessionOf(uri, session);
    if (isChanges(place)) return changesetState(session.state, readChangeset(uri)?.turn);
    if (isToolPlace(place)) return newestToolTerminal(session.state, place, (id) => this.#nameOf(id));
    const chat = chatState(session.state, place, turns);
    return chat && { ...(this.fields === 'basic' ? olderChat(chat) : chat), resource: uri };
  }

  /** With what is in no log: what can be set, and what extends the agents. */
  #sessionOf(uri: string, session: Session): SessionState {
    const { state } = session;
    const customizations = this.customizations.enter(uri, session);
    const shown = { ...sessionState(state), customizations, config: { schema: configSchema(agentOf(this.host, state.agent, state.roots)), values: configOf(state).values } };
    return this.fields === 'basic' ? olderSession(shown) : shown;
  }

  /** What extends the agents of a session has changed, or is told again to a client that was away. */
  #extended(channel: string, customizations: readonly Customization[]): void {
    if (!this.subscriptions.follows(channel)) return this.customizations.leave(channel);
    this.outlet.tell((seq) => encodeNotification('action', { channel, action: { type: 'session/customizationsChanged', customizations }, serverSeq: seq() }));
  }

  #nameOf(id: SessionId): string {
    return this.names.of(this.host.summary(id) ?? { id, agent: '' });
  }

  #enterOutside(uri: string): Snapshot | undefined {
    const state = this.outside.enter(uri);
    const fromSeq = this.outlet.last;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is outside the logs has the states of terminals and watches
    return state && { resource: uri, state: state as Snapshot['state'], fromSeq };
  }

  get followsRoot(): boolean {
    return this.#root !== undefined;
  }

  enterRoot(): void {
    this.subscriptions.add(this.host.own, rootChannel, root);
    this.watchRoot();
  }

  watchRoot(): void {
    this.#root ??= new RootWatch({ host: this.host, outlet: this.outlet, fields: this.fields, isLive: () => this.subscriptions.isLive, nameOf: (summary) => this.names.of(summary), terminals: () => this.outside.terminals, signIns: this.opening.options.signIns });
  }

  /** The client has disposed of a session: it hears no more of it until something new happens there. */
  forget(id: SessionId, uri: string): void {
    this.subscriptions.removeAll(id);
    this.#root?.disposed(id, uri);
  }

  leave(uri: string): void {
    this.manners.forget(uri);
    this.customizations.leave(uri);
    this.outside.leave(uri);
    const isRoot = locate(this.host, uri) === 'root';
    this.subscriptions.remove(isRoot ? rootChannel : uri);
    if (!isRoot) return;
    this.#root?.close();
    this.#root = undefined;
  }

  /** Gives a refused action back to its sender, after everything it sent before has come back. */
  reject(channel: string, { clientSeq, action, reason }: { clientSeq: number; action: unknown; reason: string }, session?: Session): void {
    const send = () => {
      this.outlet.flush();
      const origin = { clientId: this.opening.client.id, clientSeq };
      this.opening.peer.sendRaw(encodeNotification('action', { channel, action, serverSeq: this.outlet.last, origin, rejectionReason: reason }));
    };
    if (session && !session.settledNow) void session.settled().catch(() => {}).then(send);
    else send();
  }

  /** An unknown channel is nobody's business; actions on a session that must be opened first keep their order. */
  #dispatched(params: unknown): void {
    const parsed = parseNotification('dispatchAction', params);
    if (!parsed.ok) return;
    const { channel, clientSeq, action } = parsed.value;
    if (this.outside.knows(channel)) return this.#dispatchedOutside(channel, clientSeq, action);
    if (readToolTerminal(channel)) return this.reject(channel, { clientSeq, action, reason: 'This terminal shows a tool call, and is only to be looked at.' });
    const changeset = readChangeset(channel);
    if (changeset) return this.#reviewed(changeset.session, { channel, clientSeq, action });
    const located = locate(this.host, channel);
    if (located === undefined) return;
    this.#line.run(located === 'root' ? this.host.own : this.host.opened(located.id), {
      open: async () => (located === 'root' ? this.host.own : await openLocated(this.host, located)),
      act: (session) => this.#act(session, located, { channel, clientSeq, action }),
      failed: (error) => this.host.report(error, 'an action of an AHP client'),
    });
  }

  /** The only thing a client does with changes is to say which it has looked at. */
  #reviewed(id: SessionId, dispatched: Dispatched): void {
    if (!this.host.opened(id) && !this.host.summary(id)) return;
    this.#line.run(this.host.opened(id), {
      open: () => openLocated(this.host, { id }),
      act: (session) => {
        const read = parseClientAction(dispatched.action);
        const fits = read.kind === 'accepted' && read.action.type === 'changeset/filesReviewChanged' ? read.action : undefined;
        const reason = fits ? reviewFiles(this, session, { ...dispatched, action: fits }) : misplaced(read);
        if (reason !== undefined) this.reject(dispatched.channel, { ...dispatched, reason }, session);
      },
      failed: (error) => this.host.report(error, 'an action of an AHP client'),
    });
  }

  #dispatchedOutside(channel: string, clientSeq: number, action: unknown): void {
    const read = parseClientAction(action);
    const reason = read.kind === 'accepted' ? undefined : read.kind === 'hostOnly' ? `Only the host may dispatch ${read.type}.` : 'This host cannot read that action.';
    if (read.kind !== 'accepted') return this.reject(channel, { clientSeq, action, reason: reason ?? '' });
    const wanted = read.action;
    const next = wanted.type === 'terminal/claimed' ? ownerOf(this, wanted.claim) : undefined;
    this.outside.dispatch(channel, { clientSeq, action: { ...wanted }, next });
  }

  #act(session: Session, located: Located | 'root', { channel, clientSeq, action }: Dispatched): void {
    const place = located === 'root' ? root : placeIn(session.head, located);
    if (place === undefined) return;
    this.names.heard(channel);
    const reason = this.#perform(session, place, { channel, clientSeq, action });
    if (reason !== undefined) this.reject(channel, { clientSeq, action, reason }, session);
  }

  /** What extends agents is in no log: a wish about it comes back to whoever has it, before what becomes of it. */
  #giveBack(channel: string, clientSeq: number, action: ClientAction): void {
    const origin = { clientId: this.opening.client.id, clientSeq };
    this.outlet.tell((seq) => encodeNotification('action', { channel, action, serverSeq: seq(), origin }));
  }

  #toggle(session: Session, { channel, clientSeq, action }: { readonly channel: string; readonly clientSeq: number; readonly action: ActionOf<'session/customizationToggled'> }): string | undefined {
    const [first] = action.enablement;
    if (first && first.kind !== 'session') return 'Here things are switched for one session; the settings say what holds elsewhere.';
    const reason = this.customizations.toggle(channel, session, { id: action.id, wish: first?.enabled === false ? 'off' : 'on', by: this.origin() });
    if (reason === undefined) this.#giveBack(channel, clientSeq, action);
    return reason;
  }

  #runServer(channel: string, clientSeq: number, action: ServerWish): string | undefined {
    if (!this.customizations.hasServer(channel, action.id)) return 'There is no such server in this session.';
    this.#giveBack(channel, clientSeq, action);
    if (action.type !== 'session/mcpServerBackgroundRequested') this.customizations.run(channel, action.id, action.type === 'session/mcpServerStartRequested' ? 'start' : 'stop');
    return undefined;
  }

  #perform(session: Session, place: Place, { channel, clientSeq, action }: Dispatched): string | undefined {
    const read = parseClientAction(action);
    if (read.kind !== 'accepted') return misplaced(read);
    if (place === root) {
      return read.action.type === 'root/configChanged' ? changeRootConfig(this, clientSeq, read.action) : `${read.action.type} does not belong on this channel.`;
    }
    if (read.action.type === 'session/customizationToggled') return this.#toggle(session, { channel, clientSeq, action: read.action });
    if (isServerWish(read.action)) return this.#runServer(channel, clientSeq, read.action);
    return act({ host: this.host, clients: clientsOf(this.host), session, place, client: this.opening.client.id, by: this.origin(clientSeq) }, read.action);
  }
}

/** A wish about a server of tools, which is in no log: it comes back to whoever has it, and everybody sees what becomes of it. */
type ServerWish = ActionOf<'session/mcpServerStartRequested' | 'session/mcpServerStopRequested' | 'session/mcpServerBackgroundRequested'>;

function isServerWish(action: ClientAction): action is ServerWish {
  return action.type.startsWith('session/mcpServer');
}

interface Dispatched {
  readonly channel: string;
  readonly clientSeq: number;
  readonly action: unknown;
}

/** Why an action cannot be taken on its channel. */
function misplaced(read: ReturnType<typeof parseClientAction>): string {
  switch (read.kind) {
    case 'unknown': return 'This host does not know that action.';
    case 'hostOnly': return `Only the host may dispatch ${read.type}.`;
    case 'malformed': return `Malformed action: ${read.problem}`;
    case 'accepted': return `${read.action.type} does not belong on this channel.`;
    default: return read satisfies never;
  }
}

/** A channel that exists; without a session it is the root. */
export type Found = { readonly uri: string } | { readonly uri: string; readonly outside: true } | { readonly uri: string; readonly session: Session; readonly place: Place };

/** The params of a request, or the error that says what is wrong with them. */
function checked<Method extends RequestMethod>(method: Method, params: unknown): Requests[Method]['params'] {
  const parsed = parseRequest(method, params);
  if (!parsed.ok) throw refused('invalidParams', parsed.problem);
  return parsed.value;
}
