// What happened in a turn between two states of its chat. Pure.
import type { StringOrMarkdown } from '../src/protocols/ahp/v1_0/content.ts';
import type { ActiveTurn, ChatState, ResponsePart, Turn } from '../src/protocols/ahp/v1_0/state.ts';
import type { ToolCallState } from '../src/protocols/ahp/v1_0/toolCall.ts';
import type { ToolCall, TurnEvent, TurnRecord, Usage } from './api.ts';
import { isStopped } from './callText.ts';
import { waitingPart } from './waiting.ts';
import type { SendAnswer } from './waiting.ts';

export type AnyTurn = ActiveTurn | Turn;

/** The turn, whether it runs or has ended. */
export function turnIn({ activeTurn, turns }: ChatState, id: string): AnyTurn | undefined {
  return activeTurn?.id === id ? activeTurn : turns.findLast((turn) => turn.id === id);
}

export function turnRecord(turn: AnyTurn): TurnRecord {
  const parts = turn.responseParts;
  const error = parts.find((part) => part.kind === 'error')?.error.message;
  return {
    id: turn.id,
    state: 'state' in turn ? turn.state : 'running',
    prompt: turn.message.text,
    text: parts.flatMap((part) => (part.kind === 'markdown' ? [part.content] : [])).join('\n\n'),
    usage: usageOf(turn),
    error,
  };
}

function usageOf({ usage }: AnyTurn): Usage {
  const { _meta: extra } = usage ?? {};
  const cost = extra?.['cost'];
  return {
    input: usage?.inputTokens,
    output: usage?.outputTokens,
    cost: typeof cost === 'number' ? cost : undefined,
  };
}

/** Parts only grow and only the last ones change, so parts that are the same object are passed over. */
export function eventsBetween(
  before: readonly ResponsePart[],
  after: readonly ResponsePart[],
  answer: SendAnswer,
): readonly TurnEvent[] {
  return after.flatMap((part, at) => {
    const old = before[at];
    return part === old ? [] : partEvents(old, part, answer);
  });
}

function contentIn(part: ResponsePart | undefined, kind: 'markdown' | 'reasoning'): string {
  return part?.kind === kind ? part.content : '';
}

function partEvents(
  old: ResponsePart | undefined,
  part: ResponsePart,
  answer: SendAnswer,
): readonly TurnEvent[] {
  switch (part.kind) {
    case 'markdown':
      return grown(contentIn(old, 'markdown'), part.content).map((text) => ({
        type: 'text',
        text,
      }));
    case 'reasoning':
      return grown(contentIn(old, 'reasoning'), part.content).map((text) => ({
        type: 'reasoning',
        text,
      }));
    case 'systemNotification':
      return old ? [] : [{ type: 'notice', text: plain(part.content) }];
    case 'error':
      return [{ type: 'error', message: part.error.message }];
    case 'toolCall':
      return callEvents(old?.kind === 'toolCall' ? old.toolCall : undefined, part, answer);
    case 'inputRequest':
      return old ? [] : present(waitingPart(part, answer));
    case 'contentRef':
      return [];
    default:
      return part satisfies never;
  }
}

/** A call is reported again when its status or its title changes, not for every line of its output. */
function callEvents(
  old: ToolCallState | undefined,
  part: Extract<ResponsePart, { readonly kind: 'toolCall' }>,
  answer: SendAnswer,
): readonly TurnEvent[] {
  const call = toolCall(part.toolCall);
  const before = old && toolCall(old);
  if (before && before.status === call.status && before.title === call.title) return [];
  return [{ type: 'tool', call }, ...present(waitingPart(part, answer))];
}

function present<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value];
}

/** The new end of a text, or the whole text if it was rewritten. */
function grown(before: string, after: string): readonly string[] {
  const text = after.startsWith(before) ? after.slice(before.length) : after;
  return text === '' ? [] : [text];
}

function toolCall(call: ToolCallState): ToolCall {
  return {
    id: call.toolCallId,
    tool: call.toolName,
    title: call.invocationMessage === undefined ? call.displayName : plain(call.invocationMessage),
    status: statusOf(call),
  };
}

function statusOf(call: ToolCallState): ToolCall['status'] {
  if (isStopped(call)) return 'cancelled';
  return call.status === 'completed' && !call.success ? 'failed' : statuses[call.status];
}

const statuses: Readonly<Record<ToolCallState['status'], ToolCall['status']>> = {
  streaming: 'preparing',
  'pending-confirmation': 'waiting',
  running: 'running',
  'auth-required': 'waiting',
  'pending-result-confirmation': 'waiting',
  completed: 'done',
  cancelled: 'cancelled',
};

function plain(text: StringOrMarkdown): string {
  return typeof text === 'string' ? text : text.markdown;
}
