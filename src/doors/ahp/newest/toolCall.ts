// A tool call as AHP shows it: one pure function of what the log says about it.
import type { Ask, Origin } from '../../../model/event.ts';
import type { Chat, ToolItem } from '../../../model/state.ts';
import { present } from '../../../protocols/ahp/immutable.ts';
import type {
  ConfirmationOption, PendingToolCall, ToolCallConfirmationReason, ToolCallState,
} from '../../../protocols/ahp/newest/toolCall.ts';
import { editsOf, inputText, liveContent, toolContent } from './content.ts';
import type { ToolPlace } from './content.ts';

export type Approval = Extract<Ask, { readonly kind: 'approval' }>;

/** `ask` is the open question about the call; a call that waits for nobody has none. */
export function toolCall(tool: ToolItem, place: ToolPlace, ask?: Approval): ToolCallState {
  const phase = phaseOf(tool);
  switch (phase) {
    case 'streaming':
      return present({ status: 'streaming' as const, ...baseOf(tool), partialInput: tool.inputText === '' ? undefined : tool.inputText, invocationMessage: tool.title });
    case 'pending': return pendingCall(tool, place, ask);
    case 'running': {
      const content = liveContent(tool, place);
      return present({ status: 'running' as const, ...invoked(tool), confirmed: confirmedBy(tool), content: content.length > 0 ? content : undefined });
    }
    case 'completed': return completed(tool, place);
    case 'denied':
      return present({ status: 'cancelled' as const, ...invoked(tool), reason: 'denied' as const, reasonMessage: refusal(tool) });
    case 'skipped': return { status: 'cancelled', ...invoked(tool), reason: 'skipped' };
    default: return phase satisfies never;
  }
}

/** A call that waits for somebody to let it run. */
export function pendingCall(tool: ToolItem, place: ToolPlace, ask: Approval | undefined): PendingToolCall {
  return present({
    status: 'pending-confirmation' as const, ...invoked(tool), confirmationTitle: ask?.title, edits: editsOf(tool.preview, place),
    editable: ask?.editable, options: ask?.options.map(({ id, label, effect }): ConfirmationOption => ({ id, label, kind: effect.startsWith('allow') ? 'approve' : 'deny' })),
  });
}

/** The open approval of a tool call. */
export function approvalOf(chat: Chat, tool: string): Approval | undefined {
  for (const { ask } of Object.values(chat.asks)) if (ask.kind === 'approval' && ask.tool === tool) return ask;
  return undefined;
}

/** Who did something, in a word for people. */
export function nameOf(by: Origin): string {
  if (by.kind === 'client') return by.name ?? `${by.door} client ${by.client}`;
  return by.kind === 'agent' ? by.agent : 'the host';
}

type Phase = 'streaming' | 'pending' | 'running' | 'completed' | 'denied' | 'skipped';

function phaseOf(tool: ToolItem): Phase {
  switch (tool.status) {
    case 'preparing': return 'streaming';
    case 'ready': return answeredPhase(tool);
    case 'asking': return 'pending';
    case 'running': return 'running';
    case 'ended': return endedPhase(tool);
    default: return tool.status satisfies never;
  }
}

/** An answered call is ready until the entry after the answer lets it run or ends it. */
function answeredPhase({ approval }: ToolItem): Phase {
  if (!approval) return 'streaming';
  if (approval.answer.kind === 'withdrawn') return 'running';
  return approval.option?.effect.startsWith('allow') ? 'running' : 'denied';
}

function endedPhase({ result }: ToolItem): Phase {
  if (result?.status === 'done' || result?.status === 'failed') return 'completed';
  return result?.status === 'denied' ? 'denied' : 'skipped';
}

function completed(tool: ToolItem, place: ToolPlace): ToolCallState {
  const result = tool.result?.status === 'done' || tool.result?.status === 'failed' ? tool.result : undefined;
  const returned = toolContent(result?.content ?? [], 'result', place);
  const content = returned.length > 0 ? returned : liveContent(tool, place);
  return present({
    status: 'completed' as const, ...invoked(tool), confirmed: confirmedBy(tool), success: result?.status === 'done', pastTenseMessage: tool.title,
    content: content.length > 0 ? content : undefined, error: result?.status === 'failed' ? { message: result.error } : undefined,
  });
}

/** The title of a call becomes more exact while it is prepared, and AHP cannot rename a call, so its name is shown instead. */
function baseOf({ id, name, approval }: ToolItem) {
  const words = name.replace(/[_\s-]+/g, ' ').trim();
  const displayName = words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
  return present({ toolCallId: id, toolName: name, displayName, _meta: approval && { decidedBy: nameOf(approval.by), decision: approval.option?.label ?? approval.answer.kind } });
}

function invoked(tool: ToolItem) {
  const edited = tool.status === 'ready' && tool.approval?.answer.kind === 'option' ? tool.approval.answer.input : undefined;
  const input = edited ?? tool.input;
  return { ...baseOf(tool), ...present({ invocationMessage: tool.title, toolInput: input === undefined ? undefined : inputText(input) }) };
}

function confirmedBy({ status, approval, basis }: ToolItem): ToolCallConfirmationReason {
  if (status === 'ready' && approval?.answer.kind === 'option') return 'user-action';
  return basis ? reasons[basis.how] : 'not-needed';
}

const reasons = { rule: 'setting', ask: 'user-action', agent: 'not-needed' } as const;

/** Why a call was refused: in the words of whoever refused it, or those of the rule. */
function refusal({ result, approval }: ToolItem): string | undefined {
  if (result?.status === 'denied' && result.ask === undefined) return result.reason;
  const answer = approval?.answer;
  if (answer?.kind === 'withdrawn') return answer.why;
  return answer?.kind === 'option' || answer?.kind === 'declined' ? answer.reason : undefined;
}
