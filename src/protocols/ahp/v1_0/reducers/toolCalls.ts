// The life of a tool call. A transition that its status does not allow leaves the state as it is.
import { present } from '../../../../base/present.ts';
import type { Handlers } from '../../reducer.ts';
import type { ActionsOf } from '../../actionTypes.ts';
import type { ActionOf } from '../actions.ts';
import type { ChatActions } from '../chatActions.ts';
import type { Meta } from '../content.ts';
import type { ChatState, ResponsePart } from '../state.ts';
import type {
  CancelledToolCall,
  CompletedToolCall,
  PendingResultToolCall,
  PendingToolCall,
  RunningToolCall,
  ToolCallBase,
  ToolCallContributor,
  ToolCallResult,
  ToolCallState,
} from '../toolCall.ts';
import { activeTurnOf, withCurrentStatus, withParts } from './activeTurn.ts';

type ToolCallActions = Pick<ChatActions, Extract<keyof ChatActions, `chat/toolCall${string}`>>;

type ToolCallAction = ActionsOf<ToolCallActions>;

export const toolCallHandlers: Handlers<ChatState, ToolCallAction> = {
  'chat/toolCallStart': start,
  'chat/toolCallDelta': (state, action) => change(state, action, (call) => stream(call, action)),
  'chat/toolCallReady': (state, action) => moveOn(state, action, (call) => ready(call, action)),
  'chat/toolCallConfirmed': (state, action) => moveOn(state, action, (call) => decide(call, action)),
  'chat/toolCallComplete': (state, action) => moveOn(state, action, (call) => complete(call, action)),
  'chat/toolCallResultConfirmed': (state, action) =>
    moveOn(state, action, (call) => decideResult(call, action)),
  'chat/toolCallContentChanged': (state, action) =>
    change(state, action, (call) =>
      call.status === 'running' ? { ...call, ...metaOf(action), content: action.content } : call,
    ),
  'chat/toolCallAuthRequired': (state, action) => moveOn(state, action, (call) => requireAuth(call, action)),
  'chat/toolCallAuthResolved': (state, action) => moveOn(state, action, (call) => resolveAuth(call, action)),
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
    toolInput: inputOf(toolCall),
    reason: 'skipped' as const,
  });
  return { kind: 'toolCall', toolCall: skipped };
}

/** Applies the transition to the call that the action names; what the chat waits for stays as it was. */
function change(
  state: ChatState,
  action: ToolCallAction,
  transition: (call: ToolCallState) => ToolCallState,
): ChatState {
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
  state: ChatState,
  action: ToolCallAction,
  transition: (call: ToolCallState) => ToolCallState,
): ChatState {
  return withCurrentStatus(change(state, action, transition));
}

function start(state: ChatState, action: ActionOf<'chat/toolCallStart'>): ChatState {
  const turn = activeTurnOf(state, action.turnId);
  if (turn === undefined) return state;
  const toolCall: ToolCallState = { status: 'streaming', ...baseOf(action) };
  return withParts(state, turn, [...turn.responseParts, { kind: 'toolCall', toolCall }]);
}

function stream(call: ToolCallState, action: ActionOf<'chat/toolCallDelta'>): ToolCallState {
  if (call.status !== 'streaming') return call;
  return {
    ...call,
    ...metaOf(action),
    ...(action.content === undefined ? {} : { partialInput: (call.partialInput ?? '') + action.content }),
    ...(action.invocationMessage === undefined ? {} : { invocationMessage: action.invocationMessage }),
  };
}

/** What an update of a waiting confirmation leaves out stays as it was. */
function ready(call: ToolCallState, action: ActionOf<'chat/toolCallReady'>): ToolCallState {
  if (call.status !== 'streaming' && call.status !== 'running' && call.status !== 'pending-confirmation')
    return call;
  const invoked = invokedBy(call, action);
  if (action.confirmed !== undefined)
    return present({ status: 'running' as const, ...invoked, confirmed: action.confirmed });
  const waiting: Question = call.status === 'pending-confirmation' ? call : {};
  return { status: 'pending-confirmation', ...present(invoked), ...mergedQuestion(waiting, action) };
}

function invokedBy(call: ToolCallState, action: ActionOf<'chat/toolCallReady'>) {
  return {
    ...baseOf(call, action),
    contributor: refineContributor(call.contributor, action.contributor),
    intention: action.intention ?? call.intention,
    invocationMessage: action.invocationMessage ?? call.invocationMessage ?? '',
    toolInput: action.toolInput ?? inputOf(call),
  };
}

type Question = Pick<
  PendingToolCall,
  'confirmationTitle' | 'riskAssessment' | 'edits' | 'editable' | 'options'
>;

function mergedQuestion(old: Question, update: Question): Question {
  return present({
    confirmationTitle: update.confirmationTitle ?? old.confirmationTitle,
    riskAssessment: update.riskAssessment ?? old.riskAssessment,
    edits: update.edits ?? old.edits,
    editable: update.editable ?? old.editable,
    options: update.options ?? old.options,
  });
}

/** Which client runs a call is settled when it starts; only a server may be named or corrected later. */
function refineContributor(
  current: ToolCallContributor | undefined,
  next: ToolCallContributor | undefined,
): ToolCallContributor | undefined {
  if (next === undefined) return current;
  if (current?.kind === 'client') {
    return next.kind === 'client' && next.clientId === current.clientId ? next : current;
  }
  return next.kind === 'client' ? current : next;
}

function decide(call: ToolCallState, action: ActionOf<'chat/toolCallConfirmed'>): ToolCallState {
  if (call.status !== 'pending-confirmation') return call;
  const invoked = {
    ...baseOf(call, action),
    invocationMessage: call.invocationMessage,
    toolInput: call.toolInput,
  };
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
  return present({
    status: 'running' as const,
    ...invoked,
    toolInput: editedInput(call, action.editedToolInput),
    confirmed: action.confirmed,
    selectedOption,
  });
}

/** An input that is only referred to is edited at its resource, by the host, and not here. */
function editedInput(
  call: { readonly toolInput?: ToolInputOf },
  edited: string | undefined,
): ToolInputOf | undefined {
  return edited !== undefined && typeof call.toolInput === 'string' ? edited : call.toolInput;
}

type ToolInputOf = NonNullable<RunningToolCall['toolInput']>;

/**
 * A call that waits for authentication never ran on, so it can only end as a failure, which
 * nobody has to review.
 */
function complete(call: ToolCallState, action: ActionOf<'chat/toolCallComplete'>): ToolCallState {
  if (call.status !== 'running' && call.status !== 'pending-confirmation' && call.status !== 'auth-required')
    return call;
  const paused = call.status === 'auth-required';
  if (paused && action.result.success) return call;
  const reviewed = action.requiresResultConfirmation === true && !paused;
  const earlier = paused ? call.content : undefined;
  const result = resultOf(action.result);
  const ended: CompletedToolCall | PendingResultToolCall = present({
    status: reviewed ? ('pending-result-confirmation' as const) : ('completed' as const),
    ...baseOf(call, action),
    invocationMessage: call.invocationMessage,
    toolInput: call.toolInput,
    confirmed: call.status === 'pending-confirmation' ? ('not-needed' as const) : call.confirmed,
    selectedOption: call.status === 'pending-confirmation' ? undefined : call.selectedOption,
    ...result,
    content: result.content ?? earlier,
  });
  return ended;
}

function decideResult(call: ToolCallState, action: ActionOf<'chat/toolCallResultConfirmed'>): ToolCallState {
  if (call.status !== 'pending-result-confirmation') return call;
  const { invocationMessage, toolInput, selectedOption } = call;
  const invoked = { ...baseOf(call, action), invocationMessage, toolInput, selectedOption };
  return action.approved
    ? present({ status: 'completed' as const, ...invoked, confirmed: call.confirmed, ...resultOf(call) })
    : present({ status: 'cancelled' as const, ...invoked, reason: 'result-denied' as const });
}

/** Only a call to an MCP server can wait for authentication. */
function requireAuth(call: ToolCallState, action: ActionOf<'chat/toolCallAuthRequired'>): ToolCallState {
  if (call.status !== 'running' || call.contributor?.kind !== 'mcp') return call;
  return {
    ...call,
    ...metaOf(action),
    status: 'auth-required',
    contributor: call.contributor,
    auth: action.auth,
  };
}

function resolveAuth(call: ToolCallState, action: ActionOf<'chat/toolCallAuthResolved'>): ToolCallState {
  if (call.status !== 'auth-required') return call;
  const { auth: _auth, ...rest } = call;
  return { ...rest, ...metaOf(action), status: 'running' };
}

/** The fields that every status has. Those of the action's metadata win over the stored ones. */
function baseOf(call: ToolCallBase, action: { readonly _meta?: Meta } = {}): ToolCallBase {
  const { toolCallId, toolName, displayName, intention, contributor, _meta } = call;
  return {
    ...present({ toolCallId, toolName, displayName, intention, contributor, _meta }),
    ...metaOf(action),
  };
}

function metaOf({ _meta }: { readonly _meta?: Meta }): { readonly _meta?: Meta } {
  return present({ _meta });
}

function inputOf(call: ToolCallState): ToolInputOf | undefined {
  return call.status === 'streaming' ? undefined : call.toolInput;
}

/** Field by field, so that a result cannot overwrite the status or the owner of its call. */
function resultOf(result: ToolCallResult): ToolCallResult {
  const { success, pastTenseMessage, content, structuredContent, error } = result;
  return present({ success, pastTenseMessage, content, structuredContent, error });
}
