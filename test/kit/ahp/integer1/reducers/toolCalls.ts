// The life of a tool call. A transition that its status does not allow leaves the state as it is.
import { present } from '../../../../../src/base/present.ts';
import type { Handlers } from '../../../../../src/protocols/ahp/reducer.ts';
import type { ActionsOf } from '../../../../../src/protocols/ahp/actionTypes.ts';
import type { ActionOf } from '../../../../../src/protocols/ahp/integer1/actions.ts';
import type { SessionActions } from '../../../../../src/protocols/ahp/integer1/sessionActions.ts';
import type { ResponsePart, SessionState } from '../../../../../src/protocols/ahp/integer1/state.ts';
import type {
  CancelledToolCall,
  CompletedToolCall,
  PendingResultToolCall,
  ToolCallBase,
  ToolCallResult,
  ToolCallState,
} from '../../../../../src/protocols/ahp/integer1/toolCall.ts';
import { activeTurnOf, withParts } from './activeTurn.ts';
import { withCurrentStatus } from './summary.ts';
import type { Now } from './summary.ts';

type ToolCallActions = Pick<SessionActions, Extract<keyof SessionActions, `session/toolCall${string}`>>;

type ToolCallAction = ActionsOf<ToolCallActions>;

/** Only the start of a call brings metadata that is kept. */
export const toolCallHandlers: Handlers<SessionState, ToolCallAction, Now> = {
  'session/toolCallStart': start,
  'session/toolCallDelta': (state, action) => change(state, action, (call) => stream(call, action)),
  'session/toolCallReady': (state, action) => moveOn(state, action, (call) => ready(call, action)),
  'session/toolCallConfirmed': (state, action) => moveOn(state, action, (call) => decide(call, action)),
  'session/toolCallComplete': (state, action) => moveOn(state, action, (call) => complete(call, action)),
  'session/toolCallResultConfirmed': (state, action) =>
    moveOn(state, action, (call) => decideResult(call, action)),
  'session/toolCallContentChanged': (state, action) =>
    change(state, action, (call) =>
      call.status === 'running' ? { ...call, content: action.content } : call,
    ),
};

/** A turn that ends takes its unfinished calls with it. */
export function skipUnfinished(part: ResponsePart): ResponsePart {
  if (part.kind !== 'toolCall') return part;
  const { toolCall } = part;
  if (toolCall.status === 'completed' || toolCall.status === 'cancelled') return part;
  const skipped: CancelledToolCall = present({
    status: 'cancelled' as const,
    ...baseOf(toolCall),
    invocationMessage: toolCall.invocationMessage ?? '',
    toolInput: toolCall.status === 'streaming' ? undefined : toolCall.toolInput,
    reason: 'skipped' as const,
  });
  return { kind: 'toolCall', toolCall: skipped };
}

/** Applies the transition to the call that the action names; what the session waits for stays as it was. */
function change(
  state: SessionState,
  action: ToolCallAction,
  transition: (call: ToolCallState) => ToolCallState,
): SessionState {
  const turn = activeTurnOf(state, action.turnId);
  if (turn === undefined) return state;
  let changed = false;
  const parts = turn.responseParts.map((part) => {
    if (part.kind !== 'toolCall' || part.toolCall.toolCallId !== action.toolCallId) return part;
    const toolCall = transition(part.toolCall);
    if (toolCall === part.toolCall) return part;
    changed = true;
    return { ...part, toolCall };
  });
  return changed ? withParts(state, turn, parts) : state;
}

/** A transition that may begin or end a wait for a person. */
function moveOn(
  state: SessionState,
  action: ToolCallAction,
  transition: (call: ToolCallState) => ToolCallState,
): SessionState {
  return withCurrentStatus(change(state, action, transition));
}

function start(state: SessionState, action: ActionOf<'session/toolCallStart'>): SessionState {
  const turn = activeTurnOf(state, action.turnId);
  if (turn === undefined) return state;
  const toolCall: ToolCallState = { status: 'streaming', ...baseOf(action) };
  return withParts(state, turn, [...turn.responseParts, { kind: 'toolCall', toolCall }]);
}

function stream(call: ToolCallState, action: ActionOf<'session/toolCallDelta'>): ToolCallState {
  if (call.status !== 'streaming') return call;
  return {
    ...call,
    partialInput: (call.partialInput ?? '') + (action.content ?? ''),
    ...(action.invocationMessage === undefined ? {} : { invocationMessage: action.invocationMessage }),
  };
}

/** A running call can be made ready again: then it asks once more. */
function ready(call: ToolCallState, action: ActionOf<'session/toolCallReady'>): ToolCallState {
  if (call.status !== 'streaming' && call.status !== 'running') return call;
  const { invocationMessage, toolInput, confirmationTitle, edits, editable, confirmed, options } = action;
  const invoked = { ...baseOf(call), invocationMessage, toolInput };
  return confirmed === undefined
    ? present({
        status: 'pending-confirmation' as const,
        ...invoked,
        confirmationTitle,
        edits,
        editable,
        options,
      })
    : present({ status: 'running' as const, ...invoked, confirmed });
}

function decide(call: ToolCallState, action: ActionOf<'session/toolCallConfirmed'>): ToolCallState {
  if (call.status !== 'pending-confirmation') return call;
  const invoked = { ...baseOf(call), invocationMessage: call.invocationMessage, toolInput: call.toolInput };
  const selectedOption = call.options?.find((option) => option.id === action.selectedOptionId);
  if (!action.approved) {
    const { reason, reasonMessage, userSuggestion } = action;
    return present({
      status: 'cancelled' as const,
      ...invoked,
      reason,
      reasonMessage,
      userSuggestion,
      selectedOption,
    });
  }
  const toolInput = action.editedToolInput ?? call.toolInput;
  return present({
    status: 'running' as const,
    ...invoked,
    toolInput,
    confirmed: action.confirmed,
    selectedOption,
  });
}

function complete(call: ToolCallState, action: ActionOf<'session/toolCallComplete'>): ToolCallState {
  if (call.status !== 'running' && call.status !== 'pending-confirmation') return call;
  const ended: CompletedToolCall | PendingResultToolCall = present({
    status:
      action.requiresResultConfirmation === true
        ? ('pending-result-confirmation' as const)
        : ('completed' as const),
    ...baseOf(call),
    invocationMessage: call.invocationMessage,
    toolInput: call.toolInput,
    confirmed: call.status === 'running' ? call.confirmed : ('not-needed' as const),
    selectedOption: call.status === 'running' ? call.selectedOption : undefined,
    ...resultOf(action.result),
  });
  return ended;
}

function decideResult(
  call: ToolCallState,
  action: ActionOf<'session/toolCallResultConfirmed'>,
): ToolCallState {
  if (call.status !== 'pending-result-confirmation') return call;
  const { invocationMessage, toolInput, selectedOption } = call;
  const invoked = { ...baseOf(call), invocationMessage, toolInput, selectedOption };
  return action.approved
    ? present({ status: 'completed' as const, ...invoked, confirmed: call.confirmed, ...resultOf(call) })
    : present({ status: 'cancelled' as const, ...invoked, reason: 'result-denied' as const });
}

/** The fields that every status has. */
function baseOf(call: ToolCallBase): ToolCallBase {
  const { toolCallId, toolName, displayName, toolClientId, _meta } = call;
  return present({ toolCallId, toolName, displayName, toolClientId, _meta });
}

/** Field by field, so that a result cannot overwrite the status or the owner of its call. */
function resultOf(result: ToolCallResult): ToolCallResult {
  const { success, pastTenseMessage, content, structuredContent, error } = result;
  return present({ success, pastTenseMessage, content, structuredContent, error });
}
