// Confirms or denies tool calls. The first answer wins; a later one is refused with the name of the first.
import { isRecord } from '../../../base/isRecord.ts';
import { present } from '../../../base/present.ts';
import type { EditedCall } from '../../../host/session/editChecks.ts';
import type { Session } from '../../../host/session/session.ts';
import { mayAs } from '../../../host/policy/roles.ts';
import { allows } from '../../../model/event.ts';
import type { Answer, ChatId } from '../../../model/event.ts';
import { findTool } from '../../../model/state.ts';
import type { ToolItem } from '../../../model/state.ts';
import type { ActionOf } from '../../../protocols/ahp/v1_0/actions.ts';
import type { StringOrMarkdown } from '../../../protocols/ahp/v1_0/content.ts';
import { dispatch, currentChat } from './applyAction.ts';
import type { ActionContext } from './applyAction.ts';
import { chatOf } from '../outbound/chat.ts';
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
  const answer = action.approved ? approve(on, { tool, ask }, action) : deny(ask, action);
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
  { edit }: ActionContext,
  { tool, ask }: { readonly tool: ToolItem; readonly ask: Approval },
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
  if (input === undefined) return 'The edited arguments are not valid JSON.';
  if (edit && 'refused' in edit) return edit.refused;
  return { kind: 'option', option: option.id, input, ...present({ title: edit?.title }) };
}

/**
 * Checks the arguments that a user has changed, before the action is taken; undefined if it changes none, or
 * if nobody can check them.
 */
export async function checkEdit(
  { head, edits }: Session,
  chat: ChatId,
  action: unknown,
): Promise<EditedCall | undefined> {
  const { toolCallId, editedToolInput } = isRecord(action) ? action : {};
  const found = chatOf(head, chat);
  const tool = findTool(found?.active, String(toolCallId));
  const ask = found && tool && pendingApproval(found, tool.id);
  const input =
    typeof editedToolInput === 'string' && tool ? inputFrom(editedToolInput, tool.input) : undefined;
  return ask && input !== undefined ? edits.check(ask.id, input) : undefined;
}

/** Whether an action carries arguments that a user has changed and that can be checked. */
export function hasEdit(action: unknown, session: Session | undefined): boolean {
  const isEdited = isRecord(action) && typeof action['editedToolInput'] === 'string';
  return isEdited && session?.edits.isOffered === true;
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
