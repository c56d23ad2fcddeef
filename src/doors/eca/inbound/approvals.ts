// Approvals from a client: the first answer wins, and a later client is told who answered first.
import { NotCarriedOut } from '../../../host/session/logStore.ts';
import type { Session } from '../../../host/session/session.ts';
import type { Answer, Ask, AskOption, Origin } from '../../../model/event.ts';
import { findTool } from '../../../model/state.ts';
import type { ToolItem } from '../../../model/state.ts';
import type { NotificationParams } from '../../../protocols/eca/schema.ts';
import type { EcaConnection } from '../connection.ts';

export function approve(
  connection: EcaConnection,
  { save, ...call }: NotificationParams<'chat/toolCallApprove'>,
): void {
  const session = connection.chats.opened(call.chatId);
  const before = session?.head.rules ?? [];
  answer(connection, call, (ask) => approval(ask, save));
  if (session && save === 'session') connection.ownChats.started.remember(session, before);
}

export function rejectCall(
  connection: EcaConnection,
  { reason, ...call }: NotificationParams<'chat/toolCallReject'>,
): void {
  const { origin } = connection.chats.opened(call.chatId)?.head.chats[call.chatId] ?? {};
  answer(connection, call, (ask) => refusal(ask, { reason, isSubagent: origin?.type === 'tool' }));
}

/** Ignores an unknown id, because a notification has no answer. */
function answer(
  { chats, profile, sender }: EcaConnection,
  { chatId: chat, toolCallId }: { readonly chatId: string; readonly toolCallId: string },
  answerTo: (ask: Approval) => Answer,
): void {
  const session = chats.opened(chat);
  const ask = session && openApproval(session, chat, toolCallId);
  const rejection = ask
    ? session.dispatch({ kind: 'answer', chat, ask: ask.id, answer: answerTo(ask) }, profile.origin)
    : undefined;
  const tool = session && toolOf(session, chat, toolCallId);
  // Another host may own the session and decide a moment later.
  if (ask && !rejection && session.owner !== undefined)
    session.settled().catch((error: unknown) => {
      if (error instanceof NotCarriedOut)
        sender.notify('$/showMessage', { type: 'info', message: error.message });
    });
  if (rejection && rejection.rejected !== 'already-answered')
    sender.notify('$/showMessage', { type: 'error', message: rejection.message });
  else if (tool && (rejection || !ask))
    sender.notify('$/showMessage', { type: 'info', message: lateMessage(tool, profile.origin) });
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

function lateMessage({ title, approval: answered, basis, result }: ToolItem, self: Origin): string {
  if (answered) {
    const outcome = result?.status === 'denied' ? 'denied' : 'allowed';
    return `"${title}" was already ${outcome} by ${nameOf(answered.by, self)}.`;
  }
  return basis ? `"${title}" needed no approval.` : `"${title}" is not waiting for an approval.`;
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

type Approval = Extract<Ask, { readonly kind: 'approval' }>;

/**
 * "Remember" means this session. Where the agent does not offer that, picks the next narrower option first.
 */
export function approval({ options }: Approval, save: string | undefined): Answer {
  const effects: readonly AskOption['effect'][] =
    save === 'session'
      ? ['allow-session', 'allow', 'allow-folder', 'allow-always']
      : ['allow', 'allow-session', 'allow-folder', 'allow-always'];
  const option = pick(options, effects);
  return option
    ? { kind: 'option', option: option.id }
    : { kind: 'declined', reason: 'The agent offered no option to allow this.' };
}

/**
 * Without a reason the turn ends, because the agent has nothing to go on with. A subagent's turn goes on: its
 * user cannot send a message there.
 */
export function refusal(
  { options }: Approval,
  { reason, isSubagent }: { readonly reason: string | undefined; readonly isSubagent: boolean },
): Answer {
  const option = pick(options, ['deny', 'deny-always']);
  const why = reason === undefined || reason.trim() === '' ? {} : { reason };
  const stop = 'reason' in why || isSubagent ? {} : { stop: true as const };
  return option ? { kind: 'option', option: option.id, ...why, ...stop } : { kind: 'declined', ...why };
}

function pick(options: readonly AskOption[], effects: readonly AskOption['effect'][]): AskOption | undefined {
  return effects.flatMap((effect) => options.filter((option) => option.effect === effect))[0];
}
