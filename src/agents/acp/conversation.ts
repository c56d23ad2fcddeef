// One conversation with an external agent: opened when it is first needed, found again after the program ended, and heard between turns.
import type { Chosen, Conversation, TurnContext, Where } from '../../host/agent.ts';
import { givenPrompt } from '../../host/attached.ts';
import type { Clock, Files, Ids } from '../../host/ports.ts';
import type { Programs } from '../../host/piped.ts';
import type { Outcome, Problem, UserMessage } from '../../model/event.ts';
import { requestPermission } from '../../protocols/acp/v1/methods.ts';
import { isRecord } from '../../protocols/acp/v1/raw.ts';
import { readUpdate } from '../../protocols/acp/v1/updateSchema.ts';
import type { ReadUpdate } from '../../protocols/acp/v1/updateSchema.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import { readTextFile, writeTextFile, writingOf } from './clientFiles.ts';
import type { FilePlace } from './clientFiles.ts';
import { connect } from './connect.ts';
import { Elicitations } from './elicitations.ts';
import { handover } from './handover.ts';
import type { Keeper } from './keeper.ts';
import type { Link, LinkUser } from './link.ts';
import { cancelledAnswer } from './permissions.ts';
import { Novelties } from './novelties.ts';
import type { Learned } from './novelties.ts';
import type { Opened } from './openSession.ts';
import type { AgentProgram, Times } from './program.ts';
import { promptBlocks } from './promptBlocks.ts';
import { Settings } from './settings.ts';
import { startingOf, Terminals } from './terminals.ts';
import { Turn, wordsOf } from './turn.ts';
import { belongsToTurn, noteOf } from './updates.ts';

export interface ConversationOptions {
  readonly program: AgentProgram;
  readonly keeper: Keeper;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: Files;
  readonly programs: Programs;
  readonly times: Times;
  /** Where a session without folders works. */
  readonly home: string;
  /** What the agent offers, as far as it has told. */
  readonly learned: (learned: Learned) => void;
  readonly report: (problem: unknown, about: string) => void;
}

/** A conversation that is open on a running program. */
interface Open {
  readonly link: Link;
  readonly id: string;
  readonly settings: Settings;
}

export class AcpConversation implements Conversation, LinkUser {
  readonly tellsHandover = true;
  readonly #options: ConversationOptions;
  readonly #where: Where;
  readonly #terminals: Terminals;
  readonly #novelties: Novelties;
  readonly #elicitations = new Elicitations();
  #ref: string | undefined;
  #open: Open | undefined;
  #opening: Promise<Open | Problem> | undefined;
  /** The turn that the host waits for, and what is heard in it. */
  #context: TurnContext | undefined;
  #turn: Turn | undefined;
  #turnBegins: (() => void)[] = [];
  /** What was heard between turns and belongs into one. */
  #held: ReadUpdate[] = [];
  #waking = false;
  #replaying = false;
  #deaf = false;
  #hearAgain: () => void = () => {};
  #lastCalls: ReadonlySet<string> = new Set();
  /** What the agent does not remember and is told with the next message. */
  #untold = false;
  #uninstructed = false;
  readonly #unsteered: object[] = [];
  #times = 0;
  #missing = '';
  #closed = false;

  constructor(where: Where, options: ConversationOptions) {
    this.#where = where;
    this.#options = options;
    this.#ref = where.ref;
    this.#terminals = new Terminals(options);
    this.#novelties = new Novelties(where.aside, options.learned);
    options.keeper.enter(where.session);
  }

  get ref(): string | undefined {
    return this.#ref;
  }

  async prompt(context: TurnContext): Promise<Outcome> {
    return this.#working(context, async () => {
      const open = await stopped(this.#connect(), context.signal);
      if (open === 'stopped') return { kind: 'cancelled' };
      if (!('link' in open)) return { kind: 'failed', problem: open };
      const chosen = { model: context.model, mode: context.mode ?? (this.#times === 0 ? this.#options.program.quirks?.mode : undefined), options: context.state().options };
      this.#tellMissing(open, chosen);
      await this.#choose(open, chosen);
      if (context.signal.aborted) return { kind: 'cancelled' };
      this.#times += 1;
      return this.#inTurn(context, open, (turn) => turn.run(this.#blocks(context, open.link)));
    });
  }

  /** Present where the agent can take a word in between. */
  get steer(): ((message: UserMessage) => void) | undefined {
    const open = this.#open;
    return open?.link.alive && takesSteering(open.link) ? (message) => void this.#steer(open, message) : undefined;
  }

  configure(chosen: Chosen): void {
    const open = this.#open;
    if (open?.link.alive) void this.#choose(open, chosen).catch((error: unknown) => this.#options.report(error, `the settings of ${this.#options.program.name}`));
  }

  /** ACP knows no way back, so the agent begins anew with what is left. */
  truncate(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    this.#ref = undefined;
    if (!open) return Promise.resolve();
    open.link.part(open.id);
    return this.#bye(open);
  }

  async forget(): Promise<void> {
    const open = this.#open;
    if (!open?.link.alive || !open.link.hello.agentCapabilities.sessionCapabilities.delete) return;
    await open.link.request('session/delete', { sessionId: open.id }, this.#options.times.cancel).catch(() => {});
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#wakeWaiting();
    this.#hearAgain();
    const open = this.#open;
    this.#open = undefined;
    if (open) await this.#bye(open);
    await Promise.all([this.#terminals.end(), this.#options.keeper.leave(this.#where.session)]);
  }

  // What the agent says and asks.

  update(value: unknown): void {
    const update = readUpdate(value);
    if (!update) return;
    this.#novelties.take(update, this.#open?.settings);
    this.#keepMeta(update);
    if (this.#replaying || this.#deaf) return;
    if (this.#turn) this.#turn.take(update);
    else this.#betweenTurns(update);
  }

  async request(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    const roots = this.#roots();
    const place = { files: this.#options.files, roots, bench: this.#context?.workbench?.() };
    if (method === 'fs/read_text_file') return readTextFile(params, place);
    if (method === 'terminal/create' || method === 'fs/write_text_file') return this.#act(method, params, { place, signal });
    if (method.startsWith('terminal/')) return this.#terminals.handle(method, params, roots);
    // What an agent asks after a stop was stopped with the rest.
    if (this.#deaf && method === requestPermission) return cancelledAnswer;
    // A question on the way to a conversation, such as a sign-in, cannot wait for a turn in it.
    if (this.#opening && this.#context && method === 'elicitation/create') return this.#elicitations.ask(params, { context: this.#context, name: this.#options.program.name, signal, toolOf: () => undefined });
    const turn = await this.#someTurn();
    if (!turn) throw new RpcError(rpcCodes.internalError, 'The conversation is closed.');
    return method === 'elicitation/create' ? turn.elicitation(params, signal) : turn.permission(params, signal);
  }

  async #act(method: 'terminal/create' | 'fs/write_text_file', params: unknown, { place, signal }: { place: FilePlace; signal: AbortSignal }): Promise<unknown> {
    const deed = method === 'terminal/create' ? startingOf(params) : await writingOf(params, place);
    const turn = this.#deaf ? undefined : await this.#someTurn();
    if (!turn) throw new RpcError(rpcCodes.internalError, 'Nothing is done for a turn that was stopped.');
    return turn.act(deed, signal, () => Promise.resolve(method === 'terminal/create' ? this.#terminals.handle(method, params, place.roots) : writeTextFile(params, place)));
  }

  elicited(id: string): void {
    this.#elicitations.completed(id);
  }

  /** Words and calls carry their extensions themselves; those of everything else are kept beside. */
  #keepMeta(update: ReadUpdate): void {
    if (update.sessionUpdate === 'unknown' || 'toolCallId' in update || 'content' in update) return;
    const { _meta: meta } = update;
    if (meta !== undefined) this.#where.aside.note(`meta:${update.sessionUpdate}`, meta);
  }

  #betweenTurns(update: ReadUpdate): void {
    const late = 'toolCallId' in update && this.#lastCalls.has(update.toolCallId);
    if (!belongsToTurn(update) || late) {
      if (update.sessionUpdate === 'unknown' || update.sessionUpdate === 'usage_update' || update.sessionUpdate === 'user_message_chunk' || late) {
        const { key, value } = noteOf(update);
        this.#where.aside.note(key, value);
      }
      return;
    }
    if (this.#held.length < heldLimit) this.#held.push(update);
    this.#wake();
  }

  /** The agent goes on by itself; that is a turn, too. Where one is about to begin anyway, what is held goes there. */
  #wake(): void {
    const { name } = this.#options.program;
    if (this.#waking || this.#closed || this.#context) return;
    this.#waking = this.#where.aside.wake(`${name} went on by itself.`, (context) => this.#woken(context));
  }

  #woken(context: TurnContext): Promise<Outcome> {
    return this.#working(context, async () => {
      const open = this.#open;
      if (!open?.link.alive) return { kind: 'completed' };
      return this.#inTurn(context, open, (turn) => turn.follow());
    });
  }

  /** The running turn; one is begun where there is none. */
  async #someTurn(): Promise<Turn | undefined> {
    while (!this.#turn && !this.#closed) {
      this.#wake();
      await new Promise<void>((resolve) => this.#turnBegins.push(resolve));
    }
    return this.#turn;
  }

  #wakeWaiting(): void {
    for (const begin of this.#turnBegins.splice(0)) begin();
  }

  async #working(context: TurnContext, work: () => Promise<Outcome>): Promise<Outcome> {
    const { keeper, program, report } = this.#options;
    const rest = keeper.work(this.#where.session);
    this.#context = context;
    this.#waking = false;
    this.#deaf = false;
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
      ...this.#options, context, link: open.link, session: open.id, terminals: this.#terminals, elicitations: this.#elicitations, costBefore: this.#novelties.cost,
      note: (key, value) => this.#where.aside.note(key, value),
    });
    this.#turn = turn;
    for (const update of this.#held.splice(0)) turn.take(update);
    this.#wakeWaiting();
    try {
      const outcome = await work(turn);
      // An agent that was told to stop and has not answered is not going to.
      if (turn.unanswered) keeper.drop(this.#where.session);
      else if (outcome.kind === 'failed' && !turn.heard && open.link.alive) this.#doubt(open, turn);
      return outcome;
    } finally {
      this.#lastCalls = turn.transcript.calls.ids;
      this.#turn = undefined;
      if (context.signal.aborted) this.#deafen();
    }
  }

  /** What trickles in after a stop is not work of its own. */
  #deafen(): void {
    const { clock, times } = this.#options;
    this.#deaf = true;
    this.#hearAgain();
    this.#hearAgain = clock.after(times.cancel, () => (this.#deaf = false));
  }

  /**
   * Agents say in many ways that they have lost a conversation, and often in the same way that something else is wrong. One that can
   * take it up again is asked to; that costs nothing where it was not lost.
   */
  #doubt({ link, id }: Open, { lost }: Turn): void {
    if (!lost && !link.hello.agentCapabilities.sessionCapabilities.resume) return;
    link.part(id);
    this.#open = undefined;
  }

  /** What the agent did not take is not lost: it comes with the next message. */
  async #steer({ link, id }: Open, message: UserMessage): Promise<void> {
    const { program, times } = this.#options;
    const { blocks } = promptBlocks(message, link.hello.agentCapabilities.promptCapabilities);
    try {
      await link.request('_session/steering', { sessionId: id, prompt: blocks }, times.setup);
    } catch (error) {
      this.#unsteered.push({ type: 'text', text: 'The user has added this while you were at work:' }, ...blocks);
      this.#context?.report({ kind: 'notice.added', level: 'warning', text: `${program.name} did not take what was added (${wordsOf(error)}); it is told with the next message.` });
    }
  }

  #blocks(context: TurnContext, link: Link): readonly object[] {
    const { program } = this.#options;
    const { blocks: own, left } = promptBlocks(context.message, link.hello.agentCapabilities.promptCapabilities);
    if (left.length > 0) context.report({ kind: 'notice.added', level: 'warning', text: `${program.name} cannot take ${left.join(' and ')}; it was told so.` });
    const blocks = [...(context.message.text.startsWith('/') ? [] : this.#unsteered.splice(0)), ...own];
    // A command must be the first thing in a prompt, so the past waits for the next message.
    const past = this.#untold && !context.message.text.startsWith('/') ? handover(context.history, context.state().chats[context.chat]?.compaction) : undefined;
    const instructions = this.#instructions(context);
    if (!past) return [...instructions, ...blocks];
    this.#untold = false;
    context.report({ kind: 'notice.added', level: 'info', text: `${program.name} does not remember this conversation. It was given ${past.given}.` });
    return [...instructions, { type: 'text', text: past.text }, ...blocks];
  }

  /** What a client wants the model to be told, for an agent that has no other place for it. */
  #instructions(context: TurnContext): readonly object[] {
    const given = this.#uninstructed && !context.message.text.startsWith('/') ? givenPrompt(context.state()) : undefined;
    if (!given) return [];
    this.#uninstructed = false;
    return [{ type: 'text', text: `Instructions for this whole conversation:\n\n${given.text}` }];
  }

  /** What somebody has chosen and there is not is said once. */
  #tellMissing({ id, settings }: Open, chosen: Chosen): void {
    const missing = settings.towards(id, chosen).unknown.join(' and ');
    if (missing !== '' && missing !== this.#missing) this.#context?.report({ kind: 'notice.added', level: 'warning', text: `${this.#options.program.name} has not ${missing}.` });
    this.#missing = missing;
  }

  async #choose({ link, id, settings }: Open, chosen: Chosen): Promise<void> {
    const { program, times } = this.#options;
    for (const { method, params, what, done } of settings.towards(id, chosen).steps) {
      try {
        const answer = await link.request(method, params, times.setup);
        done();
        this.#novelties.answered(answer, settings);
      } catch (error) {
        this.#context?.report({ kind: 'notice.added', level: 'warning', text: `${program.name} did not take ${what}: ${wordsOf(error)}` });
        if (!link.alive) throw error;
      }
    }
    this.#novelties.settled(settings);
  }

  #connect(): Promise<Open | Problem> {
    const { alive } = this.#open?.link ?? { alive: false };
    if (this.#open && alive) return Promise.resolve(this.#open);
    this.#opening ??= this.#reopen().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #reopen(): Promise<Open | Problem> {
    const again = this.#open !== undefined;
    this.#open = undefined;
    const connected = await connect({
      ...this.#options, where: this.#where, user: this, ref: this.#ref, roots: this.#roots(), context: () => this.#context,
      replay: (phase) => void (this.#replaying = phase === 'begins'),
    });
    if ('code' in connected) return connected;
    const { link, opened } = connected;
    const open: Open = { link, id: opened.id, settings: new Settings(opened.settings) };
    this.#open = open;
    this.#novelties.opened(open.settings, link.hello);
    this.#tellOpened(opened, again);
    if (opened.id !== this.#ref) this.#where.aside.bind(opened.id);
    this.#ref = opened.id;
    return open;
  }

  /** Whoever reads on learns whether the agent still knows what was said. */
  #tellOpened({ how, lost }: Opened, again: boolean): void {
    const context = this.#context;
    const { name } = this.#options.program;
    this.#uninstructed = how === 'new' && !this.#open?.link.hello.agentCapabilities.sessionCapabilities.systemPrompt;
    this.#untold = how === 'new' && (context?.history.length ?? 0) > 0;
    if (lost !== undefined) context?.report({ kind: 'notice.added', level: 'warning', text: `${name} could not continue its conversation (${lost}) and begins a new one.` });
    else if (again && how !== 'new') context?.report({ kind: 'notice.added', level: 'info', text: `${name} was started again and continues its conversation.` });
    else if (this.#untold && this.#where.from !== undefined) context?.report({ kind: 'notice.added', level: 'info', text: `${name} takes over from ${this.#where.from}.` });
  }

  async #bye({ link, id }: Open): Promise<void> {
    if (!link.alive) return;
    if (link.hello.agentCapabilities.sessionCapabilities.close) await link.request('session/close', { sessionId: id }, byePatience).catch(() => {});
    link.part(id);
  }

  #roots(): readonly string[] {
    const roots = this.#context?.roots ?? this.#where.roots;
    return roots.length > 0 ? roots : [this.#options.home];
  }
}

/** More than this is not kept between turns. */
const heldLimit = 2_000;

/** An agent that does not answer its farewell is ended without. */
const byePatience = 500;

function stopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T | 'stopped'> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve('stopped');
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** An extension that the two most used adapters share. */
function takesSteering({ hello: { _meta: meta } }: Link): boolean {
  const steering = meta?.['steering'];
  return isRecord(steering) && steering['supported'] === true;
}
