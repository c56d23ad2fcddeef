// One conversation with an external agent: sends prompts and handles updates between turns.
import type {
  ChosenSettings,
  Conversation,
  ConversationSetup,
  SessionReporter,
  TurnContext,
} from '../../../host/agent.ts';
import { LateChanges } from '../../../host/workspace/lateChanges.ts';
import type { ToolServer } from '../../../host/workspace/workbench.ts';
import type { Outcome, UserMessage } from '../../../model/event.ts';
import { readUpdate } from '../../../protocols/acp/v1/updateSchema.ts';
import { present } from '../../../base/present.ts';
import { untilDone } from '../../../base/waiting.ts';
import { RpcError } from '../../../rpc/rpcError.ts';
import { afterRestart } from './afterRestart.ts';
import { modeInside } from './agentLimits.ts';
import { IdleUpdates } from './idleUpdates.ts';
import { runHostCommand } from './hostCommands.ts';
import { SettingsApplier } from './applySettings.ts';
import type { OpenConversation } from './applySettings.ts';
import { confirmSaid, confirmUnasked } from '../requests/confirmUnasked.ts';
import { Elicitations } from '../requests/openElicitations.ts';
import type { ProcessPool } from '../process/processPool.ts';
import type { ConversationListener } from '../process/conversationRouter.ts';
import { AgentOffers } from './agentOffers.ts';
import type { LearnedOffers } from './agentOffers.ts';
import { failureText } from '../turn/outcome.ts';
import type { AgentPorts, AgentProgram, AgentTimes } from '../process/program.ts';
import { CurrentTurn } from './currentTurn.ts';
import { SessionConnector } from './sessionConnector.ts';
import { ClientRequests } from '../requests/clientRequests.ts';
import { takesSteering, PromptBuilder } from './promptBuilder.ts';
import { AgentTerminals } from '../requests/terminals.ts';
import { AgentTurn } from '../turn/turn.ts';

export interface ConversationOptions {
  readonly program: AgentProgram;
  readonly pool: ProcessPool;
  readonly ports: AgentPorts;
  /** All that a program of the agent may know of our environment. */
  readonly environment: (program: AgentProgram) => { readonly [name: string]: string };
  readonly times: AgentTimes;
  /** The tool servers in the settings of a workspace. */
  readonly servers: (roots: readonly string[]) => readonly ToolServer[];
  /** The working directory of a session without folders. */
  readonly home: string;
  /** Takes what the agent offers. */
  readonly learned: (learned: LearnedOffers) => void;
  readonly report: (problem: unknown, about: string) => void;
}

/** A prompt, and to where it went. */
interface Sent {
  readonly blocks: readonly object[];
  readonly open: OpenConversation;
}

export class AcpConversation implements Conversation, ConversationListener {
  readonly tellsHandover = true;
  readonly #options: ConversationOptions;
  readonly #where: ConversationSetup;
  readonly #terminals: AgentTerminals;
  readonly #offers: AgentOffers;
  readonly #elicitations = new Elicitations();
  readonly #idleUpdates: IdleUpdates;
  readonly #promptBuilder: PromptBuilder;
  readonly #settings: SettingsApplier;
  readonly #requests: ClientRequests;
  readonly #connector: SessionConnector;
  readonly #current: CurrentTurn;
  /** Changes of a turn that was stopped, which no turn has recorded yet. */
  readonly #late: LateChanges;
  #times = 0;
  #wasConfined = false;
  #closed = false;

  constructor(where: ConversationSetup, options: ConversationOptions) {
    const { ports, program } = options;
    const { session, chat, aside } = where;
    this.#where = where;
    this.#options = options;
    const current = new CurrentTurn(where.roots, options.home);
    this.#current = current;
    this.#terminals = new AgentTerminals({
      ...ports,
      owner: () => ({ kind: 'session', session, chat, ...present({ turn: current.context?.session.turn }) }),
      environment: () => ({ ...options.environment(program), ...this.#connector.alive?.link.project }),
    });
    this.#offers = new AgentOffers(
      withoutMode(aside, () => this.#modeInside),
      options.learned,
    );
    this.#idleUpdates = new IdleUpdates({
      ...options,
      clock: ports.clock,
      aside,
      current,
      work: (context) => this.#followUnprompted(context),
    });
    this.#late = new LateChanges({ aside, ids: ports.ids, who: program.name });
    this.#promptBuilder = new PromptBuilder({ name: program.name, from: where.from, current });
    this.#settings = new SettingsApplier({ ...options, offers: this.#offers, current });
    this.#connector = new SessionConnector({
      ...options,
      where,
      user: this,
      offers: this.#offers,
      promptBuilder: this.#promptBuilder,
      current,
    });
    this.#requests = new ClientRequests({
      program,
      files: ports.files,
      terminals: this.#terminals,
      elicitations: this.#elicitations,
      idleUpdates: this.#idleUpdates,
      connector: this.#connector,
      current,
    });
    options.pool.enter(where.session, where.isAttached);
  }

  get ref(): string | undefined {
    return this.#connector.ref;
  }

  get #modeInside(): string | undefined {
    return modeInside(this.#options.program, this.#connector.open?.link.confined);
  }

  async prompt(asked: TurnContext): Promise<Outcome> {
    const context = await afterRestart(asked, this.#options.program.name);
    if (context.signal.aborted) return { kind: 'cancelled' };
    return this.#working(context, async () => {
      const { program, ports } = this.#options;
      this.#late.tell(context);
      const own = runHostCommand(context, (fact) => this.#where.aside.record(fact));
      if (own) return own;
      const problem = await confirmUnasked(context, program, ports.ids);
      if (problem) return context.signal.aborted ? { kind: 'cancelled' } : { kind: 'failed', problem };
      const first = await this.#attempt(context);
      const outcome = first.signedOut
        ? await this.#afterSigningIn(context, first.signedOut, first.outcome)
        : first.outcome;
      if (outcome.kind === 'completed') nameAfter(asked);
      return outcome;
    });
  }

  /** `signedOut` if the agent did nothing because the sign-in is missing or expired. */
  async #attempt(
    context: TurnContext,
    again?: Sent,
  ): Promise<{ readonly outcome: Outcome; readonly signedOut?: Sent }> {
    const open = await untilDone(this.#connector.connect(), context.signal);
    if (!open) return { outcome: { kind: 'cancelled' } };
    if (!('link' in open)) return { outcome: { kind: 'failed', problem: open } };
    const { program, ports } = this.#options;
    const problem = await confirmSaid(context, program, { ...open.link.hello, ids: ports.ids });
    if (problem)
      return { outcome: context.signal.aborted ? { kind: 'cancelled' } : { kind: 'failed', problem } };
    const isConfined = open.link.confined !== undefined;
    // A conversation that leaves the sandbox must not keep the mode that it had inside.
    const isFirst = this.#times === 0 || isConfined !== this.#wasConfined;
    this.#wasConfined = isConfined;
    const chosen = {
      model: context.session.model,
      mode: this.#modeInside ?? context.session.mode ?? (isFirst ? program.quirks?.mode : undefined),
      options: context.state().options,
    };
    this.#settings.tellMissing(open, chosen);
    await this.#settings.apply(open, chosen);
    if (context.signal.aborted) return { outcome: { kind: 'cancelled' } };
    this.#times += 1;
    let blocks = again?.open === open ? again.blocks : undefined;
    let signedOut = false;
    const outcome = await this.#inTurn(context, open, async (turn) => {
      const end = await turn.run(() => (blocks ??= this.#promptBuilder.blocks(context, open.link)));
      signedOut = turn.signedOut;
      return end;
    });
    return { outcome, ...(signedOut && blocks ? { signedOut: { blocks, open } } : {}) };
  }

  async #afterSigningIn(context: TurnContext, before: Sent, failed: Outcome): Promise<Outcome> {
    const problem = await this.#connector.signIn(before.open);
    if (context.signal.aborted) return { kind: 'cancelled' };
    if (problem) return problem === 'not now' ? failed : { kind: 'failed', problem };
    return (await this.#attempt(context, before)).outcome;
  }

  /** Present if the agent accepts steering messages. */
  get steer(): ((message: UserMessage) => void) | undefined {
    const open = this.#connector.alive;
    const { setup: silence } = this.#options.times;
    return open && takesSteering(open.link)
      ? (message) => void this.#promptBuilder.steer(message, { ...open, silence })
      : undefined;
  }

  configure(chosen: ChosenSettings): void {
    const open = this.#connector.alive;
    if (open)
      void this.#settings
        .apply(open, { ...chosen, mode: this.#modeInside ?? chosen.mode })
        .catch((error: unknown) =>
          this.#options.report(error, `the settings of ${this.#options.program.name}`),
        );
  }

  /** ACP cannot truncate, so the agent starts a new conversation with the remaining turns. */
  truncate(): Promise<void> {
    return this.#connector.restart();
  }

  async forget(): Promise<void> {
    const { ref } = this.#connector;
    const link = ref === undefined ? undefined : await this.#connector.program();
    if (!link?.hello.agentCapabilities.sessionCapabilities.delete) return;
    await link.request('session/delete', { sessionId: ref }, this.#options.times.cancel).catch(() => {});
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#idleUpdates.close();
    await this.#connector.leave();
    await Promise.all([this.#terminals.end(), this.#options.pool.leave(this.#where.session)]);
  }

  // Updates and requests of the agent.

  update(value: unknown): void {
    const update = readUpdate(value);
    if (!update) return;
    this.#offers.take(update, this.#connector.open?.settings);
    if (!this.#connector.replaying) this.#idleUpdates.hear(update);
  }

  request(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    return this.#requests.request(method, params, signal);
  }

  elicited(id: string): void {
    this.#elicitations.completed(id);
  }

  room(): Promise<void> | undefined {
    return this.#where.aside.room();
  }

  #followUnprompted(context: TurnContext): Promise<Outcome> {
    return this.#working(context, async () => {
      const open = this.#connector.alive;
      if (!open) return { kind: 'completed' };
      return this.#inTurn(context, open, (turn) => turn.follow());
    });
  }

  async #working(context: TurnContext, work: () => Promise<Outcome>): Promise<Outcome> {
    const { pool, program, report } = this.#options;
    const rest = pool.work(this.#where.session);
    this.#current.begin(context);
    this.#idleUpdates.awake();
    try {
      const outcome = await work();
      return this.#closed ? { kind: 'cancelled' } : outcome;
    } catch (error) {
      if (context.signal.aborted || this.#closed) return { kind: 'cancelled' };
      if (!(error instanceof RpcError)) report(error, `a turn of ${program.name}`);
      return { kind: 'failed', problem: { code: 'agent', message: failureText(error) } };
    } finally {
      this.#current.end(context);
      this.#elicitations.forget();
      rest();
    }
  }

  async #inTurn(
    context: TurnContext,
    open: OpenConversation,
    work: (turn: AgentTurn) => Promise<Outcome>,
  ): Promise<Outcome> {
    const { pool } = this.#options;
    const turn = new AgentTurn({
      ...this.#options,
      ...this.#options.ports,
      context,
      link: open.link,
      session: open.id,
      terminals: this.#terminals,
      elicitations: this.#elicitations,
      costBefore: this.#offers.cost,
    });
    this.#late.tell(context);
    this.#idleUpdates.begin(turn);
    try {
      const outcome = await work(turn);
      // An agent that was asked to stop and has not answered will not answer.
      if (turn.unanswered) await pool.drop(this.#where.session);
      const late = await turn.finish();
      if (!this.#closed) this.#late.keep(late);
      if (turn.unanswered) return outcome;
      if (outcome.kind === 'failed' && !turn.heard && open.link.alive) this.#doubt(open, turn);
      return outcome;
    } finally {
      this.#idleUpdates.end(turn);
    }
  }

  /**
   * Agents report a lost conversation in many ways, often like other errors. An agent that can resume is
   * asked to resume; this is harmless if the conversation was not lost.
   */
  #doubt(open: OpenConversation, { lost }: AgentTurn): void {
    if (lost || open.link.hello.agentCapabilities.sessionCapabilities.resume) this.#connector.doubt(open);
  }
}

/** The mode that an agent has only because it is confined is not the session's. */
function withoutMode(aside: SessionReporter, inside: () => string | undefined): SessionReporter {
  return {
    bind: (ref) => aside.bind(ref),
    record: (fact) => aside.record(fact),
    wake: (text, work) => aside.wake(text, work),
    room: () => aside.room(),
    change({ mode, ...changes }) {
      aside.change({ ...changes, ...(mode === inside() ? {} : present({ mode })) });
    },
  };
}

const longestTitle = 60;

/** The title of an unnamed conversation is the first line of its first message that is not a command. */
function nameAfter(context: TurnContext): void {
  const { chats, order, title } = context.state();
  const named = order[0] === context.session.chat ? title : chats[context.session.chat]?.title;
  const words = context.message.text.trim().split('\n', 1)[0] ?? '';
  if (named !== '' || words === '' || words.startsWith('/')) return;
  context.log.title(
    words.length <= longestTitle ? words : `${words.slice(0, longestTitle).replace(/\s+\S*$/, '')} …`,
  );
}
