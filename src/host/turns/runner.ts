// Runs the turns of one session: follows the log and lets agents work on what is durable
// there. Knows no protocol.
import { onAbort } from '../../base/waiting.ts';
import { errorText } from '../../base/errorText.ts';
import type {
  Answer,
  ChatId,
  Entry,
  EventOf,
  MessageId,
  Origin,
  Outcome,
  Problem,
  Rule,
  SessionChanges,
  TurnId,
} from '../../model/event.ts';
import type { Chat, State, Turn } from '../../model/state.ts';
import { lastingAnswer } from '../permissions/lastingAnswer.ts';
import type { LastingRules } from '../permissions/lastingRules.ts';
import { overBudget } from './budget.ts';
import { isSessionCommand, sessionAnswer } from './sessionCommands.ts';
import { exportSession, forkChat } from './sessionCopies.ts';
import type { SessionCatalogue } from './sessionCopies.ts';
import type { ReservedChatIds } from '../session/reservedChatIds.ts';
import { RecoveredAsks } from '../permissions/recoveredAsks.ts';
import { continuedTurns } from '../permissions/continuedTurns.ts';
import { tellLostAsks } from './lostAsks.ts';
import { rootOf } from './subagents.ts';
import type { Agent, TurnContext, TurnWork } from '../agent.ts';
import { Conversations } from './agentConversations.ts';
import type { Editors } from '../workspace/attachedEditors.ts';
import type { Jobs } from '../tools/backgroundJobs.ts';
import type { ClientTool } from '../tools/clientTools.ts';
import type { World } from '../world.ts';
import { NotStored } from '../session/logStore.ts';
import type { Session, Step } from '../session/session.ts';
import { SettingsNews } from './settingsNotices.ts';
import { TrustQuestions } from './trustQuestions.ts';
import type { AskingTurn } from './trustQuestions.ts';
import { turnContext } from './turnContext.ts';
import type { ToolServer, Workbench } from '../workspace/workbench.ts';

export interface RunnerOptions {
  readonly session: Session;
  readonly world: World;
  readonly agentOf: (id: string) => Agent | undefined;
  /** The user's rules for this session. */
  readonly rules: () => readonly Rule[];
  /** Where rules for more than this session are added. */
  readonly lasting: Pick<LastingRules, 'add' | 'news'>;
  readonly jobs: Jobs;
  readonly editors: Editors;
  /**
   * What the client that wrote a message provides, and the tool servers that clients want for the session.
   */
  readonly workbench: (message: MessageId) => Workbench | undefined;
  readonly servers: () => readonly ToolServer[];
  /** The tools that clients provide. */
  readonly clientTools: () => readonly ClientTool[];
  readonly names?: ReservedChatIds;
  readonly catalogue: SessionCatalogue;
}

interface Running {
  readonly turn: TurnId;
  readonly stop: AbortController;
  /** The questions that were open when the last host ended. */
  readonly recovered: RecoveredAsks;
  /** Whether the agent enforces the limit of steps. */
  countsSteps?: boolean;
  /** Set when the agent works; the host may then ask in this turn, too. */
  asking?: AskingTurn;
}

/** How long an agent may take to end a stopped turn before its conversation is closed, in milliseconds. */
const patience = 15_000;

/** How long a stopped turn is waited for in silence, in milliseconds. */
const quietWait = 1_000;

/** The pause before each attempt to end the turns that a failed write interrupted, in milliseconds. */
const storeRetry = 500;

export class Runner {
  readonly #options: RunnerOptions;
  readonly #running = new Map<ChatId, Running>();
  readonly #conversations: Conversations;
  /** The turns of each chat run one after the other. */
  readonly #lines = new Map<ChatId, Promise<void>>();
  /** What is said, if anything yet, of the chats whose agent still works on a stopped turn. */
  readonly #stopping = new Map<ChatId, string | null>();
  readonly #answers = new Map<string, (answer: Answer) => void>();
  /** The turns that an agent started, and its work in them. */
  readonly #woken = new Map<TurnId, TurnWork>();
  readonly #news: SettingsNews;
  readonly #trust: TrustQuestions;
  readonly #leave: () => void;
  /** Takes back the next attempt to end the turns that a failed write interrupted. */
  #retry: (() => void) | undefined;
  #closed = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    const { session, world } = options;
    this.#news = new SettingsNews(options);
    this.#trust = new TrustQuestions(options);
    this.#conversations = new Conversations({
      ...options,
      closed: () => this.#closed,
      woken: (turn, work) => void (work ? this.#woken.set(turn, work) : this.#woken.delete(turn)),
    });
    const unwatch = world.settings?.watch(() => this.#settingsChanged());
    const unfollow = session.follow((steps) => steps.forEach((step) => this.#act(step)), 'host');
    const unloss = session.onLoss((cause) => this.#afterLoss(cause));
    this.#leave = () => {
      unfollow();
      unloss();
      unwatch?.();
      this.#retry?.();
    };
  }

  /** Whether an agent works, also on a turn that was stopped. */
  get busy(): boolean {
    return this.#running.size + this.#stopping.size > 0;
  }

  /** The last host has ended: turns with an open question go on, all others are interrupted. */
  recover(): void {
    const { chats } = this.#options.session.state;
    this.#news.lowerMode();
    for (const [id, recovered] of this.#continued()) {
      const turn = chats[id]?.active?.id;
      if (turn !== undefined) this.#start(id, turn, recovered);
    }
    this.#tellStopping();
    this.#endOrphans({ kind: 'interrupted' });
  }

  /** Ends every turn that no agent works on, except those that the next host continues. */
  #endOrphans(outcome: Outcome, continued: (chat: Chat) => boolean = () => false): void {
    const { session, world } = this.#options;
    const orphans = Object.values(session.state.chats).filter(
      (chat) => chat.active && this.#running.get(chat.id)?.turn !== chat.active.id && !continued(chat),
    );
    if (outcome.kind === 'interrupted')
      for (const chat of orphans)
        tellLostAsks(session, chat, this.#options.agentOf(session.state.agent)?.info.name);
    for (const { id, active } of orphans)
      if (active)
        session.dispatch(
          { kind: 'endTurn', chat: id, turn: active.id, outcome, next: world.ids.next(), holds: true },
          { kind: 'host' },
        );
  }

  /** The turns that wait for an answer which another host can use. */
  #continued(): ReturnType<typeof continuedTurns> {
    const { session, agentOf } = this.#options;
    return continuedTurns(session.state, agentOf(session.state.agent));
  }

  /**
   * Starts no turn any more. Stops the turns of a session that is removed; else interrupts all turns, except
   * those that the next host continues.
   */
  async endTurns(how: 'release' | 'forget' = 'release'): Promise<void> {
    const { session } = this.#options;
    this.#closed = true;
    this.#stopAll();
    await Promise.allSettled([...this.#lines.values()]);
    await session.settled().catch(() => {});
    const continued = this.#continued();
    if (how === 'forget') this.#endOrphans({ kind: 'cancelled' });
    else this.#endOrphans({ kind: 'interrupted' }, ({ id }) => continued.has(id));
    await session.settled().catch(() => {});
  }

  /** `forget` also lets the agents delete what they stored for the session. */
  async close(how: 'release' | 'forget' = 'release'): Promise<void> {
    await this.endTurns(how);
    this.#leave();
    this.#trust.close();
    await this.#conversations.close(how);
  }

  #settingsChanged(): void {
    if (!this.#closed) this.#news.lowerMode();
    const working = [...this.#running.values()].flatMap(({ asking }) => asking ?? []);
    const asking = working.find(({ chat }) => chat.origin.type !== 'tool') ?? working[0];
    if (!asking) return;
    this.#news.tell(asking.chat.id, asking.turn.id);
    this.#trust.during(asking);
  }

  #act({ entry, before, after }: Step): void {
    const { event } = entry;
    if (this.#closed) return;
    if (event.kind === 'turn.started' || event.kind === 'turn.resumed') this.#start(event.chat, event.turn);
    else if (event.kind === 'turn.ended') this.#stop(event.chat, event.turn);
    else if (event.kind === 'ask.answered') this.#answer(event, entry, before);
    else if (event.kind === 'message.queued' && event.lane === 'steer') this.#steer(event.chat);
    else if (event.kind === 'chat.truncated') this.#truncate(event.chat, event.after);
    else if (event.kind === 'session.changed' && event.changes.agent !== undefined)
      this.#takenOver(event.changes.agent, after);
    else if (event.kind === 'chat.removed') void this.#conversations.reopen(after.chats);
    else if (event.kind === 'session.changed') this.#configure(event.changes, after);
    else if (event.kind === 'message.steered') this.#news.tellLimit(event.chat, event.turn);
  }

  #configure(changes: SessionChanges, after: State): void {
    this.#conversations.configure(changes, after);
    if (changes.autonomy === undefined) return;
    for (const { asking } of this.#running.values())
      if (asking) this.#news.tellLimit(asking.chat.id, asking.turn.id);
  }

  /** The next turn may have started in the same step; it must find what the agent has left. */
  #truncate(chat: ChatId, after: TurnId | undefined): void {
    const truncated = this.#conversations.truncate(chat, after);
    const earlier = this.#lines.get(chat) ?? Promise.resolve();
    this.#lines.set(
      chat,
      earlier.then(() => truncated),
    );
  }

  /** While a turn waits for the one before it, the agent still stops that one, and would lose the message. */
  #steer(chat: ChatId): void {
    if (this.#running.get(chat)?.asking) void this.#conversations.steer(chat);
  }

  #start(chat: ChatId, turn: TurnId, recovered = new RecoveredAsks()): void {
    const running: Running = { turn, stop: new AbortController(), recovered };
    this.#running.set(chat, running);
    const earlier = this.#lines.get(chat) ?? Promise.resolve();
    const line = earlier.then(() => this.#work(chat, running).finally(() => this.#stopSubagents(recovered)));
    this.#lines.set(chat, line);
  }

  /** Subagents of the last host whose call was not made again. */
  #stopSubagents({ subagents }: RecoveredAsks): void {
    const { session, world } = this.#options;
    if (this.#closed) return;
    for (const { chat, turn } of subagents.values())
      if (session.head.chats[chat]?.active?.id === turn)
        session.dispatch({ kind: 'stopTurn', chat, turn, next: world.ids.next() }, this.#origin());
  }

  async #work(chatId: ChatId, running: Running): Promise<void> {
    const { session, world } = this.#options;
    const chat = session.state.chats[chatId];
    if (running.stop.signal.aborted || chat?.active?.id !== running.turn)
      return void this.#woken.delete(running.turn);
    const outcome = await this.#prompt(chat, chat.active, running);
    if (this.#running.get(chatId) === running) this.#running.delete(chatId);
    if (running.stop.signal.aborted) return;
    session.dispatch(
      { kind: 'endTurn', chat: chatId, turn: running.turn, outcome, next: world.ids.next() },
      this.#origin(),
    );
  }

  async #prompt(chat: Chat, turn: Turn, running: Running): Promise<Outcome> {
    const { session, world } = this.#options;
    const { signal } = running.stop;
    try {
      if (await this.#answerCommand(chat.id, turn)) return { kind: 'completed' };
      const spent = this.#overBudget(chat.id, 'no steps');
      if (spent) return { kind: 'failed', problem: spent };
      const { recovered } = running;
      const asking = { chat, turn, signal, recovered, waitFor: (ask: string) => this.#waitFor(ask, signal) };
      await this.#trust.before(asking);
      if (signal.aborted) return { kind: 'cancelled' };
      running.asking = asking;
      this.#news.tell(chat.id, turn.id);
      const conversation = await this.#conversations.of(chat);
      running.countsSteps = conversation.countsSteps ?? false;
      const context = this.#withinBudget(
        turnContext({
          ...this.#options,
          workspace: this.#options,
          chat,
          turn,
          signal,
          waitFor: asking.waitFor,
          recovered,
          closed: () => this.#closed,
          origin: this.#origin(),
        }),
      );
      const work = this.#woken.get(turn.id) ?? ((given) => conversation.prompt(given));
      this.#woken.delete(turn.id);
      this.#conversations.tellHandover(chat, conversation, context);
      return await this.#withPatience(work(context), chat.id, signal);
    } catch (error) {
      world.report(error, `the agent of session ${session.id}`);
      this.#conversations.forget(chat.id);
      return {
        kind: 'failed',
        problem: { code: 'agent', message: errorText(error, 'The agent failed.') },
      };
    } finally {
      this.#options.names?.release(turn.id);
    }
  }

  /**
   * A command about the session is carried out here, whatever the agent does at the moment. What an agent
   * writes, also to a subagent, is none: it could give itself permissions.
   */
  async #answerCommand(chat: ChatId, turn: Turn): Promise<boolean> {
    const { session, world, agentOf, catalogue } = this.#options;
    // Whoever offers the command is asked only then: an agent looks at its models and folders for it.
    if (!isSessionCommand(turn.message.text)) return false;
    if (turn.message.from === 'agent' || session.head.chats[chat]?.origin.type === 'tool') return false;
    const by: Origin = { kind: 'host' };
    const author = turn.by.kind === 'client' ? turn.by : by;
    const { roots } = session.head;
    const agent = agentOf(session.head.agent);
    const request = { session, chat, turn: turn.id };
    const text =
      agent &&
      (await sessionAnswer(turn.message.text, {
        state: session.head,
        chat,
        agent: agent.at?.(roots) ?? agent.info,
        summaries: catalogue.summaries,
        change: (changes) => session.dispatch({ kind: 'changeSession', changes }, author)?.message,
        fork: () => forkChat(request, catalogue, world),
        save: (file) => exportSession(request, file, world),
        trust: (word) => this.#trust.command(word),
      }));
    if (text === undefined) return false;
    const report = { kind: 'text.added', item: world.ids.next(), channel: 'answer', text } as const;
    session.dispatch({ kind: 'report', chat, turn: turn.id, report }, by);
    return true;
  }

  /** Checks the budget immediately: until the report is stored, the agent could spend more. */
  #withinBudget(context: TurnContext): TurnContext {
    return {
      ...context,
      report: (report) => {
        context.report(report);
        if (report.kind === 'usage.reported' || report.kind === 'tool.started')
          this.#keepBudget(context.session.chat);
      },
    };
  }

  /** Ends a turn that exceeds its budget, together with its subagents. */
  #keepBudget(chat: ChatId): void {
    const { session, world } = this.#options;
    const root = rootOf(session.head, chat);
    const running = this.#running.get(root);
    const problem = running && this.#overBudget(root, running.countsSteps === false ? 'steps' : 'no steps');
    if (!running || !problem) return;
    session.dispatch(
      {
        kind: 'endTurn',
        chat: root,
        turn: running.turn,
        outcome: { kind: 'failed', problem },
        next: world.ids.next(),
      },
      { kind: 'host' },
    );
    // Its subagents, too: until their end is stored they could ask a model again.
    for (const [each, { turn }] of [...this.#running])
      if (session.head.chats[each]?.active?.id !== turn) this.#stop(each, turn);
  }

  #overBudget(chat: ChatId, counts: 'steps' | 'no steps'): Problem | undefined {
    const { session, world } = this.#options;
    const limits = world.settings?.of(session.head.roots).limits;
    return limits && overBudget(session.head, chat, { limits, counts });
  }

  /** A stopped turn ends for all clients; an agent that does not end it in time loses its conversation. */
  #withPatience(work: Promise<Outcome>, chat: ChatId, signal: AbortSignal): Promise<Outcome> {
    const { world, session, agentOf } = this.#options;
    const { info, stopsWithin = patience } = agentOf(session.state.agent) ?? {};
    const seconds = Math.ceil(stopsWithin / 1_000);
    const text = `Waiting up to ${seconds} seconds for ${info?.name ?? 'the agent'} to stop; then it is ended.`;
    const stopped = new Promise<Outcome>((resolve, fail) => {
      let recalls: readonly (() => void)[] = [];
      const leave = onAbort(signal, () => {
        this.#stopping.set(chat, null);
        recalls = [
          world.clock.after(quietWait, () => {
            this.#stopping.set(chat, text);
            this.#tellStopping();
          }),
          world.clock.after(patience, () => {
            void this.#conversations.drop(chat);
            resolve({ kind: 'cancelled' });
          }),
        ];
      });
      work.then(resolve, fail).finally(() => {
        leave();
        for (const recall of recalls) recall();
      });
    });
    return stopped.finally(() => {
      this.#stopping.delete(chat);
      this.#tellStopping();
    });
  }

  /** Says of all chats whether their agent is waited for; what was said may be of another host, or lost. */
  #tellStopping(): void {
    const { session } = this.#options;
    for (const { id: chat, stopping: told = null } of Object.values(session.head.chats)) {
      const stopping = this.#stopping.get(chat) ?? null;
      if (told !== stopping) session.dispatch({ kind: 'changeChat', chat, stopping }, { kind: 'host' });
    }
  }

  #waitFor(ask: string, signal: AbortSignal): Promise<Answer> {
    return new Promise((resolve) => {
      let leave = () => {};
      const settle = (answer: Answer) => {
        this.#answers.delete(ask);
        leave();
        resolve(answer);
      };
      this.#answers.set(ask, settle);
      leave = onAbort(signal, () => settle({ kind: 'withdrawn', why: 'stopped' }));
    });
  }

  #answer(event: EventOf<'ask.answered'>, entry: Entry, before: State): void {
    const resolve = this.#answers.get(event.ask);
    if (!resolve) return;
    const { session, world } = this.#options;
    const folders = before.roots.map((root) => world.paths.canonical(root));
    const chat = before.chats[event.chat];
    const rules = lastingAnswer({ entry, event, chat, session: session.id, folders });
    // An answer in an imported history does not create a rule again: the user may have
    // removed the rule since.
    if (rules) this.#options.lasting.add(rules);
    resolve(event.answer);
  }

  #stop(chat: ChatId, turn: TurnId): void {
    const running = this.#running.get(chat);
    if (running?.turn !== turn) return;
    this.#running.delete(chat);
    running.stop.abort();
  }

  #stopAll(): void {
    for (const { stop } of this.#running.values()) stop.abort();
    this.#running.clear();
  }

  /** Stops the agents immediately; their turns end as soon as the store accepts entries again. */
  #afterLoss(cause: unknown): void {
    this.#stopAll();
    const { message } = new NotStored(cause);
    // One attempt at a time: each one that fails comes back here.
    this.#retry?.();
    this.#retry = this.#options.world.clock.after(storeRetry, () => {
      this.#retry = undefined;
      this.#tellStopping();
      this.#endOrphans({ kind: 'failed', problem: { code: 'storage', message } });
    });
  }

  #takenOver(id: string, { chats, roots, model }: State): void {
    const { session, world, agentOf } = this.#options;
    const agent = agentOf(id);
    agent?.explore?.(roots);
    void this.#conversations.reopen(chats);
    const usual = world.settings?.of(roots).defaultModel;
    const { models = [] } = agent?.info ?? {};
    const isTaken = (wanted: string) =>
      models.some((known) => known.id === wanted) || agent?.takesModel?.(wanted);
    if (model === undefined && usual !== undefined && isTaken(usual))
      session.dispatch({ kind: 'changeSession', changes: { model: usual } }, { kind: 'host' });
  }

  #origin(): Origin {
    return { kind: 'agent', agent: this.#options.session.state.agent };
  }
}
