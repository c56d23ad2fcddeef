// One conversation with an external agent: prompted turn by turn, and heard in between.
import type { Chosen, Conversation, TurnContext, Where } from '../../../host/agent.ts';
import type { Clock, Files, Ids } from '../../../host/ports.ts';
import type { Programs } from '../../../host/tools/programs.ts';
import type { ToolServer } from '../../../host/workspace/workbench.ts';
import type { Outcome, UserMessage } from '../../../model/event.ts';
import { readUpdate } from '../../../protocols/acp/v1/updateSchema.ts';
import type { ReadUpdate } from '../../../protocols/acp/v1/updateSchema.ts';
import { RpcError } from '../../../rpc/rpcError.ts';
import { Between } from './idleUpdates.ts';
import { Choosing } from './applySettings.ts';
import type { Open } from './applySettings.ts';
import { Elicitations } from '../requests/openElicitations.ts';
import type { Keeper } from '../process/processPool.ts';
import type { LinkUser } from '../process/conversationRouter.ts';
import { Novelties } from './agentOffers.ts';
import type { Learned } from './agentOffers.ts';
import { wordsOf } from '../turn/outcome.ts';
import type { AgentProgram, Times } from '../process/program.ts';
import { Reach } from './sessionConnector.ts';
import { Services } from '../requests/clientRequests.ts';
import { takesSteering, Telling } from './promptBuilder.ts';
import { Terminals } from '../requests/terminals.ts';
import { Turn } from '../turn/turn.ts';

export interface ConversationOptions {
  readonly program: AgentProgram;
  readonly keeper: Keeper;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: Files;
  readonly programs: Programs;
  /** All that a program of the agent may know of our environment. */
  readonly environment: (program: AgentProgram) => { readonly [name: string]: string };
  readonly times: Times;
  /** The servers of tools that the settings name for a workspace. */
  readonly servers: (roots: readonly string[]) => readonly ToolServer[];
  /** Where a session without folders works. */
  readonly home: string;
  /** What the agent offers, as far as it has told. */
  readonly learned: (learned: Learned) => void;
  readonly report: (problem: unknown, about: string) => void;
}

/** A prompt, and to where it went. */
interface Sent {
  readonly blocks: readonly object[];
  readonly open: Open;
}

export class AcpConversation implements Conversation, LinkUser {
  readonly tellsHandover = true;
  readonly #options: ConversationOptions;
  readonly #where: Where;
  readonly #terminals: Terminals;
  readonly #novelties: Novelties;
  readonly #elicitations = new Elicitations();
  readonly #between: Between;
  readonly #telling: Telling;
  readonly #choosing: Choosing;
  readonly #services: Services;
  readonly #reach: Reach;
  /** The turn that the host waits for. */
  #context: TurnContext | undefined;
  #times = 0;
  #closed = false;

  constructor(where: Where, options: ConversationOptions) {
    const context = () => this.#context;
    this.#where = where;
    this.#options = options;
    this.#terminals = new Terminals({
      ...options,
      owner: () => ({
        kind: 'session',
        session: where.session,
        chat: where.chat,
        ...(this.#context ? { turn: this.#context.turn } : {}),
      }),
    });
    this.#novelties = new Novelties(where.aside, options.learned);
    this.#between = new Between({
      ...options,
      aside: where.aside,
      busy: () => this.#context !== undefined,
      work: (woken) => this.#woken(woken),
    });
    this.#telling = new Telling({ name: options.program.name, from: where.from });
    this.#choosing = new Choosing({ ...options, novelties: this.#novelties, context });
    this.#services = new Services({
      ...options,
      terminals: this.#terminals,
      elicitations: this.#elicitations,
      between: this.#between,
      context,
      roots: () => this.#roots(),
      opening: () => this.#reach.opening,
    });
    this.#reach = new Reach({
      ...options,
      where,
      user: this,
      novelties: this.#novelties,
      telling: this.#telling,
      context,
      roots: () => this.#roots(),
    });
    options.keeper.enter(where.session);
  }

  get ref(): string | undefined {
    return this.#reach.ref;
  }

  async prompt(context: TurnContext): Promise<Outcome> {
    return this.#working(context, async () => {
      const first = await this.#attempt(context);
      const outcome = first.signedOut
        ? await this.#afterSigningIn(context, first.signedOut, first.outcome)
        : first.outcome;
      if (outcome.kind === 'completed') nameAfter(context);
      return outcome;
    });
  }

  /** `signedOut` where the agent did not even begin because nobody is signed in any more. */
  async #attempt(
    context: TurnContext,
    again?: Sent,
  ): Promise<{ readonly outcome: Outcome; readonly signedOut?: Sent }> {
    const open = await stopped(this.#reach.connect(), context.signal);
    if (open === 'stopped') return { outcome: { kind: 'cancelled' } };
    if (!('link' in open)) return { outcome: { kind: 'failed', problem: open } };
    const chosen = {
      model: context.model,
      mode: context.mode ?? (this.#times === 0 ? this.#options.program.quirks?.mode : undefined),
      options: context.state().options,
    };
    this.#choosing.tellMissing(open, chosen);
    await this.#choosing.choose(open, chosen);
    if (context.signal.aborted) return { outcome: { kind: 'cancelled' } };
    this.#times += 1;
    const blocks = again?.open === open ? again.blocks : this.#telling.blocks(context, open.link);
    let signedOut = false;
    const outcome = await this.#inTurn(context, open, async (turn) => {
      const end = await turn.run(blocks);
      signedOut = turn.signedOut && !turn.heard;
      return end;
    });
    return { outcome, ...(signedOut ? { signedOut: { blocks, open } } : {}) };
  }

  async #afterSigningIn(context: TurnContext, before: Sent, failed: Outcome): Promise<Outcome> {
    const problem = await this.#reach.signIn(before.open);
    if (context.signal.aborted) return { kind: 'cancelled' };
    if (problem) return problem === 'not now' ? failed : { kind: 'failed', problem };
    return (await this.#attempt(context, before)).outcome;
  }

  /** Present where the agent can take a word in between. */
  get steer(): ((message: UserMessage) => void) | undefined {
    const open = this.#reach.alive;
    const place = { silence: this.#options.times.setup, context: () => this.#context };
    return open && takesSteering(open.link)
      ? (message) => void this.#telling.steer(message, { ...open, ...place })
      : undefined;
  }

  configure(chosen: Chosen): void {
    const open = this.#reach.alive;
    if (open)
      void this.#choosing
        .choose(open, chosen)
        .catch((error: unknown) =>
          this.#options.report(error, `the settings of ${this.#options.program.name}`),
        );
  }

  /** ACP knows no way back, so the agent begins anew with what is left. */
  truncate(): Promise<void> {
    return this.#reach.restart();
  }

  async forget(): Promise<void> {
    const open = this.#reach.alive;
    if (!open?.link.hello.agentCapabilities.sessionCapabilities.delete) return;
    await open.link
      .request('session/delete', { sessionId: open.id }, this.#options.times.cancel)
      .catch(() => {});
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#between.close();
    await this.#reach.leave();
    await Promise.all([this.#terminals.end(), this.#options.keeper.leave(this.#where.session)]);
  }

  // What the agent says and asks.

  update(value: unknown): void {
    const update = readUpdate(value);
    if (!update) return;
    this.#novelties.take(update, this.#reach.open?.settings);
    this.#keepMeta(update);
    if (!this.#reach.replaying) this.#between.hear(update);
  }

  request(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    return this.#services.request(method, params, signal);
  }

  elicited(id: string): void {
    this.#elicitations.completed(id);
  }

  /** Words and calls carry their extensions themselves; those of everything else are kept beside. */
  #keepMeta(update: ReadUpdate): void {
    if (update.sessionUpdate === 'unknown' || 'toolCallId' in update || 'content' in update) return;
    const { _meta: meta } = update;
    if (meta !== undefined) this.#where.aside.note('agents/acp', `meta:${update.sessionUpdate}`, meta);
  }

  #woken(context: TurnContext): Promise<Outcome> {
    return this.#working(context, async () => {
      const open = this.#reach.alive;
      if (!open) return { kind: 'completed' };
      return this.#inTurn(context, open, (turn) => turn.follow());
    });
  }

  async #working(context: TurnContext, work: () => Promise<Outcome>): Promise<Outcome> {
    const { keeper, program, report } = this.#options;
    const rest = keeper.work(this.#where.session);
    this.#context = context;
    this.#between.awake();
    try {
      const outcome = await work();
      return this.#closed ? { kind: 'cancelled' } : outcome;
    } catch (error) {
      if (context.signal.aborted || this.#closed) return { kind: 'cancelled' };
      if (!(error instanceof RpcError)) report(error, `a turn of ${program.name}`);
      return { kind: 'failed', problem: { code: 'agent', message: wordsOf(error) } };
    } finally {
      if (this.#context === context) this.#context = undefined;
      rest();
    }
  }

  async #inTurn(context: TurnContext, open: Open, work: (turn: Turn) => Promise<Outcome>): Promise<Outcome> {
    const { keeper } = this.#options;
    const turn = new Turn({
      ...this.#options,
      context,
      link: open.link,
      session: open.id,
      terminals: this.#terminals,
      elicitations: this.#elicitations,
      costBefore: this.#novelties.cost,
      note: (key, value) => this.#where.aside.note('agents/acp', key, value),
    });
    this.#between.begin(turn);
    try {
      const outcome = await work(turn);
      // An agent that was told to stop and has not answered is not going to.
      if (turn.unanswered) void keeper.drop(this.#where.session);
      else if (outcome.kind === 'failed' && !turn.heard && open.link.alive) this.#doubt(open, turn);
      return outcome;
    } finally {
      this.#between.end(turn);
    }
  }

  /**
   * Agents say in many ways that they have lost a conversation, and often in the same way that something else is wrong. One that can
   * take it up again is asked to; that costs nothing where it was not lost.
   */
  #doubt(open: Open, { lost }: Turn): void {
    if (lost || open.link.hello.agentCapabilities.sessionCapabilities.resume) this.#reach.doubt(open);
  }

  #roots(): readonly string[] {
    const roots = this.#context?.roots ?? this.#where.roots;
    return roots.length > 0 ? roots : [this.#options.home];
  }
}

const longestTitle = 60;

/** A conversation that its agent has not named goes by what was said first. */
function nameAfter(context: TurnContext): void {
  const { chats, order, title } = context.state();
  const named = order[0] === context.chat ? title : chats[context.chat]?.title;
  const words = context.message.text.trim().split('\n', 1)[0] ?? '';
  if (named !== '' || words === '' || words.startsWith('/')) return;
  context.title(
    words.length <= longestTitle ? words : `${words.slice(0, longestTitle).replace(/\s+\S*$/, '')} …`,
  );
}

function stopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T | 'stopped'> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve('stopped');
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
