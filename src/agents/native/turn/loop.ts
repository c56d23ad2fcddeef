// One turn: ask the model, run the tools it calls, ask again, until it is done, stopped or out of steps. A
// context that runs full is compacted on the way.
import type { TurnContext } from '../../../host/agent.ts';
import type { Outcome } from '../../../model/event.ts';
import { commandIn } from '../commands.ts';
import type { ModelMessage, ModelRequest, ToolSpec } from '../model.ts';
import { applyConventions } from '../prompt/clientConventions.ts';
import type { Tool } from '../tools/tool.ts';
import { answerWithRetries } from './answer.ts';
import { answerText } from './answerRecorder.ts';
import type { ModelAnswer } from './answerRecorder.ts';
import { runCalls } from './calls/runCalls.ts';
import { takeUnfinishedCalls } from './calls/unfinishedCalls.ts';
import type { CallRecord } from './calls/runCalls.ts';
import { Compactor } from './compaction/compactor.ts';
import { resultMessages, toUserMessage } from './modelMessages.ts';
import { TurnMessages } from './turnMessages.ts';
import type { TurnProgress } from './turnProgress.ts';
import type { TurnSetup } from './turnSetup.ts';
import { reportUsage } from './turnUsage.ts';
import { UsedIds } from './usedIds.ts';

export function runTurn(turn: TurnContext, setup: TurnSetup): Promise<Outcome> {
  return new TurnLoop(turn, setup).run();
}

/**
 * What the next request continues: nothing, an answer that was cut off, or an answer that the provider
 * paused. `text` is what the user has seen of it.
 */
type AnswerState =
  | { readonly kind: 'new' }
  | { readonly kind: 'cut'; readonly text: string }
  | { readonly kind: 'paused'; readonly text: string };

/** How often a model is asked in one turn to finish an answer. */
const defaultContinuations = 3;

class TurnLoop {
  readonly #turn: TurnContext;
  readonly #setup: TurnSetup;
  readonly #messages: TurnMessages;
  readonly #progress: TurnProgress;
  readonly #compactor: Compactor;
  readonly #maxContinuations: number;
  readonly #fixed: Omit<ModelRequest, 'start' | 'messages' | 'tools'>;
  #state: AnswerState = { kind: 'new' };
  #continuations = 0;
  /** The number of answers with calls that became too long. */
  #truncated = 0;

  constructor(turn: TurnContext, setup: TurnSetup) {
    const { model, tools, system, profile } = setup;
    this.#turn = turn;
    this.#setup = setup;
    this.#messages = new TurnMessages(turn, setup.images.upTo);
    this.#progress = { usedIds: usedIn(turn), meter: { total: {} }, providerCalls: new Map() };
    this.#maxContinuations = model.patience?.continues ?? defaultContinuations;
    this.#fixed = {
      serves: tools.provided,
      system,
      roots: turn.session.roots,
      signal: turn.signal,
      chat: turn.session.chat,
      variant: model.variants?.find((variant) => variant === profile.variant),
    };
    this.#compactor = new Compactor(turn, {
      setup,
      progress: this.#progress,
      messages: this.#messages,
      request: () => this.#request(setup.tools.available()),
    });
  }

  async run(): Promise<Outcome> {
    clearFinishedTasks(this.#turn);
    const command = commandIn(this.#turn.message);
    if (command?.name === 'compact') return this.#compactor.onCommand(command.rest);
    const ended = await this.#finishCalls();
    if (ended) return ended;
    for (let step = 0; step < this.#setup.settings.limits.steps; step += 1) {
      const outcome = await this.#step();
      if (outcome) return outcome;
    }
    return this.#turn.signal.aborted ? cancelled : { kind: 'completed', stop: 'steps' };
  }

  /** Finishes what an earlier host left open in this turn; the log then has the results for the model. */
  async #finishCalls(): Promise<Outcome | undefined> {
    const calls = takeUnfinishedCalls(this.#turn);
    if (calls.length === 0) return undefined;
    const { model, tools } = this.#setup;
    const ran = await runCalls(calls, this.#turn, {
      setup: this.#setup,
      tools: tools.available(),
      onUsage: (usage) => reportUsage(this.#turn, usage, { model, meter: this.#progress.meter }),
      isRepeated: true,
    });
    if (this.#turn.signal.aborted) return cancelled;
    if (ran === 'stop') return { kind: 'completed' };
    this.#messages.reload();
    return undefined;
  }

  /** One request and what follows from its answer; undefined if the turn continues. */
  async #step(): Promise<Outcome | undefined> {
    const { signal } = this.#turn;
    if (signal.aborted) return cancelled;
    await this.#prepareRequest();
    if (signal.aborted) return cancelled;
    const tools = this.#setup.tools.available();
    const answer = await answerWithRetries(this.#turn, this.#request(tools), {
      setup: this.#setup,
      progress: this.#progress,
      tools,
      onPart: this.#setup.onAnswer,
    });
    if ((await this.#compactor.afterAnswer(answer)) || this.#dropRefusedImages(answer)) return undefined;
    if (this.#continues(answer)) return undefined;
    const outcome = this.#outcomeOf(answer);
    if (!outcome) return this.#runCalls(answer, tools);
    failCalls(this.#turn, answer);
    return outcome;
  }

  /** While the provider is paused, no message may come between the two parts of its answer. */
  async #prepareRequest(): Promise<void> {
    if (this.#state.kind !== 'paused') {
      for (const message of this.#turn.log.takeSteering())
        this.#messages.add([toUserMessage(message, await this.#setup.resolveInput(message))]);
      await this.#compactor.beforeRequest();
    }
    if (this.#turn.signal.aborted || this.#setup.model.pictures !== false) return;
    if (this.#messages.showsImages) this.#turn.report(imagesUnsupported);
    this.#messages.dropImages('unsupported');
  }

  #request(tools: ReadonlyMap<string, Tool>): ModelRequest {
    return applyConventions(
      {
        ...this.#fixed,
        start: this.#messages.start,
        messages: this.#messages.list,
        tools: [...tools.values()].map(specOf),
      },
      this.#setup.conventions,
    );
  }

  /** True if the provider refused an image and the request can be sent again without images. */
  #dropRefusedImages({ end }: ModelAnswer): boolean {
    const refused = end !== 'aborted' && 'problem' in end && end.problem.code === 'invalid-image';
    if (!refused || !this.#messages.dropImages('refused')) return false;
    this.#setup.images.refuse();
    this.#turn.report(imageRefused);
    return true;
  }

  /** True if the answer is not complete and the next request continues it. */
  #continues(answer: ModelAnswer): boolean {
    const earlier = this.#state.kind === 'new' ? '' : this.#state.text;
    if (isPaused(answer)) {
      this.#state = { kind: 'paused', text: earlier };
      this.#messages.add([{ role: 'assistant', content: answer.content }]);
      return true;
    }
    const text = earlier + answerText(answer);
    this.#state = { kind: 'new' };
    if (!isCut(answer, text) || this.#continuations >= this.#maxContinuations) return false;
    this.#continuations += 1;
    this.#state = { kind: 'cut', text };
    this.#messages.add([
      { role: 'assistant', content: answer.content },
      { role: 'user', content: [{ type: 'text', text: continuePrompt }] },
    ]);
    return true;
  }

  /**
   * Calls that were cut off for their length run, and fail with a reason; a model that cannot be
   * shorter would do so forever.
   */
  #outcomeOf(answer: ModelAnswer): Outcome | undefined {
    if (!isTruncated(answer)) return outcomeOf(answer);
    this.#truncated += 1;
    return this.#truncated <= this.#maxContinuations ? undefined : outcomeOf(answer);
  }

  async #runCalls(answer: ModelAnswer, tools: ReadonlyMap<string, Tool>): Promise<Outcome | undefined> {
    const { model } = this.#setup;
    const { meter } = this.#progress;
    const ran = await runCalls(answer.calls, this.#turn, {
      setup: this.#setup,
      tools,
      onUsage: (usage) => reportUsage(this.#turn, usage, { model, meter }),
    });
    if (ran === 'stop') return this.#turn.signal.aborted ? cancelled : { kind: 'completed' };
    this.#messages.add(messagesOf(answer, ran, tools));
    this.#compactor.settle();
    return undefined;
  }
}

const cancelled: Outcome = { kind: 'cancelled' };

const imageRefused = {
  kind: 'notice.added',
  level: 'warning',
  text: 'The provider rejected an image of this conversation; the model is asked again without its images.',
} as const;

const imagesUnsupported = {
  kind: 'notice.added',
  level: 'warning',
  text: 'The model does not take the pictures of this conversation and is asked without them.',
} as const;

const continuePrompt =
  'Your last message was cut off; the user sees everything up to there. Go on exactly where it stops, ' +
  'without repeating or commenting on it.';

/**
 * True for an answer of text that ended too early: it became too long, or a code block is
 * still open in `text`.
 */
function isCut({ end, calls, content }: ModelAnswer, text: string): boolean {
  if (end === 'aborted' || 'problem' in end || end.reason === 'refusal' || calls.length > 0) return false;
  const hasText = content.some((part) => part.type === 'text' && part.text.trim() !== '');
  return hasText && (end.reason === 'length' || (text.match(/^ {0,3}```/gm)?.length ?? 0) % 2 === 1);
}

/** True if the provider stopped half-way and continues when it gets its own answer back. */
function isPaused({ end, calls, content }: ModelAnswer): boolean {
  return (
    end !== 'aborted' && 'reason' in end && end.reason === 'pause' && calls.length === 0 && content.length > 0
  );
}

/** True for an answer with calls that became too long. */
function isTruncated({ end, calls }: ModelAnswer): boolean {
  return end !== 'aborted' && 'reason' in end && end.reason === 'length' && calls.length > 0;
}

/** How the turn ends with this answer; undefined if there are calls to run. */
function outcomeOf({ end, calls }: ModelAnswer): Outcome | undefined {
  if (end === 'aborted') return cancelled;
  if ('problem' in end) return { kind: 'failed', problem: end.problem };
  if (end.reason === 'length' || end.reason === 'refusal') return { kind: 'completed', stop: end.reason };
  return calls.length > 0 ? undefined : { kind: 'completed' };
}

/** Calls of an answer that ends the turn do not run. */
function failCalls(turn: TurnContext, { calls }: ModelAnswer): void {
  const error = 'The answer of the model ended before this call could run.';
  for (const { id } of calls)
    turn.report({ kind: 'tool.ended', tool: id, result: { status: 'failed', content: [], error } });
}

function specOf(tool: Tool): ToolSpec {
  const { name, description, parameters } = tool;
  return { name, description, parameters, ...ownership(tool) };
}

function ownership(tool: Tool | undefined): { readonly ours?: true } {
  return tool && tool.server === undefined && tool.client === undefined ? { ours: true } : {};
}

function messagesOf(
  answer: ModelAnswer,
  ran: readonly CallRecord[],
  tools: ReadonlyMap<string, Tool>,
): readonly ModelMessage[] {
  const calls = ran.map(
    ({ call, input }) =>
      ({
        type: 'call',
        id: call.id,
        name: call.name,
        input,
        ...ownership(tools.get(call.name)),
        ...(call.meta === undefined ? {} : { meta: call.meta }),
      }) as const,
  );
  return [
    { role: 'assistant', content: [...answer.content, ...calls] },
    ...resultMessages(ran.map(({ result }) => result)),
  ];
}

function usedIn(turn: TurnContext): UsedIds {
  const { active } = turn.state().chats[turn.session.chat] ?? {};
  return new UsedIds([...turn.history, ...(active ? [active] : [])]);
}

/** A finished task list is cleared before the next message is worked on. */
function clearFinishedTasks(turn: TurnContext): void {
  const plan = turn.state().chats[turn.session.chat]?.plan ?? [];
  if (plan.length > 0 && plan.every(({ status }) => status === 'done'))
    turn.report({ kind: 'plan.set', entries: [] });
}
