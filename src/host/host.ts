// Creates, opens, lists and removes sessions. Every door talks to this object.
import { didYouMean } from '../base/nearest.ts';
import { reject } from '../model/command.ts';
import type { Rejection } from '../model/command.ts';
import { withRules } from '../model/decideAsk.ts';
import type { ChatId, Origin, Rule, SessionChanges, SessionId } from '../model/event.ts';
import { reduce } from '../model/reduce.ts';
import { emptyState } from '../model/state.ts';
import type { State } from '../model/state.ts';
import type { Agent, AgentInfo } from './agent.ts';
import { Catalogue } from './session/catalogue.ts';
import { ReservedChatIds } from './session/reservedChatIds.ts';
import type { CatalogueChange } from './session/catalogue.ts';
import { ClientTools } from './tools/clientTools.ts';
import { Editors } from './workspace/attachedEditors.ts';
import { Jobs } from './tools/backgroundJobs.ts';
import { Journal } from './session/journal.ts';
import { bareKnowledge } from './settings/projectKnowledge.ts';
import type { Knowledge } from './settings/projectKnowledge.ts';
import { moveChat } from './session/moveChat.ts';
import type { ChatTarget } from './session/moveChat.ts';
import { LogNewer } from './session/logStore.ts';
import type { LogDamage } from './session/logStore.ts';
import { entriesAround } from './session/damagedLog.ts';
import type { World } from './world.ts';
import { Runner } from './turns/runner.ts';
import { phrases } from './session/search.ts';
import type { SearchHit, SearchQuery } from './session/search.ts';
import { Session } from './session/session.ts';
import type { ImportedEvent } from './session/session.ts';
import { changedLines } from './session/changedLines.ts';
import { newerTitle } from './session/summary.ts';
import type { Summary } from './session/summary.ts';
import { changesOf, revertChanges } from './workspace/revertEdits.ts';
import type { FileChange, RevertResult } from './workspace/revertEdits.ts';
import { recordReverted } from './workspace/revertedEdits.ts';
import { ClientServers, Workbenches } from './workspace/workbench.ts';

export interface NewSession extends Pick<
  SessionChanges,
  'title' | 'model' | 'mode' | 'options' | 'clientOptions'
> {
  readonly id?: SessionId;
  readonly agent?: string;
  readonly roots: readonly string[];
}

/** The host's own log: rules that users allowed always. It is not listed as a session. */
const ownId = '$host';

/** If more sessions are open, idle ones without clients leave memory. */
const openLimit = 64;

export class Host {
  readonly #world: World;
  readonly #journal: Journal;
  #agents: ReadonlyMap<string, Agent> = new Map();
  #unwatch: (() => void)[] = [];
  readonly #open = new Map<SessionId, { session: Session; runner: Runner }>();
  readonly #opening = new Map<SessionId, Promise<Session | Rejection>>();
  readonly #catalogue: Catalogue;
  readonly #names: ReservedChatIds;
  readonly own: Session;
  readonly jobs: Jobs;
  readonly editors = new Editors();
  readonly workbenches = new Workbenches();
  readonly toolServers = new ClientServers();
  readonly clientTools = new ClientTools();

  private constructor(
    world: World,
    agents: readonly Agent[],
    own: { readonly state: State; readonly unreadable?: LogDamage },
  ) {
    this.#world = world;
    this.#journal = new Journal(world);
    this.#catalogue = new Catalogue(world, ownId);
    this.jobs = new Jobs(world);
    this.#names = new ReservedChatIds({ ids: world.ids, isChat: (id) => this.sessionOf(id) !== undefined });
    this.own = new Session({ ...own, ports: world, journal: this.#journal });
    this.use(agents);
  }

  /** Opens the host on a store. Turns of a crashed host are ended as interrupted in the background. */
  static async start(world: World, agents: readonly Agent[]): Promise<Host> {
    const { state, unreadable } = await fold(world, ownId);
    const host = new Host(world, agents, {
      state,
      ...(unreadable instanceof LogNewer ? { unreadable } : {}),
    });
    if (state.seq === 0)
      host.own.dispatch({ kind: 'createSession', session: ownId, agent: '', roots: [] }, { kind: 'host' });
    const cut = world.store.unfinished().filter((id) => id !== ownId);
    if (cut.length > 0) world.clock.defer(() => cut.forEach((id) => void host.open(id)));
    return host;
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

  report(problem: unknown, about: string): void {
    this.#world.report(problem, about);
  }

  /** Replaces the agents; the first one is the default. Open conversations continue. */
  use(agents: readonly Agent[]): void {
    for (const unwatch of this.#unwatch) unwatch();
    this.#agents = new Map(agents.map((agent) => [agent.info.id, agent]));
    this.#unwatch = agents.flatMap(
      (agent) => agent.watch?.(() => this.#catalogue.tell({ kind: 'agents' })) ?? [],
    );
    this.#catalogue.tell({ kind: 'agents' });
  }

  /** The agents; with folders, including the modes and commands of that workspace. */
  agents(roots?: readonly string[]): readonly AgentInfo[] {
    return [...this.#agents.values()].map((agent) => (roots && agent.at?.(roots)) ?? agent.info);
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

  /** The default agent for new sessions in these folders. */
  usualAgent(roots: readonly string[]): string | undefined {
    const set = this.#world.settings?.of(roots).defaultAgent;
    return set !== undefined && this.#agents.has(set) ? set : this.agents()[0]?.id;
  }

  create({ id = this.#world.ids.next(), agent, ...rest }: NewSession, by: Origin): Session | Rejection {
    const set = this.#world.settings?.of(rest.roots);
    const chosen = agent ?? this.usualAgent(rest.roots) ?? '';
    const refused = this.#refuse(id, chosen);
    if (refused) return refused;
    const session = this.#attach(this.#newSession(emptyState(id)));
    const model =
      rest.model ?? this.#agents.get(chosen)?.info.models.find((known) => known.id === set?.defaultModel)?.id;
    session.dispatch(
      {
        kind: 'createSession',
        session: id,
        agent: chosen,
        ...rest,
        ...(model === undefined ? {} : { model }),
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
    const session = this.#newSession(emptyState(created.session));
    session.adopt(past);
    return this.#keep(session);
  }

  /** The session, read from its log if it is not open. */
  open(id: SessionId): Promise<Session | Rejection> {
    const known = this.#open.get(id);
    if (known) return Promise.resolve(known.session);
    if (!this.#catalogue.has(id)) return Promise.resolve(reject('not-found', `There is no session ${id}.`));
    const opening = this.#opening.get(id) ?? this.#read(id).finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  /** The session if it is open; reads nothing. */
  opened(id: SessionId): Session | undefined {
    return this.#open.get(id)?.session;
  }

  /** Sessions that contain all words and quoted phrases, newest first. */
  async search(query: SearchQuery): Promise<readonly SearchHit[]> {
    const sessions = this.summaries()
      .filter(({ started }) => started)
      .map((summary) => ({ ...summary, seq: this.opened(summary.id)?.state.seq ?? summary.seq }));
    const found =
      (await this.#world.index?.search(sessions, { ...query, words: phrases(query.words) })) ?? [];
    return found.flatMap(({ id, lines }) => {
      const summary = this.summary(id);
      return summary ? [{ id, title: summary.title, modifiedAt: summary.modifiedAt, lines }] : [];
    });
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
        create: (id) => this.#newSession(emptyState(id)),
        keep: (session) => this.#keep(session),
      },
    );
  }

  /** All open sessions. */
  openSessions(): readonly Session[] {
    return [...this.#open.values()].map(({ session }) => session);
  }

  /**
   * Reverts the file changes of a chat, after a turn or of one call. Files that changed since are left alone.
   * The agent learns of it with its next turn.
   */
  async undo(
    chat: ChatId,
    which: Parameters<typeof changesOf>[1],
    by: Origin,
  ): Promise<RevertResult | Rejection> {
    const session = await this.open(this.sessionOf(chat) ?? chat);
    if ('rejected' in session) return session;
    const known = session.state.chats[chat];
    if (!known) return reject('unknown-chat', `There is no chat ${chat}.`);
    if (known.active) return reject('turn-active', 'A turn is running in this chat; stop it first.');
    const undone = await this.revertChanges(changesOf(known, which), session);
    recordReverted(session, undone, by);
    await session.settled();
    return undone;
  }

  revertChanges(changes: readonly FileChange[], { head: { roots } }: Session): Promise<RevertResult> {
    const { files, paths } = this.#world;
    const { own = [] } = paths;
    return revertChanges(changes, { files, own, roots, canonical: (path) => paths.canonical(path) });
  }

  /** Deletes a session and its log permanently. */
  async remove(id: SessionId): Promise<Rejection | undefined> {
    if (!this.#catalogue.has(id) && !this.#open.has(id))
      return reject('not-found', `There is no session ${id}.`);
    await this.#release(id, 'forget');
    await this.jobs.reap({ session: id });
    await this.#world.outputs?.forget(id);
    await this.#world.store.remove(id);
    await this.#world.index?.forget(id);
    this.toolServers.forget(id);
    this.clientTools.forget(id);
    this.#catalogue.remove(id);
    return undefined;
  }

  /** Closes all conversations and stores the rest. The next host ends turns that still run as interrupted. */
  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.#release(id)));
    await this.jobs.reap();
    await this.#journal.drain();
    await this.#world.index?.close();
    await this.#world.store.close();
  }

  async #read(id: SessionId): Promise<Session | Rejection> {
    const { state, unreadable } = await fold(this.#world, id);
    if (state.seq === 0 && !unreadable) return reject('not-found', `There is no session ${id}.`);
    this.#evict();
    const session = this.#attach(this.#newSession(state, unreadable));
    // The list learns of damage that only reading finds.
    if (unreadable && this.summary(id)?.damage === undefined) this.#catalogue.update(session.summary());
    this.#open.get(id)?.runner.settleOrphans();
    await session.settled().catch((error: unknown) => this.#world.report(error, `recovering session ${id}`));
    return session;
  }

  #newSession(state: State, unreadable?: LogDamage): Session {
    return new Session({ state, ports: this.#world, journal: this.#journal, unreadable });
  }

  /** Lists a session that was created from events, when they are stored. */
  async #keep(session: Session): Promise<Session> {
    await session.settled();
    this.#attach(session);
    this.#catalogue.update(session.summary());
    return session;
  }

  #attach(session: Session): Session {
    session.follow((steps) => {
      if (steps.some(({ before, after }) => changesSummary(before, after)))
        this.#catalogue.update(session.summary());
      for (const {
        entry: { event },
      } of steps)
        if (event.kind === 'chat.removed') void this.jobs.reap({ session: session.id, chat: event.chat });
    }, 'host');
    const runner = new Runner({
      session,
      world: this.#world,
      agentOf: (id) => this.#agents.get(id),
      rules: () => this.#rules(session.head.roots),
      remember: (rules) => this.#remember(rules),
      jobs: this.jobs,
      editors: this.editors,
      workbench: (message) => this.workbenches.around(message, session.id, this.#world),
      servers: () => this.toolServers.of(session.id),
      clientTools: () => this.clientTools.of(session.id),
      names: this.#names,
      summaries: () => this.summaries(),
    });
    this.#open.set(session.id, { session, runner });
    return session;
  }

  #refuse(id: SessionId, agent: string): Rejection | undefined {
    if (!this.#agents.has(agent))
      return reject(
        'unknown-agent',
        `There is no agent named ${agent}.${didYouMean(agent, this.#agents.keys())}`,
      );
    if (!validId.test(id))
      return reject('invalid', 'A session id is 1 to 256 characters without blanks or control characters.');
    const taken =
      this.#catalogue.has(id) || this.#catalogue.sessionOf(id) !== undefined || this.#open.has(id);
    return taken ? reject('already-exists', `Session ${id} already exists.`) : undefined;
  }

  /** Closes idle sessions without clients. */
  #evict(): void {
    if (this.#open.size < openLimit) return;
    for (const [id, { session, runner }] of this.#open) {
      if (!session.isWatched && !runner.busy && session.settledNow) void this.#release(id);
    }
  }

  async #release(id: SessionId, how: 'release' | 'forget' = 'release'): Promise<void> {
    const known = this.#open.get(id);
    await known?.runner.close(how);
    await known?.session.settled().catch(() => {});
    this.#open.delete(id);
  }

  /**
   * The rules for every session in these folders: those that users allowed always, and those of the settings.
   */
  #rules(roots: readonly string[]): readonly Rule[] {
    return [...this.own.head.rules, ...(this.#world.settings?.of(roots).approvals ?? [])];
  }

  #remember(rules: readonly Rule[]): void {
    this.own.dispatch(
      { kind: 'changeSession', changes: { rules: withRules(this.own.head.rules, rules) } },
      { kind: 'host' },
    );
  }
}

const noKnowledge: Knowledge = {
  now: () => bareKnowledge,
  of: () => Promise.resolve(bareKnowledge),
  watch: () => () => {},
};

async function fold(
  world: World,
  id: SessionId,
): Promise<{ state: State; unreadable: LogDamage | undefined }> {
  let state = emptyState(id);
  let unreadable: LogDamage | undefined;
  const damaged = (damage: LogDamage) => (unreadable ??= damage);
  for await (const entry of entriesAround(world.store, id, damaged)) state = reduce(state, entry);
  return {
    state: unreadable instanceof LogNewer ? { ...state, title: newerTitle(state.title) } : state,
    unreadable,
  };
}

function changesSummary(before: State, after: State): boolean {
  return (
    before.modifiedAt !== after.modifiedAt ||
    before.read !== after.read ||
    before.archived !== after.archived ||
    before.title !== after.title ||
    (before.revertedEdits !== after.revertedEdits && changedLines(before) !== changedLines(after))
  );
}

// oxlint-disable-next-line no-control-regex -- control characters are exactly what is refused
const validId = /^(?!\$)[^\s\u0000-\u001f\u007f]{1,256}$/u;
