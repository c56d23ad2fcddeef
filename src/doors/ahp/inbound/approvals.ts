// Confirms or denies tool calls. The first answer wins; a later one is refused with the name of the first.
import { mayAs } from '../../../host/policy/roles.ts';
import { allows } from '../../../model/event.ts';
import type { Answer } from '../../../model/event.ts';
import { findTool } from '../../../model/state.ts';
import type { ToolItem } from '../../../model/state.ts';
import type { ActionOf } from '../../../protocols/ahp/v1_0/actions.ts';
import type { StringOrMarkdown } from '../../../protocols/ahp/v1_0/content.ts';
import { dispatch, currentChat } from './applyAction.ts';
import type { ActionContext } from './applyAction.ts';
import { inputFrom, inputText } from '../outbound/content.ts';
import { originName } from '../../../model/howItRan.ts';
import { pendingApproval } from '../outbound/toolCall.ts';
import type { Approval } from '../outbound/toolCall.ts';

type Confirmed = ActionOf<'chat/toolCallConfirmed'>;

export function confirmTool(on: ActionContext, action: Confirmed): string | undefined {
  const chat = currentChat(on);
  const tool = findTool(chat?.active?.id === action.turnId ? chat.active : undefined, action.toolCallId);
  const ask = chat && tool && pendingApproval(chat, tool.id);
  if (!ask) return late(tool ?? endedTool(on, action));
  const answer = action.approved ? approve(tool, ask, action) : deny(ask, action);
  return typeof answer === 'string'
    ? answer
    : dispatch(on, {
        kind: 'answer',
        chat: on.chat,
        ask: ask.id,
        answer,
        withinSession: !mayAs(on.role ?? 'control', 'control'),
      });
}

function approve(
  tool: ToolItem,
  ask: Approval,
  { selectedOptionId, editedToolInput }: Extract<Confirmed, { approved: true }>,
): Answer | string {
  const allowing = ask.options.filter(allows);
  const option =
    selectedOptionId === undefined
      ? (allowing.find(({ effect }) => effect === 'allow') ?? allowing[0])
      : allowing.find(({ id }) => id === selectedOptionId);
  if (!option) return 'Choose one of the offered options that approve.';
  if (
    editedToolInput === undefined ||
    (tool.input !== undefined && inputText(tool.input) === editedToolInput)
  )
    return { kind: 'option', option: option.id };
  const input = inputFrom(editedToolInput, tool.input);
  return input === undefined
    ? 'The edited arguments are not valid JSON.'
    : { kind: 'option', option: option.id, input };
}

function deny(
  ask: Approval,
  { selectedOptionId, reasonMessage, userSuggestion }: Extract<Confirmed, { approved: false }>,
): Answer | string {
  const denying = ask.options.filter((option) => !allows(option));
  const option =
    selectedOptionId === undefined
      ? denying.find(({ effect }) => effect === 'deny')
      : denying.find(({ id }) => id === selectedOptionId);
  if (!option && selectedOptionId !== undefined) return 'Choose one of the offered options that deny.';
  const said = userSuggestion?.text ?? textOf(reasonMessage);
  const reason = said === undefined || said === '' ? {} : { reason: said };
  return option ? { kind: 'option', option: option.id, ...reason } : { kind: 'declined', ...reason };
}

function late(tool: ToolItem | undefined): string {
  if (!tool) return 'There is no such tool call in this turn.';
  if (tool.approval && tool.approval.answer.kind !== 'withdrawn')
    return `This was already answered by ${originName(tool.approval.by)}.`;
  return 'This tool call does not wait for approval.';
}

/** A turn that has ended since then still knows who answered. */
function endedTool(on: ActionContext, { turnId, toolCallId }: Confirmed): ToolItem | undefined {
  return findTool(
    currentChat(on)?.turns.findLast(({ id }) => id === turnId),
    toolCallId,
  );
}

function textOf(message: StringOrMarkdown | undefined): string | undefined {
  return typeof message === 'object' ? message.markdown : message;
}
