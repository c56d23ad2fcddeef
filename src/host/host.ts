// Creates, opens, lists and removes sessions. Every door talks to this object.
import { didYouMean } from '../base/nearest.ts';
import { present } from '../base/present.ts';
import { isSessionId } from '../base/sessionId.ts';
import { reject } from '../model/command.ts';
import type { Rejection } from '../model/command.ts';
import type { ChatId, Origin, SessionChanges, SessionId } from '../model/event.ts';
import type { Agent, AgentInfo } from './agent.ts';
import { AgentList } from './agentList.ts';
import type { Backlog } from './session/backlog.ts';
import { Catalogue, hostLog, isHostLog } from './session/catalogue.ts';
import { foldLog } from './session/foldLog.ts';
import type { FoldedLog } from './session/foldLog.ts';
import { LastingRules } from './permissions/lastingRules.ts';
import { OtherHostsRules } from './permissions/otherHostsRules.ts';
import { RememberedAnswers } from './permissions/rememberedAnswers.ts';
import { ReservedChatIds } from './session/reservedChatIds.ts';
import type { CatalogueChange } from './session/catalogue.ts';
import { ClientTools } from './tools/clientTools.ts';
import { Editors } from './workspace/attachedEditors.ts';
import { Jobs } from './tools/backgroundJobs.ts';
import { Journal } from './session/journal.ts';
import type { StoredCounts } from './session/journal.ts';
import { bareKnowledge } from './settings/projectKnowledge.ts';
import type { Knowledge } from './settings/projectKnowledge.ts';
import { moveChat } from './session/moveChat.ts';
import type { ChatTarget } from './session/moveChat.ts';
import { LogNewer, NotStored, isTakenOver } from './session/logStore.ts';
import type { ForeignChange, LogPorts, SharedStore } from './session/logStore.ts';
import type { Programs } from './terminals/programs.ts';
import type { World } from './world.ts';
import { OpenSessions, refuseFollowed, unknownSession } from './turns/openSessions.ts';
import type { Locality } from './turns/openSessions.ts';
import { SessionsForOthers } from './links/sessionsForOthers.ts';
import type { LinkService } from './ownership/hostLinks.ts';
import { checkAutonomy } from './turns/checkAutonomy.ts';
import { allowedAutonomy } from './settings/autonomy.ts';
import type { Settings } from './settings/settings.ts';
import { Runner } from './turns/runner.ts';
import { searchSessions } from './session/search.ts';
import type { SearchQuery, SearchResult } from './session/search.ts';
import { Session } from './session/session.ts';
import type { ImportedEvent } from './session/session.ts';
import type { Summary } from './session/summary.ts';
import { leaveAlone, revertChanges } from './workspace/revertEdits.ts';
import type { FileChange, RevertResult } from './workspace/revertEdits.ts';
import { redoChanges, undoChanges } from './workspace/undo.ts';
import type { ChangeSelection } from './workspace/revertEdits.ts';
import { ClientServers, Workbenches } from './workspace/workbench.ts';

export interface NewSession extends Pick<
  SessionChanges,
  'title' | 'model' | 'mode' | 'autonomy' | 'options' | 'clientOptions'
> {
  readonly id?: SessionId;
  readonly agent?: string;
  readonly roots: readonly string[];
}

export class Host {
  readonly #world: World;
  readonly #journal: Journal;
  readonly #agents: AgentList;
  readonly #sessions: OpenSessions;
  readonly #catalogue: Catalogue;
  readonly #names: ReservedChatIds;
  readonly #rules: LastingRules;
  readonly #others: OtherHostsRules;
  readonly #forOthers: SessionsForOthers;
  readonly #keepers: ((session: SessionId) => boolean)[] = [];
  /** The host's own log, which is not listed as a session. */
  readonly own: Session;
  readonly jobs: Jobs;
  /** The answers of users that hold for more than one call. */
  readonly answers: RememberedAnswers;
  readonly editors = new Editors();
  readonly workbenches = new Workbenches();
  readonly toolServers = new ClientServers();
  readonly clientTools = new ClientTools();

  private constructor(world: World, agents: readonly Agent[], { state, unreadable }: FoldedLog) {
    this.#world = world;
    this.#journal = new Journal(world);
    this.#catalogue = new Catalogue(world);
    this.jobs = new Jobs(world);
    this.#names = new ReservedChatIds({ ids: world.ids, isChat: (id) => this.sessionOf(id) !== undefined });
    this.own = new Session({ state, unreadable, ports: world, journal: this.#journal });
    this.#others = new OtherHostsRules({ world, journal: this.#journal, own: this.own.id });
    this.#rules = new LastingRules(this.own, world, this.#others);
    this.answers = new RememberedAnswers({
      lasting: this.#rules,
      summaries: () => this.summaries(),
      sessions: () => this.openSessions(),
      titleOf: (id) => this.summary(id)?.title,
      open: (id) => this.open(id),
    });
    this.#sessions = new OpenSessions({
      world,
      journal: this.#journal,
      catalogue: this.#catalogue,
      runnerOf: (session) => this.#runnerOf(session),
      locality: this.#locality(),
    });
    this.#forOthers = new SessionsForOthers({
      name: world.store.shared?.name ?? '',
      owned: (id) => this.#sessions.owned(id),
      letGo: (id, to) => this.#sessions.letGo(id, to),
    });
    this.#agents = new AgentList({
      settings: world.settings,
      changed: () => this.#catalogue.tell({ kind: 'agents' }),
    });
    this.use(agents);
  }

  /** Opens the host on a store. Turns of a crashed host are ended as interrupted in the background. */
  static async start(world: World, agents: readonly Agent[]): Promise<Host> {
    const { state, unreadable } = await ownLog(world);
    const host = new Host(world, agents, {
      state,
      unreadable: unreadable instanceof LogNewer ? unreadable : undefined,
    });
    if (state.seq === 0) createLog(host.own);
    const cut = world.store.unfinished().filter((id) => !isHostLog(id));
    if (cut.length > 0) world.clock.defer(() => host.#sessions.takeOver(cut));
    world.store.shared?.follow((change) => host.#follow(change));
    await host.#others.readAll();
    return host;
  }

  /** Whether commands can be confined on this machine. */
  get sandbox(): Programs['sandbox'] {
    return this.#world.programs?.sandbox;
  }

  get ids(): World['ids'] {
    return this.#world.ids;
  }

  get clock(): World['clock'] {
    return this.#world.clock;
  }

  /** The user's settings and their problems; absent in a host without settings. */
  get settings(): World['settings'] {
    return this.#world.settings;
  }

  /** Instructions, rules, skills, commands and hooks for agents. */
  get knowledge(): Knowledge {
    return this.#world.knowledge ?? noKnowledge;
  }

  /** The newest position of any entry. */
  get pos(): number {
    return this.#journal.pos;
  }

  /** The newest published position; all before it are published too. */
  get shown(): number {
    return this.#journal.shown;
  }

  /** Resolves when `shown` is behind everything that clients have seen on other hosts of the store. */
  passOthers(): Promise<void> {
    return this.#journal.passOthers();
  }

  /** Resolves when `shown` is greater than at the call, be it without an entry. */
  advance(): Promise<void> {
    return this.#journal.advance();
  }

  /** What waits to be stored, and whether that takes long. */
  get storage(): Pick<Backlog, 'waiting' | 'follow'> {
    return this.#journal.backlog;
  }

  /** What this host does for other hosts of the store. */
  get forOthers(): LinkService {
    return this.#forOthers;
  }

  /** Sessions that `keeps` names do not move to another host. */
  keepHere(keeps: (session: SessionId) => boolean): void {
    this.#keepers.push(keeps);
  }

  /** Whether other hosts use the store, too. */
  get isShared(): boolean {
    return this.#world.store.shared !== undefined;
  }

  /** What was stored since the start of the process. */
  get stored(): StoredCounts {
    return this.#journal.stored;
  }

  report(problem: unknown, about: string): void {
    this.#world.report(problem, about);
  }

  /** Replaces the agents; the first one is the default. Open conversations continue. */
  use(agents: readonly Agent[]): void {
    this.#agents.replace(agents);
  }

  /** The agents; with folders, including the modes and commands of that workspace. */
  agents(roots?: readonly string[]): readonly AgentInfo[] {
    return this.#agents.infos(roots);
  }

  /** The default agent for new sessions in these folders. */
  usualAgent(roots: readonly string[]): string | undefined {
    return this.#agents.usual(roots);
  }

  /** The model of the settings for new sessions, if the agent has it. */
  usualModel(agent: string, roots: readonly string[]): string | undefined {
    const model = this.#world.settings?.of(roots).defaultModel;
    if (model === undefined) return undefined;
    const found = this.#agents.get(agent);
    const isKnown = found?.info.models.some(({ id }) => id === model) || found?.takesModel?.(model);
    return isKnown ? model : undefined;
  }

  /** Whether a session with the agent can use a model; an agent that has listed none may take any. */
  takesModel({ id, models }: AgentInfo, model: string): boolean {
    if (models.length === 0 || models.some((each) => each.id === model)) return true;
    return this.#agents.get(id)?.takesModel?.(model) ?? false;
  }

  /** The first of these folders that is not there. */
  missingFolder(roots: readonly string[]): string | undefined {
    const { paths } = this.#world;
    return roots.find((root) => paths.isFolder?.(root) === false);
  }

  summaries(): readonly Summary[] {
    return this.#catalogue.summaries();
  }

  summary(id: SessionId): Summary | undefined {
    return this.#catalogue.summary(id);
  }

  /** The session of a chat. */
  sessionOf(chat: ChatId): SessionId | undefined {
    return this.#catalogue.sessionOf(chat);
  }

  follow(follower: (change: CatalogueChange) => void): () => void {
    return this.#catalogue.follow(follower);
  }

  create({ id: given, agent, ...rest }: NewSession, by: Origin): Session | Rejection {
    const chosen = agent ?? this.usualAgent(rest.roots) ?? '';
    const refused =
      this.#refuse(given, chosen) ?? checkAutonomy(rest.autonomy, rest.roots, { ...this.#world, by });
    if (refused) return refused;
    const id = given ?? this.#newId();
    const session = this.#sessions.attach(this.#sessions.create(id));
    const model = rest.model ?? this.usualModel(chosen, rest.roots);
    const usual = rest.autonomy === undefined ? usualAutonomy(this.#world.settings, rest.roots) : {};
    session.dispatch(
      {
        kind: 'createSession',
        session: id,
        agent: chosen,
        ...rest,
        ...present({ model }),
        ...usual,
      },
      by,
    );
    this.#agents.get(chosen)?.explore?.(rest.roots);
    return session;
  }

  /**
   * Creates a session from existing events, such as the copy of a chat. Agents see it only when it is stored,
   * so nothing runs again.
   */
  async restore(past: readonly ImportedEvent[]): Promise<Session | Rejection> {
    const created = past[0]?.event;
    if (created?.kind !== 'session.created')
      return reject('invalid', 'The first event must create the session.');
    const refused = this.#refuse(created.session, created.agent);
    if (refused) return refused;
    const session = this.#sessions.create(created.session);
    session.adopt(past);
    return this.#sessions.adopt(session);
  }

  /** The session, read from its log if it is not open. */
  open(id: SessionId): Promise<Session | Rejection> {
    return this.#sessions.open(id);
  }

  /** The session if it is open; reads nothing. */
  opened(id: SessionId): Session | undefined {
    return this.#sessions.get(id);
  }

  /** All open sessions. */
  openSessions(): readonly Session[] {
    return this.#sessions.all();
  }

  /** Sessions that contain all words and quoted phrases, newest first. */
  search(query: SearchQuery): Promise<SearchResult> {
    const { index } = this.#world;
    const seqOf = (id: SessionId) => this.opened(id)?.state.seq;
    return searchSessions({ index, catalogue: this.#catalogue, seqOf }, query);
  }

  /** Moves a chat behind another one, into another session, or into a new session with its id. */
  moveChat(chat: ChatId, to: ChatTarget, by: Origin): Promise<Session | Rejection> {
    const from = this.sessionOf(chat);
    return moveChat(
      { chat, to, by, now: this.#world.clock.now() },
      {
        source: () =>
          from === undefined
            ? Promise.resolve(reject('unknown-chat', 'There is no such chat.'))
            : this.open(from),
        open: (id) => this.open(id),
        create: (id) => this.#sessions.create(id),
        keep: (session) => this.#sessions.adopt(session),
      },
    );
  }

  /**
   * Reverts the file changes of a chat, after a turn or of one call. Files that changed since are left alone.
   * The agent learns of it with its next turn.
   */
  async undo(chat: ChatId, which: ChangeSelection, by: Origin): Promise<RevertResult | Rejection> {
    const session = await this.open(this.sessionOf(chat) ?? chat);
    if ('rejected' in session) return session;
    const refused = refuseFollowed(session, 'Changes of files can be undone only there.');
    if (refused) return refused;
    const revert = (changes: readonly FileChange[]) => this.revertChanges(changes, session);
    return undoChanges(session, { chat, which, by, revert });
  }

  /** Redoes reverted changes of a session. Files that changed since the undo are left alone. */
  async redo(session: Session, changes: readonly FileChange[], by: Origin): Promise<RevertResult> {
    const revert = (wanted: readonly FileChange[]) => this.revertChanges(wanted, session);
    const result = await redoChanges(session, { changes, by, revert });
    await session.settled();
    return result;
  }

  /** Files of a session that another host owns are left alone: they are on the machine of that host. */
  revertChanges(changes: readonly FileChange[], session: Session): Promise<RevertResult> {
    const foreign = refuseFollowed(session, 'Its files can be changed only there.');
    if (foreign) return Promise.resolve(leaveAlone(changes, foreign.message));
    const { files, paths } = this.#world;
    const { roots } = session.head;
    const { own = [] } = paths;
    return revertChanges(changes, { files, own, roots, canonical: (path) => paths.canonical(path) });
  }

  /** Deletes a session and its log permanently. */
  async remove(id: SessionId): Promise<Rejection | undefined> {
    if (!this.#catalogue.has(id) && !this.#sessions.has(id)) return unknownSession(id);
    const refused = await this.#sessions.claim(id);
    if (refused) return refused;
    const { agent = '' } = this.#catalogue.summary(id) ?? {};
    // The log has the names that the agent has for its conversations.
    if (this.#agents.get(agent)?.info.forgets)
      await this.#sessions
        .open(id)
        .catch((error: unknown) => this.#world.report(error, `opening session ${id} to remove it`));
    await this.#sessions.release(id, 'forget');
    await this.jobs.reap({ session: id });
    await this.#world.outputs?.forget(id);
    await this.#world.store.remove(id);
    await this.#world.index?.forget(id);
    this.toolServers.forget(id);
    this.clientTools.forget(id);
    this.#catalogue.remove(id);
    return undefined;
  }

  /** Call it before clients are disconnected, so that they hear how their turns end. No later turn starts. */
  endTurns(): Promise<void> {
    return this.#sessions.endTurns();
  }

  /** Closes all conversations and stores the rest. The next host continues turns that wait for an answer. */
  async close(): Promise<void> {
    await this.#sessions.releaseAll();
    await this.jobs.reap();
    await this.#journal.drain();
    await this.#world.index?.close();
    await this.#world.store.close();
  }

  /** Takes over what another host of the store has changed or left behind. */
  #follow(change: ForeignChange): void {
    this.#others.notice(change);
    const isOurs = (id: SessionId) => isHostLog(id) || this.#sessions.owned(id) !== undefined;
    if (change.kind === 'orphaned')
      return this.#sessions.takeOver(change.sessions.filter((id) => !isOurs(id)));
    const id = change.kind === 'changed' ? change.summary.id : change.session;
    if (isOurs(id)) return;
    if (change.kind === 'removed') {
      this.#sessions.drop(id);
      if (this.#catalogue.has(id)) this.#catalogue.remove(id);
    } else if (!this.#sessions.has(id)) this.#catalogue.update(change.summary);
  }

  #locality(): Locality {
    return {
      keeps: (id) =>
        this.#keepers.some((keeps) => keeps(id)) ||
        this.jobs.list({ session: id }).some(({ status }) => status === 'running') ||
        this.clientTools.of(id).length > 0 ||
        this.toolServers.of(id).length > 0,
      canWork: ({ agent, roots }) =>
        this.#agents.get(agent) !== undefined && this.missingFolder(roots) === undefined,
      lends: (id, command) =>
        (command.kind === 'startTurn' || command.kind === 'queueMessage') &&
        (this.workbenches.provides(command.message.id, id) ||
          this.clientTools.of(id).length > 0 ||
          this.toolServers.of(id).length > 0),
      gaveUp: (id) => this.#forOthers.gaveUp(id),
    };
  }

  #runnerOf(session: Session): Runner {
    session.follow((steps) => {
      for (const {
        entry: { event },
      } of steps)
        if (event.kind === 'chat.removed') void this.jobs.reap({ session: session.id, chat: event.chat });
    }, 'host');
    return new Runner({
      session,
      world: this.#world,
      agentOf: (id) => this.#agents.get(id),
      rules: () => this.#rules.of(session.head.roots),
      lasting: this.#rules,
      jobs: this.jobs,
      editors: this.editors,
      workbench: (message) => this.workbenches.around(message, session.id, this.#world),
      servers: () => this.toolServers.of(session.id),
      clientTools: () => this.clientTools.of(session.id),
      names: this.#names,
      catalogue: { summaries: () => this.summaries(), restore: (past) => this.restore(past) },
    });
  }

  #newId(): SessionId {
    const id = this.#world.ids.next();
    this.#catalogue.expect(id);
    return id;
  }

  #refuse(id: SessionId | undefined, agent: string): Rejection | undefined {
    if (!this.#agents.get(agent))
      return reject(
        'unknown-agent',
        `There is no agent named ${agent}.${didYouMean(agent, this.#agents.ids())}`,
      );
    if (id === undefined) return undefined;
    if (!isSessionId(id))
      return reject(
        'invalid',
        'A session id is 1 to 256 characters without blanks or control characters, and no reserved word.',
      );
    const taken =
      this.#catalogue.has(id) || this.#catalogue.sessionOf(id) !== undefined || this.#sessions.has(id);
    return taken ? reject('already-exists', `Session ${id} already exists.`) : undefined;
  }
}

/** The first host of a store uses the common log; one that comes later has a log of its own. */
async function ownLog(world: World): Promise<FoldedLog> {
  const { shared } = world.store;
  if (!shared) return foldLog(world, hostLog);
  const common = await claimedLog(world, shared);
  if (common) return common;
  const mine = `${hostLog}:${shared.name}`;
  await shared.claim(mine);
  return foldLog(world, mine);
}

/**
 * The common log; undefined if another host has it. While it is empty, it belongs to the host that writes its
 * first entry.
 */
async function claimedLog(world: World, shared: SharedStore): Promise<FoldedLog | undefined> {
  if (await shared.claim(hostLog)) return undefined;
  const log = await foldLog(world, hostLog);
  // It may have been empty until now.
  if (log.state.seq > 0 || log.unreadable) return (await shared.claim(hostLog)) ? undefined : log;
  // That another host was faster is no problem.
  const ports: LogPorts = { ...world, report: () => {} };
  const first = new Session({ state: log.state, ports, journal: new Journal(ports) });
  createLog(first);
  try {
    await first.settled();
  } catch (error) {
    if (error instanceof NotStored && isTakenOver(error.cause)) return undefined;
    throw error;
  }
  return { state: first.state, unreadable: undefined };
}

function createLog(own: Session): void {
  own.dispatch({ kind: 'createSession', session: own.id, agent: '', roots: [] }, { kind: 'host' });
}

const noKnowledge: Knowledge = {
  now: () => bareKnowledge,
  of: () => Promise.resolve(bareKnowledge),
  hooks: () => [],
  watch: () => () => {},
};

/** The permission mode of a session for which nobody chose one. */
function usualAutonomy(settings: Settings | undefined, roots: readonly string[]) {
  const mode = settings?.of(roots).permissions?.mode;
  if (mode === undefined) return {};
  return { autonomy: allowedAutonomy(mode, roots, settings), autonomyFrom: 'settings' as const };
}
