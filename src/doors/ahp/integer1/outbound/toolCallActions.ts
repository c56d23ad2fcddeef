// How one tool call gets from what clients of version 1 see to what the log now says: the actions
// between two of its states.
import { diff } from '../../../../protocols/ahp/difference.ts';
import { present } from '../../../../base/present.ts';
import type {
  CancelledToolCall,
  CompletedToolCall,
  PendingResultToolCall,
  PendingToolCall,
  RunningToolCall,
  StreamingToolCall,
  ToolCallState,
} from '../../../../protocols/ahp/integer1/toolCall.ts';
import type { ToolItem } from '../../../../model/state.ts';
import { endedWithTurn } from '../../outbound/toolCall.ts';
import type { ToolChange } from '../../outbound/toolCall.ts';
import type { Integer1Action } from './outgoingAction.ts';

export function toolActions(
  turnId: string,
  before: ToolCallState | undefined,
  { after, change }: { after: ToolCallState; change: ToolChange },
): readonly Integer1Action[] {
  const place = { turnId, toolCallId: after.toolCallId };
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
    default:
      return after satisfies never;
  }
}

/** A call that ends with its turn loses its arguments unless it was confirmed. */
export function keptInput(turnId: string, tool: ToolItem): readonly Integer1Action[] {
  const place = { turnId, toolCallId: tool.id };
  const { invocationMessage, toolInput } = endedWithTurn(tool);
  const said = present({ invocationMessage, toolInput });
  return [
    ...(tool.status === 'asking' ? [passed(place)] : []),
    { type: 'session/toolCallReady', ...place, ...said, confirmed: 'not-needed' },
  ];
}

interface OfCall {
  readonly turnId: string;
  readonly toolCallId: string;
}

function start(
  place: OfCall,
  { toolName, displayName, toolClientId, invocationMessage, partialInput }: StreamingToolCall,
): readonly Integer1Action[] {
  return [
    present({ type: 'session/toolCallStart' as const, ...place, toolName, displayName, toolClientId }),
    present({
      type: 'session/toolCallDelta' as const,
      ...place,
      content: partialInput ?? '',
      invocationMessage,
    }),
  ];
}

function stream(
  place: OfCall,
  before: StreamingToolCall,
  after: StreamingToolCall,
): readonly Integer1Action[] {
  const content = (after.partialInput ?? '').slice(before.partialInput?.length ?? 0);
  const invocationMessage =
    before.invocationMessage === after.invocationMessage ? undefined : after.invocationMessage;
  return content === '' && invocationMessage === undefined
    ? []
    : [present({ type: 'session/toolCallDelta' as const, ...place, content, invocationMessage })];
}

/** A waiting confirmation cannot be changed in this version, so the call leaves that state for an instant. */
function wait(
  place: OfCall,
  before: ToolCallState | undefined,
  after: PendingToolCall,
): readonly Integer1Action[] {
  if (before?.status !== 'pending-confirmation') return [asked(place, after)];
  return diff(before, after).length === 0 ? [] : [passed(place), asked(place, after)];
}

function run(
  place: OfCall,
  before: ToolCallState | undefined,
  after: RunningToolCall,
): readonly Integer1Action[] {
  if (before?.status === 'running' && sameCall(before, after)) return print(place, before, after);
  return [...confirm(place, before, after), ...(after.content ? [contents(place, after.content)] : [])];
}

/** A new confirmation is the only way to show that the output has ended. */
function print(
  place: OfCall,
  before: ToolCallState | undefined,
  after: RunningToolCall,
): readonly Integer1Action[] {
  if (before?.status === 'running' && diff(before.content ?? null, after.content ?? null).length === 0)
    return [];
  if (after.content) return [contents(place, after.content)];
  return before?.status === 'running' && before.content ? confirm(place, before, after) : [];
}

function complete(
  place: OfCall,
  before: ToolCallState | undefined,
  after: CompletedToolCall | PendingResultToolCall,
): readonly Integer1Action[] {
  if (before?.status === 'pending-result-confirmation')
    return [{ type: 'session/toolCallResultConfirmed', ...place, approved: true }];
  const runs = before?.status === 'running' && sameCall(before, after);
  const { success, pastTenseMessage, content, structuredContent, error } = after;
  const result = present({ success, pastTenseMessage, content, structuredContent, error });
  const requiresResultConfirmation = after.status === 'completed' ? undefined : true;
  return [
    ...(runs ? [] : confirm(place, before, after)),
    present({ type: 'session/toolCallComplete' as const, ...place, result, requiresResultConfirmation }),
  ];
}

/** Lets a call run; an option that was chosen is only remembered where it was offered. */
function confirm(
  place: OfCall,
  before: ToolCallState | undefined,
  after: RunningToolCall | CompletedToolCall | PendingResultToolCall,
): readonly Integer1Action[] {
  const { confirmed, selectedOption, invocationMessage, toolInput } = after;
  if (before?.status === 'pending-confirmation') {
    const offered =
      !selectedOption || before.options?.some((option) => diff(option, selectedOption).length === 0);
    if (!offered || before.invocationMessage !== invocationMessage)
      return [passed(place), ...confirm(place, undefined, after)];
    const editedToolInput = before.toolInput === toolInput ? undefined : toolInput;
    return [
      present({
        type: 'session/toolCallConfirmed' as const,
        ...place,
        approved: true as const,
        confirmed,
        editedToolInput,
        selectedOptionId: selectedOption?.id,
      }),
    ];
  }
  if (!selectedOption)
    return [
      present({ type: 'session/toolCallReady' as const, ...place, invocationMessage, toolInput, confirmed }),
    ];
  return [
    present({
      type: 'session/toolCallReady' as const,
      ...place,
      invocationMessage,
      toolInput,
      options: [selectedOption],
    }),
    {
      type: 'session/toolCallConfirmed',
      ...place,
      approved: true,
      confirmed,
      selectedOptionId: selectedOption.id,
    },
  ];
}

/** Only a waiting call can be refused, so one that was never asked about is made to wait first. */
function refuse(
  place: OfCall,
  before: ToolCallState | undefined,
  after: CancelledToolCall,
): readonly Integer1Action[] {
  if (after.reason === 'result-denied')
    return before?.status === 'pending-result-confirmation'
      ? [{ type: 'session/toolCallResultConfirmed', ...place, approved: false }]
      : [];
  if (before?.status === 'cancelled' || after.reason !== 'denied') return [];
  const { invocationMessage, toolInput, selectedOption, reasonMessage } = after;
  const denied: Integer1Action = present({
    type: 'session/toolCallConfirmed' as const,
    ...place,
    approved: false as const,
    reason: after.reason,
    reasonMessage,
    selectedOptionId: selectedOption?.id,
  });
  const options = selectedOption ? [selectedOption] : undefined;
  const ready: Integer1Action = present({
    type: 'session/toolCallReady' as const,
    ...place,
    invocationMessage,
    toolInput,
    options,
  });
  if (before?.status !== 'pending-confirmation') return [ready, denied];
  return isAskedAlike(before, after) ? [denied] : [passed(place), ready, denied];
}

/** Whether the call was waiting with the same text and the option was offered. */
function isAskedAlike(before: PendingToolCall, { selectedOption, ...after }: CancelledToolCall): boolean {
  return (
    before.invocationMessage === after.invocationMessage &&
    before.toolInput === after.toolInput &&
    (!selectedOption || before.options?.some(({ id }) => id === selectedOption.id) === true)
  );
}

function asked(
  place: OfCall,
  { invocationMessage, toolInput, confirmationTitle, edits, editable, options }: PendingToolCall,
): Integer1Action {
  return present({
    type: 'session/toolCallReady' as const,
    ...place,
    invocationMessage,
    toolInput,
    confirmationTitle,
    edits,
    editable,
    options,
  });
}

function passed(place: OfCall): Integer1Action {
  return { type: 'session/toolCallConfirmed', ...place, approved: true, confirmed: 'not-needed' };
}

function contents(place: OfCall, content: NonNullable<RunningToolCall['content']>): Integer1Action {
  return { type: 'session/toolCallContentChanged', ...place, content };
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
