// One turn: ask the model, run what it calls, ask again, until it is done, stopped or out of steps.
import type { TurnContext } from '../../host/agent.ts';
import type { Outcome } from '../../model/event.ts';
import type { Answer } from './answer.ts';
import { callTool } from './callTool.ts';
import type { CallOptions } from './callTool.ts';
import { historyMessages, userMessage } from './context.ts';
import { withGiven } from './givenPrompt.ts';
import type { AssistantPart, CallResult, ModelMessage, ToolSpec } from './model.ts';
import { systemPrompt } from './prompt.ts';
import type { Instructions } from './prompt.ts';
import { answerPatiently } from './retry.ts';
import type { RetryOptions } from './retry.ts';
import type { Tool } from './tools/tool.ts';

export interface LoopOptions extends Omit<CallOptions, 'tools'>, Omit<RetryOptions, 'used' | 'meter' | 'shown' | 'tools'> {
  /** What can be called now; servers add and take away tools at any time. */
  readonly tools: () => ReadonlyMap<string, Tool>;
  /** What the servers of tools say about their use. */
  readonly instructions: readonly Instructions[];
  /** How often the model may be asked in one turn. */
  readonly maxSteps: number;
}

export async function runTurn(turn: TurnContext, options: LoopOptions): Promise<Outcome> {
  const history = historyMessages(turn.history, turn.state().chats[turn.chat]?.compaction);
  const messages: ModelMessage[] = [...history, userMessage(turn.message)];
  const kept = { used: usedIds(turn), meter: { total: {} } };
  const fixed = {
    system: withGiven(systemPrompt(turn.roots, options.instructions), turn.state()), start: history.length, roots: turn.roots, signal: turn.signal, chat: turn.chat, variant: variantOf(turn, options.model),
  };
  for (let step = 0; step < options.maxSteps; step += 1) {
    if (turn.signal.aborted) return { kind: 'cancelled' };
    messages.push(...turn.steering().map(userMessage));
    const tools = options.tools();
    const answer = await answerPatiently(turn, { ...fixed, messages: [...messages], tools: [...tools.values()].map(specOf) }, { ...options, ...kept, tools });
    const outcome = outcomeOf(answer);
    if (outcome) return outcome;
    const called = await runCalls(answer, turn, { ...options, tools });
    if (called === 'stop') return turn.signal.aborted ? { kind: 'cancelled' } : { kind: 'completed' };
    messages.push(...called);
  }
  return turn.signal.aborted ? { kind: 'cancelled' } : { kind: 'completed', stop: 'steps' };
}

function specOf({ name, description, parameters }: Tool): ToolSpec {
  return { name, description, parameters };
}

/** How the turn ends with this answer; undefined while there are calls to run. */
function outcomeOf({ end, calls }: Answer): Outcome | undefined {
  if (end === 'aborted') return { kind: 'cancelled' };
  if ('problem' in end) return { kind: 'failed', problem: end.problem };
  if (end.reason === 'length' || end.reason === 'refusal') return { kind: 'completed', stop: end.reason };
  return calls.length > 0 ? undefined : { kind: 'completed' };
}

/** One call after the other: a later one may depend on what an earlier one did. A human may end the turn with a refusal. */
async function runCalls({ content, calls }: Answer, turn: TurnContext, options: CallOptions): Promise<readonly ModelMessage[] | 'stop'> {
  const said: AssistantPart[] = [...content];
  const results: CallResult[] = [];
  for (const call of calls) {
    if (turn.signal.aborted) break;
    const { input, result, stop } = await callTool(call, turn, options);
    if (stop) return 'stop';
    said.push({ type: 'call', id: call.id, name: call.name, input, ...(call.meta === undefined ? {} : { meta: call.meta }) });
    results.push(result);
  }
  return [{ role: 'assistant', content: said }, { role: 'tool', results }];
}

/** What the session asks for, where this model knows the word. */
function variantOf(turn: TurnContext, { variants }: LoopOptions['model']): string | undefined {
  const wanted = turn.state().options['variant'];
  return variants?.find((variant) => variant === wanted);
}

function usedIds({ history }: TurnContext): Set<string> {
  return new Set(history.flatMap(({ items }) => items.flatMap((item) => (item.type === 'tool' ? [item.id] : []))));
}
