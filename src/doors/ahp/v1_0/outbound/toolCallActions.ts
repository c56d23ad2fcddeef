// How one tool call gets from what clients see to what the log now says: the actions
// between two of its states.
import type { StateAction } from '../../../../protocols/ahp/v1_0/actions.ts';
import type {
  CancelledToolCall,
  CompletedToolCall,
  PendingResultToolCall,
  PendingToolCall,
  RunningToolCall,
  StreamingToolCall,
  ToolCallState,
} from '../../../../protocols/ahp/v1_0/toolCall.ts';
import type { Meta } from '../../../../protocols/ahp/v1_0/content.ts';
import type { ToolItem } from '../../../../model/state.ts';
import { diff } from '../../../../protocols/ahp/difference.ts';
import { present } from '../../../../base/present.ts';
import { endedWithTurn } from '../../outbound/toolCall.ts';
import type { ToolChange } from '../../outbound/toolCall.ts';

export function toolActions(
  turnId: string,
  before: ToolCallState | undefined,
  { after, change }: { after: ToolCallState; change: ToolChange },
): readonly StateAction[] {
  const place = { turnId, toolCallId: after.toolCallId, ...newMeta(before, after) };
  switch (after.status) {
    case 'streaming':
      return before?.status === 'streaming' ? stream(place, before, after) : start(place, after);
    case 'pending-confirmation':
      return wait(place, before, after);
    case 'running':
      return change === 'output' ? print(place, before, after) : run(place, before, after);
    case 'completed':
      return complete(place, before, after);
    case 'cancelled':
      return refuse(place, before, after);
    case 'pending-result-confirmation':
      return before?.status === after.status ? [] : complete(place, before, after);
    // We show no call in this state.
    case 'auth-required':
      return [];
    default:
      return after satisfies never;
  }
}

/**
 * A call that ends with its turn loses its arguments unless it was confirmed. It was not; but it is
 * only over, not to be run.
 */
export function keepInput(turnId: string, tool: ToolItem): StateAction {
  return {
    type: 'chat/toolCallReady',
    turnId,
    toolCallId: tool.id,
    ...endedWithTurn(tool),
    confirmed: 'not-needed',
  };
}

/** The kind of the call, who decided about it and its duration are sent once; later actions keep them. */
function newMeta(before: ToolCallState | undefined, after: ToolCallState): { readonly _meta?: Meta } {
  const [{ _meta: was } = {}, { _meta: now }] = [before, after];
  const isNew = !sameMeta(before, after) || was?.['duration'] !== now?.['duration'];
  return now && isNew ? { _meta: now } : {};
}

interface OfCall {
  readonly turnId: string;
  readonly toolCallId: string;
}

function start(
  place: OfCall,
  { toolName, displayName, contributor, invocationMessage, partialInput }: StreamingToolCall,
): readonly StateAction[] {
  return [
    present({ type: 'chat/toolCallStart' as const, ...place, toolName, displayName, contributor }),
    present({ type: 'chat/toolCallDelta' as const, ...place, content: partialInput, invocationMessage }),
  ];
}

function stream(place: OfCall, before: StreamingToolCall, after: StreamingToolCall): readonly StateAction[] {
  const more = after.partialInput?.slice(before.partialInput?.length ?? 0);
  const content = more === '' ? undefined : more;
  const invocationMessage =
    before.invocationMessage === after.invocationMessage ? undefined : after.invocationMessage;
  return content === undefined && invocationMessage === undefined
    ? []
    : [present({ type: 'chat/toolCallDelta' as const, ...place, content, invocationMessage })];
}

/**
 * An update of a waiting confirmation can take neither edits nor its title back, so the call leaves that
 * state for an instant.
 */
function wait(
  place: OfCall,
  before: ToolCallState | undefined,
  after: PendingToolCall,
): readonly StateAction[] {
  const takesBack =
    before?.status === 'pending-confirmation' &&
    ((before.edits && !after.edits) ||
      (before.confirmationTitle !== undefined && after.confirmationTitle === undefined));
  return [...(takesBack ? [ready(place, after, 'not-needed')] : []), ready(place, after)];
}

function run(
  place: OfCall,
  before: ToolCallState | undefined,
  after: RunningToolCall,
): readonly StateAction[] {
  if (before?.status === 'running' && sameCall(before, after)) {
    if (sameMeta(before, after)) return print(place, before, after);
    // A second question, however short, would make clients ask again.
    if (after.content) return [contents(place, after.content)];
  }
  return [...confirm(place, before, after), ...(after.content ? [contents(place, after.content)] : [])];
}

/** Lets a call run. An option that was chosen is only remembered where it was offered, by a waiting call. */
function confirm(
  place: OfCall,
  before: ToolCallState | undefined,
  after: RunningToolCall | CompletedToolCall | PendingResultToolCall,
): readonly StateAction[] {
  const { confirmed, selectedOption, toolInput } = after;
  const waiting = before?.status === 'pending-confirmation' ? before : undefined;
  if (confirmed !== 'user-action' || (!waiting && !selectedOption)) return [ready(place, after, confirmed)];
  const shown = waiting?.toolInput ?? toolInput;
  const question = askedFor(after, shown);
  const isAsked = waiting?.toolInput === shown && isAskedAlike(waiting, after);
  return [
    ...(isAsked ? [] : [ready(place, question)]),
    present({
      type: 'chat/toolCallConfirmed' as const,
      ...place,
      approved: true as const,
      confirmed,
      editedToolInput: shown !== toolInput && typeof toolInput === 'string' ? toolInput : undefined,
      selectedOptionId: selectedOption?.id,
    }),
  ];
}

/** A new confirmation is the only way to show that the output has ended. */
function print(
  place: OfCall,
  before: ToolCallState | undefined,
  after: RunningToolCall,
): readonly StateAction[] {
  if (before?.status === 'running' && diff(before.content ?? null, after.content ?? null).length === 0)
    return [];
  if (after.content) return [contents(place, after.content)];
  return before?.status === 'running' && before.content ? confirm(place, before, after) : [];
}

function complete(
  place: OfCall,
  before: ToolCallState | undefined,
  after: CompletedToolCall | PendingResultToolCall,
): readonly StateAction[] {
  if (before?.status === 'pending-result-confirmation')
    return [{ type: 'chat/toolCallResultConfirmed', ...place, approved: true }];
  const runs = before?.status === 'running' && sameCall(before, after);
  const { success, pastTenseMessage, content, structuredContent, error } = after;
  const result = present({ success, pastTenseMessage, content, structuredContent, error });
  const requiresResultConfirmation = after.status === 'completed' ? undefined : true;
  return [
    ...(runs ? [] : confirm(place, before, after)),
    present({ type: 'chat/toolCallComplete' as const, ...place, result, requiresResultConfirmation }),
  ];
}

/** Only a waiting call can be refused, so one that was never asked about is made to wait first. */
function refuse(
  place: OfCall,
  before: ToolCallState | undefined,
  after: CancelledToolCall,
): readonly StateAction[] {
  if (after.reason === 'result-denied')
    return before?.status === 'pending-result-confirmation'
      ? [{ type: 'chat/toolCallResultConfirmed', ...place, approved: false }]
      : [];
  if (before?.status === 'cancelled' || after.reason !== 'denied') return [];
  const denied = present({
    type: 'chat/toolCallConfirmed' as const,
    ...place,
    approved: false as const,
    reason: after.reason,
    reasonMessage: after.reasonMessage,
    selectedOptionId: after.selectedOption?.id,
  });
  return isAskedAlike(before, after) ? [denied] : [ready(place, askedFor(after, after.toolInput)), denied];
}

type DecidedCall = Exclude<Invoked, PendingToolCall>;

/** Whether the call was waiting with the same text and the option was offered. */
function isAskedAlike(
  before: ToolCallState | undefined,
  { invocationMessage, selectedOption }: DecidedCall,
): boolean {
  if (before?.status !== 'pending-confirmation' || before.invocationMessage !== invocationMessage)
    return false;
  return (
    !selectedOption || before.options?.some((option) => diff(option, selectedOption).length === 0) === true
  );
}

/** The question that a decision answers. */
function askedFor(
  { toolCallId, toolName, displayName, invocationMessage, selectedOption }: DecidedCall,
  toolInput: Invoked['toolInput'],
): PendingToolCall {
  const shown = { toolCallId, toolName, displayName, invocationMessage };
  const options = selectedOption && [selectedOption];
  return { status: 'pending-confirmation', ...shown, ...present({ toolInput, options }) };
}

type Invoked =
  | PendingToolCall
  | RunningToolCall
  | PendingResultToolCall
  | CompletedToolCall
  | CancelledToolCall;

function ready(place: OfCall, call: Invoked, confirmed?: RunningToolCall['confirmed']): StateAction {
  const { invocationMessage, toolInput } = call;
  const question =
    call.status === 'pending-confirmation' && confirmed === undefined
      ? {
          confirmationTitle: call.confirmationTitle,
          edits: call.edits,
          editable: call.editable,
          options: call.options,
        }
      : {};
  return present({
    type: 'chat/toolCallReady' as const,
    ...place,
    invocationMessage,
    toolInput,
    confirmed,
    ...question,
  });
}

function contents(place: OfCall, content: NonNullable<RunningToolCall['content']>): StateAction {
  return { type: 'chat/toolCallContentChanged', ...place, content };
}

function sameCall(
  before: RunningToolCall,
  after: RunningToolCall | CompletedToolCall | PendingResultToolCall,
): boolean {
  return (
    before.invocationMessage === after.invocationMessage &&
    before.toolInput === after.toolInput &&
    before.confirmed === after.confirmed &&
    before.selectedOption?.id === after.selectedOption?.id
  );
}

/** The duration, which comes with the end of a call, does not make it another call. */
function sameMeta(before: ToolCallState | undefined, after: ToolCallState): boolean {
  const [{ _meta: old } = {}, { _meta: now }] = [before, after];
  const [{ duration: _, ...was }, { duration: __, ...is }] = [{ ...old }, { ...now }];
  return diff(was, is).length === 0;
}
