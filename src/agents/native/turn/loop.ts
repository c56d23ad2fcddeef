// One turn: ask the model, run what it calls, ask again, until it is done, stopped or out of steps. A context that runs full is compacted on the way.
import type { TurnContext } from '../../../host/agent.ts';
import type { Outcome, ResolvedInput, UserMessage } from '../../../model/event.ts';
import { wordsOf } from './answer.ts';
import type { Answer } from './answer.ts';
import type { CallOptions } from './callTool.ts';
import { commandIn } from '../commands.ts';
import { resultMessages, userMessage } from './modelMessages.ts';
import { applyConventions } from '../prompt/clientConventions.ts';
import { withGiven } from '../prompt/clientPrompt.ts';
import { makeRoom } from './compaction/makeRoom.ts';
import type { ModelMessage, Served, ToolSpec } from '../model.ts';
import type { RefusedPictures } from '../prompt/refusedImages.ts';
import { answerPatiently } from './retry.ts';
import type { RetryOptions } from './retry.ts';
import { runCalls } from './runCalls.ts';
import type { Ran } from './runCalls.ts';
import type { Serving } from './providerCalls.ts';
import { spend } from './turnUsage.ts';
import { Talk } from './turnMessages.ts';
import type { Tool } from '../tools/tool.ts';

export interface LoopOptions
  extends
    Omit<CallOptions, 'tools'>,
    Omit<RetryOptions, 'used' | 'meter' | 'serving' | 'shown' | 'tools' | 'onPart'> {
  /** What can be called now; servers add and take away tools at any time. */
  readonly tools: () => ReadonlyMap<string, Tool>;
  /** Looks up what comes with a message besides its words, and keeps it. */
  readonly give: (message: UserMessage) => Promise<ResolvedInput>;
  /** What the provider may run itself. */
  readonly serves?: readonly Served[];
  /** What the model is told beforehand. */
  readonly system: string;
  /** How hard the model should think, where it knows the word. */
  readonly variant?: string | undefined;
  /** Up to which turn the model is shown no pictures because its provider has refused some, and how that is kept. */
  readonly pictures?: RefusedPictures;
  /** How often the model may be asked in one turn. */
  readonly maxSteps: number;
  /** How full the context may get before it is compacted, in percent. */
  readonly compactAt: number;
  /** Called when an answer has begun, and with each further part of it. */
  readonly onAnswer: () => void;
  /** What a model is told that is to summarise the conversation, in place of ours. */
  readonly task?: string | undefined;
}

export async function runTurn(turn: TurnContext, options: LoopOptions): Promise<Outcome> {
  clearFinishedTasks(turn);
  const talk = new Talk(turn, options.pictures?.refused);
  const kept = { used: usedIds(turn), meter: { total: {} }, serving: new Map<string, Serving>() };
  const fixed = {
    ...(options.serves ? { serves: options.serves } : {}),
    system: withGiven(options.system, turn.state()),
    roots: turn.session.roots,
    signal: turn.signal,
    chat: turn.session.chat,
    variant: options.model.variants?.find((variant) => variant === options.variant),
  };
  const request = () =>
    applyConventions(
      {
        ...fixed,
        start: talk.start,
        messages: talk.messages,
        tools: [...options.tools().values()].map(specOf),
      },
      options.conventions,
    );
  const room = makeRoom(turn, { ...options, ...kept, talk, request });
  const command = commandIn(turn.message);
  if (command?.name === 'compact') return room.asked(command.rest);
  const most = options.model.patience?.continues ?? mostContinued;
  let continued = 0;
  let begun = '';
  let paused = false;
  let cut = 0;
  for (let step = 0; step < options.maxSteps; step += 1) {
    if (turn.signal.aborted) return cancelled;
    // What goes on must not be spoken into.
    for (const message of paused ? [] : turn.log.takeSteering())
      talk.add([userMessage(message, await options.give(message))]);
    if (!paused) await room.before();
    if (turn.signal.aborted) return cancelled;
    if (options.model.pictures === false) {
      if (talk.showsPictures) turn.report(withoutPictures);
      talk.dropPictures('blind');
    }
    const tools = options.tools();
    const answer = await answerPatiently(turn, request(), {
      ...options,
      ...kept,
      tools,
      onPart: options.onAnswer,
    });
    if (await room.after(answer)) continue;
    if (refusesPictures(answer) && talk.dropPictures('refused')) {
      options.pictures?.refuse();
      turn.report(refusedPicture);
      continue;
    }
    paused = isPaused(answer);
    if (paused) {
      talk.add([{ role: 'assistant', content: answer.content }]);
      continue;
    }
    const words = begun + wordsOf(answer);
    begun = isCut(answer, words) ? words : '';
    if (begun !== '' && continued < most) {
      continued += 1;
      talk.add([
        { role: 'assistant', content: answer.content },
        { role: 'user', content: [{ type: 'text', text: goOn }] },
      ]);
      continue;
    }
    // Calls that were cut for their length are told so; a model that cannot be shorter would be asked for ever.
    if (isTooLong(answer)) cut += 1;
    const outcome = isTooLong(answer) && cut <= most ? undefined : outcomeOf(answer);
    if (outcome) {
      unrun(turn, answer);
      return outcome;
    }
    const ran = await runCalls(answer.calls, turn, {
      ...options,
      tools,
      spent: (usage) => spend(turn, usage, { model: options.model, meter: kept.meter }),
    });
    if (ran === 'stop') return turn.signal.aborted ? cancelled : { kind: 'completed' };
    talk.add(said(answer, ran, tools));
    room.settle();
  }
  return turn.signal.aborted ? cancelled : { kind: 'completed', stop: 'steps' };
}

const refusedPicture = {
  kind: 'notice.added',
  level: 'warning',
  text: 'The provider rejected an image of this conversation; the model is asked again without its images.',
} as const;

const withoutPictures = {
  kind: 'notice.added',
  level: 'warning',
  text: 'The model does not take the pictures of this conversation and is asked without them.',
} as const;

/** So often in a turn a model is asked to finish what it has begun to say. */
const mostContinued = 3;

const goOn =
  'Your last message was cut off; the user sees everything up to there. Go on exactly where it stops, without repeating or commenting on it.';

/** Whether an answer of words ended before its end: it became too long, or a block of code was never closed in it and in what it goes on with. */
function isCut({ end, calls, content }: Answer, words: string): boolean {
  if (end === 'aborted' || 'problem' in end || end.reason === 'refusal' || calls.length > 0) return false;
  const isSaid = content.some((part) => part.type === 'text' && part.text.trim() !== '');
  return isSaid && (end.reason === 'length' || (words.match(/^ {0,3}```/gm)?.length ?? 0) % 2 === 1);
}

/** The provider has stopped on the way and goes on when it is given its own words back. */
function isPaused({ end, calls, content }: Answer): boolean {
  return (
    end !== 'aborted' && 'reason' in end && end.reason === 'pause' && calls.length === 0 && content.length > 0
  );
}

const cancelled: Outcome = { kind: 'cancelled' };

function refusesPictures({ end }: Answer): boolean {
  return end !== 'aborted' && 'problem' in end && end.problem.code === 'invalid-image';
}

function specOf(tool: Tool): ToolSpec {
  const { name, description, parameters } = tool;
  return { name, description, parameters, ...ownness(tool) };
}

function ownness(tool: Tool | undefined): { readonly ours?: true } {
  return tool && tool.server === undefined && tool.client === undefined ? { ours: true } : {};
}

function isTooLong({ end, calls }: Answer): boolean {
  return end !== 'aborted' && 'reason' in end && end.reason === 'length' && calls.length > 0;
}

/** Calls that come with a refusal, or once too often with an answer that was cut, do not run. */
function unrun(turn: TurnContext, { calls }: Answer): void {
  for (const { id } of calls)
    turn.report({
      kind: 'tool.ended',
      tool: id,
      result: {
        status: 'failed',
        content: [],
        error: 'The answer of the model ended before this call could run.',
      },
    });
}

/** How the turn ends with this answer; undefined while there are calls to run. */
function outcomeOf({ end, calls }: Answer): Outcome | undefined {
  if (end === 'aborted') return cancelled;
  if ('problem' in end) return { kind: 'failed', problem: end.problem };
  if (end.reason === 'length' || end.reason === 'refusal') return { kind: 'completed', stop: end.reason };
  return calls.length > 0 ? undefined : { kind: 'completed' };
}

function said(
  answer: Answer,
  ran: readonly Ran[],
  tools: ReadonlyMap<string, Tool>,
): readonly ModelMessage[] {
  const calls = ran.map(
    ({ call, input }) =>
      ({
        type: 'call',
        id: call.id,
        name: call.name,
        input,
        ...ownness(tools.get(call.name)),
        ...(call.meta === undefined ? {} : { meta: call.meta }),
      }) as const,
  );
  return [
    { role: 'assistant', content: [...answer.content, ...calls] },
    ...resultMessages(ran.map(({ result }) => result)),
  ];
}

function usedIds({ history }: TurnContext): Set<string> {
  return new Set(
    history.flatMap(({ items }) =>
      items.flatMap((item) => (item.type === 'tool' || item.type === 'text' ? [item.id] : [])),
    ),
  );
}

/** A list that was worked off is nothing to begin the next message with. */
function clearFinishedTasks(turn: TurnContext): void {
  const plan = turn.state().chats[turn.session.chat]?.plan ?? [];
  if (plan.length > 0 && plan.every(({ status }) => status === 'done'))
    turn.report({ kind: 'plan.set', entries: [] });
}
