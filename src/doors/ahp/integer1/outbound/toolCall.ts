// A tool call as version 1 shows it: the newest form without what came later, and with the
// option that was chosen.
import type { Chat, State, ToolItem, Turn } from '../../../../model/state.ts';
import { present } from '../../../../base/present.ts';
import type {
  ToolCallState as NewestCall,
  ToolResultContent as NewContent,
} from '../../../../protocols/ahp/v1_0/toolCall.ts';
import type {
  ConfirmationOption,
  PendingToolCall,
  ToolCallState,
  ToolResultContent,
} from '../../../../protocols/ahp/integer1/toolCall.ts';
import { sessionUri } from '../../channels/channels.ts';
import { optionLabel, toolCallIn } from '../../outbound/toolCall.ts';

export function toolCall(
  state: State,
  place: { readonly chat: Chat; readonly turn: Turn },
  tool: ToolItem,
): ToolCallState {
  const call = toolCallIn(state, place, tool);
  const { toolCallId, toolName, displayName, contributor } = call;
  const toolClientId = contributor?.kind === 'client' ? contributor.clientId : undefined;
  const base = present({ toolCallId, toolName, displayName, toolClientId });
  if (call.status === 'streaming') {
    const { status, partialInput = '', invocationMessage } = call;
    return present({ status, ...base, partialInput, invocationMessage });
  }
  const toolInput = typeof call.toolInput === 'string' ? call.toolInput : undefined;
  const invoked = present({ ...base, invocationMessage: call.invocationMessage, toolInput });
  return withStatus(state, tool, { call, invoked });
}

type Invoked = Exclude<NewestCall, { readonly status: 'streaming' }>;

type InvokedBase = Omit<PendingToolCall, 'status'>;

/** The status and the members that only calls of this status have. */
function withStatus(
  state: State,
  tool: ToolItem,
  { call, invoked }: { readonly call: Invoked; readonly invoked: InvokedBase },
): ToolCallState {
  const content = 'content' in call ? contents(state, tool, call.content) : undefined;
  switch (call.status) {
    case 'pending-confirmation': {
      const { status, confirmationTitle, edits, editable } = call;
      const options = call.options?.map(({ id, label, kind }): ConfirmationOption => ({ id, label, kind }));
      return present({ status, ...invoked, confirmationTitle, edits, editable, options });
    }
    case 'running':
    case 'auth-required': {
      const { confirmed } = call;
      return present({
        status: 'running' as const,
        ...invoked,
        confirmed,
        selectedOption: chosen(tool, confirmed),
        content,
      });
    }
    case 'pending-result-confirmation':
    case 'completed': {
      const { status, confirmed, success, pastTenseMessage, structuredContent, error } = call;
      const selectedOption = chosen(tool, confirmed);
      const result = { success, pastTenseMessage, content, structuredContent, error };
      return present({ status, ...invoked, confirmed, selectedOption, ...result });
    }
    case 'cancelled': {
      const { status, reason, reasonMessage } = call;
      const selectedOption = reason === 'denied' ? optionOf(tool, 'deny') : undefined;
      return present({ status, ...invoked, reason, reasonMessage, selectedOption });
    }
    default:
      return call satisfies never;
  }
}

function contents(
  state: State,
  tool: ToolItem,
  list: readonly NewContent[] | undefined,
): readonly ToolResultContent[] | undefined {
  return list?.map((content) => contentOf(state, tool.id, content));
}

/** Chats inside a tool call are sessions below their session. */
function subagentUri({ id, firstAgent: agent }: Pick<State, 'id' | 'firstAgent'>, tool: string): string {
  return `${sessionUri(id, agent)}/subagent/${encodeURIComponent(tool)}`;
}

function chosen(tool: ToolItem, confirmed: string): ConfirmationOption | undefined {
  return confirmed === 'user-action' ? optionOf(tool, 'allow') : undefined;
}

function optionOf({ approval }: ToolItem, effect: 'allow' | 'deny'): ConfirmationOption | undefined {
  const option = approval?.option;
  if (!option?.effect.startsWith(effect)) return undefined;
  return { id: option.id, label: optionLabel(option), kind: effect === 'allow' ? 'approve' : 'deny' };
}

function contentOf(state: State, tool: string, content: NewContent): ToolResultContent {
  if (content.type === 'subagent') return { ...content, resource: subagentUri(state, tool) };
  if (content.type === 'terminal')
    return { type: 'terminal', resource: content.resource, title: content.title };
  return content;
}
