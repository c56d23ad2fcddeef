// Translates one entry of the log into messages for clients of version 2: what version 1 gets, in other
// words, and the state of the chat. Pure.
import { present } from '../../../base/present.ts';
import { shareLive } from '../../../host/session/live.ts';
import type { Step } from '../../../host/session/session.ts';
import type { ChatId, Content, Outcome, UserMessage } from '../../../model/event.ts';
import type { Chat, State, ToolItem } from '../../../model/state.ts';
import type { SessionUpdate, StateUpdate, ToolCallContent } from '../../../protocols/acp/v2/messages.ts';
import { rpcCodes } from '../../../rpc/rpcError.ts';
import { stopReasonOf } from '../inbound/waitingPrompts.ts';
import { messageBlocks, toolContent } from '../outbound/content.ts';
import { project } from '../outbound/entries.ts';
import type { AcpUpdate } from '../outbound/entries.ts';
import { shownContents, uniqueId } from '../outbound/toolCall.ts';
import type { WireVersion } from '../outbound/wireVersion.ts';
import { hasTerminal, terminalUpdate } from './terminals.ts';
import { fileDiff, permissionRequest, translatedUpdate } from './translate.ts';

export const version2: WireVersion = {
  number: 2,
  project: projectV2,
  live: shareLive(projectV2),
  opening: (state, chat) => (state.chats[chat] ? [stateMessage(chat, activityOf(state.chats[chat]))] : []),
  update: translatedUpdate,
  permission: permissionRequest,
};

/** The state is told before the messages that it leads to, and its end after the last of them. */
function projectV2(step: Step): readonly AcpUpdate[] {
  const { event } = step.entry;
  const messages =
    (event.kind === 'turn.started' || event.kind === 'message.steered') && event.message.from !== 'agent'
      ? userMessage(event.chat, event.message)
      : project(step).flatMap((message) => inVersion2(message, step));
  const change = stateChange(step);
  if (!change) return messages;
  return event.kind === 'turn.ended' ? [...messages, change] : [change, ...messages];
}

/** The id is the one that the answer to the prompt has. */
function userMessage(chat: ChatId, message: UserMessage): readonly AcpUpdate[] {
  const { extensions } = message;
  return [
    later(chat, {
      sessionUpdate: 'user_message',
      messageId: message.id,
      content: messageBlocks(message),
      ...(extensions && { _meta: extensions }),
    }),
  ];
}

function inVersion2(message: AcpUpdate, { after }: Step): readonly AcpUpdate[] {
  if (message.kind !== 'update') return [message];
  const { chat, update, replaceKey } = message;
  if (update.sessionUpdate === 'plan')
    return [
      later(chat, {
        sessionUpdate: 'plan_update',
        plan: { type: 'items', planId: chat, entries: update.entries },
      }),
    ];
  const translated = translatedUpdate(update);
  if (!translated) return [];
  const tool = 'toolCallId' in update ? toolOf(after.chats[chat], update.toolCallId) : undefined;
  const shown = tool ? { ...translated, ...exactCall(tool, translated) } : translated;
  const call: AcpUpdate = { kind: 'later', chat, update: shown, ...present({ replaceKey }) };
  if (!tool || !('toolCallId' in update) || !('content' in shown) || !hasTerminal(tool)) return [call];
  const { toolCallId } = update;
  const key = replaceKey === undefined ? undefined : `${replaceKey}/terminal`;
  const terminal = terminalUpdate(tool, toolCallId);
  return [{ kind: 'later', chat, update: terminal, ...present({ replaceKey: key }) }, call];
}

/** What version 1 has no words for: calls that were cancelled, and files that were deleted. */
function exactCall(tool: ToolItem, update: object): object {
  const { status } = tool.result ?? {};
  const isCancelled = status === 'cancelled' || status === 'interrupted';
  return {
    ...('status' in update && isCancelled ? { status: 'cancelled' } : {}),
    ...('content' in update ? { content: contentsOf(tool, update) } : {}),
  };
}

/** What a terminal shows is not said again as text; why a command failed is. */
function contentsOf(tool: ToolItem, update: object): readonly ToolCallContent[] {
  const contents = shownContents(tool);
  if (!hasTerminal(tool) || !('toolCallId' in update)) return contents.flatMap(contentOf);
  const failure = tool.result?.status === 'failed' ? contents.slice(-1) : [];
  const others = contents.filter((content) => content.type !== 'text');
  return [
    { type: 'terminal', terminalId: String(update.toolCallId) },
    ...[...others, ...failure].flatMap(contentOf),
  ];
}

function contentOf(content: Content): readonly ToolCallContent[] {
  if (content.type === 'edit') return [fileDiff(content.path, content.before, content.after)];
  const shown = toolContent(content);
  return shown.type === 'content' ? [{ type: 'content', content: shown.content }] : [];
}

function toolOf(chat: Chat | undefined, id: string): ToolItem | undefined {
  const turns = chat ? [chat.active, chat.turns.at(-1)] : [];
  for (const turn of turns)
    for (const item of turn?.items ?? [])
      if (turn && item.type === 'tool' && uniqueId(turn.id, item.id) === id) return item;
  return undefined;
}

function stateChange({ entry: { event }, before, after }: Step): AcpUpdate | undefined {
  if (!('chat' in event)) return undefined;
  const [old, now] = [activityIn(before, event.chat), activityIn(after, event.chat)];
  if (now === undefined || old === now) return undefined;
  const update = event.kind === 'turn.ended' ? endOf(event.outcome) : ({ state: now } as const);
  return stateMessage(event.chat, update);
}

function activityIn(state: State, id: ChatId): 'running' | 'requires_action' | 'idle' | undefined {
  const chat = Object.hasOwn(state.chats, id) ? state.chats[id] : undefined;
  return chat && activityOf(chat).state;
}

function activityOf({ active, asks }: Chat): { readonly state: 'running' | 'requires_action' | 'idle' } {
  if (!active) return { state: 'idle' };
  return { state: Object.keys(asks).length > 0 ? 'requires_action' : 'running' };
}

function endOf(outcome: Outcome): StateUpdate {
  if (outcome.kind === 'completed' || outcome.kind === 'cancelled')
    return { state: 'idle', stopReason: stopReasonOf(outcome) };
  const message = outcome.kind === 'failed' ? outcome.problem.message : 'The turn was interrupted.';
  return { state: 'idle', stopReason: 'error', error: { code: rpcCodes.internalError, message } };
}

function stateMessage(chat: ChatId, update: StateUpdate): AcpUpdate {
  const sent: SessionUpdate = { sessionUpdate: 'state_update', ...update };
  return { kind: 'state', chat, update: sent };
}

function later(chat: ChatId, update: SessionUpdate): AcpUpdate {
  return { kind: 'later', chat, update };
}
