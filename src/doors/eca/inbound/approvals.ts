// Approvals from a client: the first answer wins, and whoever comes later is told who was first.
import type { Session } from '../../../host/session/session.ts';
import type { Answer, Ask, Origin } from '../../../model/event.ts';
import { findTool } from '../../../model/state.ts';
import type { ToolItem } from '../../../model/state.ts';
import type { NotificationParams } from '../../../protocols/eca/schema.ts';
import type { Connection } from '../connection.ts';
import { approval, refusal } from './toCommand.ts';
import { remember } from './rememberedApprovals.ts';

export function approve(
  connection: Connection,
  { save, ...place }: NotificationParams<'chat/toolCallApprove'>,
): void {
  const session = connection.opened(place.chatId);
  const before = session?.head.rules ?? [];
  answer(connection, place, (ask) => approval(ask, save));
  if (session && save === 'session') remember(connection, session, before);
}

export function refuse(
  connection: Connection,
  { reason, ...place }: NotificationParams<'chat/toolCallReject'>,
): void {
  const inside = connection.opened(place.chatId)?.head.chats[place.chatId]?.origin.type === 'tool';
  answer(connection, place, (ask) => refusal(ask, { reason, inside }));
}

interface Place {
  readonly chatId: string;
  readonly toolCallId: string;
}

/** An id that nobody knows is ignored, as there is no way to answer a notification. */
function answer(
  connection: Connection,
  { chatId: chat, toolCallId }: Place,
  say: (ask: Extract<Ask, { kind: 'approval' }>) => Answer,
): void {
  const session = connection.opened(chat);
  const ask = session && openApproval(session, chat, toolCallId);
  const refused = ask
    ? session.dispatch({ kind: 'answer', chat, ask: ask.id, answer: say(ask) }, connection.origin)
    : undefined;
  const tool = session && toolOf(session, chat, toolCallId);
  if (refused && refused.rejected !== 'already-answered')
    connection.tell('$/showMessage', { type: 'error', message: refused.message });
  else if (tool && (refused || !ask))
    connection.tell('$/showMessage', { type: 'info', message: late(tool, connection.origin) });
}

function openApproval(
  session: Session,
  chat: string,
  tool: string,
): Extract<Ask, { kind: 'approval' }> | undefined {
  const asks = Object.values(session.head.chats[chat]?.asks ?? {});
  return asks.flatMap(({ ask }) => (ask.kind === 'approval' && ask.tool === tool ? [ask] : []))[0];
}

function toolOf(session: Session, chat: string, id: string): ToolItem | undefined {
  const { turns = [], active } = session.head.chats[chat] ?? {};
  return (
    findTool(active, id) ?? turns.map((turn) => findTool(turn, id)).findLast((tool) => tool !== undefined)
  );
}

function late({ title, approval: given, basis, result }: ToolItem, self: Origin): string {
  if (given)
    return `"${title}" was answered already: ${result?.status === 'denied' ? 'refused' : 'allowed'} by ${nameOf(given.by, self)}.`;
  return basis ? `"${title}" needed no approval.` : `"${title}" does not wait for an answer.`;
}

function nameOf(by: Origin, self: Origin): string {
  switch (by.kind) {
    case 'host':
      return 'the host';
    case 'agent':
      return `the agent ${by.agent}`;
    case 'client':
      return self.kind === 'client' && self.client === by.client && self.door === by.door
        ? 'you'
        : `${by.name ?? by.client} (${by.door})`;
    default:
      return by satisfies never;
  }
}
