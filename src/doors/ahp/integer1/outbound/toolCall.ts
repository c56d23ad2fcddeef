// A tool call as version 1 shows it: the newest form without what came later, and with the option that was chosen.
import type { Chat, State, ToolItem, Turn } from '../../../../model/state.ts';
import { present } from '../../../../base/present.ts';
import type { ToolResultContent as NewContent } from '../../../../protocols/ahp/v1_0/toolCall.ts';
import type {
  ConfirmationOption,
  ToolCallState,
  ToolResultContent,
} from '../../../../protocols/ahp/integer1/toolCall.ts';
import { sessionUri } from '../../channels/channels.ts';
import { toolCallIn } from '../../outbound/toolCall.ts';

export function toolCall(
  state: State,
  { chat, turn }: { readonly chat: Chat; readonly turn: Turn },
  tool: ToolItem,
): ToolCallState {
  const call = toolCallIn(state, { chat, turn }, tool);
  const contributor = call.contributor?.kind === 'client' ? call.contributor.clientId : undefined;
  const base = present({
    toolCallId: call.toolCallId,
    toolName: call.toolName,
    displayName: call.displayName,
    toolClientId: contributor,
  });
  if (call.status === 'streaming')
    return present({
      status: call.status,
      ...base,
      partialInput: call.partialInput ?? '',
      invocationMessage: call.invocationMessage,
    });
  const invoked = present({
    ...base,
    invocationMessage: call.invocationMessage,
    toolInput: typeof call.toolInput === 'string' ? call.toolInput : undefined,
  });
  const contents = (list: readonly NewContent[] | undefined) =>
    list?.map((content) => contentOf(state, tool.id, content));
  switch (call.status) {
    case 'pending-confirmation': {
      const { status, confirmationTitle, edits, editable } = call;
      const options = call.options?.map(({ id, label, kind }): ConfirmationOption => ({ id, label, kind }));
      return present({ status, ...invoked, confirmationTitle, edits, editable, options });
    }
    case 'running':
    case 'auth-required': {
      const confirmed = call.confirmed;
      return present({
        status: 'running' as const,
        ...invoked,
        confirmed,
        selectedOption: chosen(tool, confirmed),
        content: contents(call.content),
      });
    }
    case 'pending-result-confirmation':
    case 'completed': {
      const { status, confirmed, success, pastTenseMessage, content, structuredContent, error } = call;
      return present({
        status,
        ...invoked,
        confirmed,
        selectedOption: chosen(tool, confirmed),
        success,
        pastTenseMessage,
        content: contents(content),
        structuredContent,
        error,
      });
    }
    case 'cancelled': {
      const { status, reason, reasonMessage } = call;
      return present({
        status,
        ...invoked,
        reason,
        reasonMessage,
        selectedOption: reason === 'denied' ? optionOf(tool, 'deny') : undefined,
      });
    }
    default:
      return call satisfies never;
  }
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
  return { id: option.id, label: option.label, kind: effect === 'allow' ? 'approve' : 'deny' };
}

function contentOf(state: State, tool: string, content: NewContent): ToolResultContent {
  if (content.type === 'subagent') return { ...content, resource: subagentUri(state, tool) };
  if (content.type === 'terminal')
    return { type: 'terminal', resource: content.resource, title: content.title };
  return content;
}
