// Prompts of version 2: each is answered when its message is part of the conversation. A prompt during a turn
// steers it.
import type { Session } from '../../../host/session/session.ts';
import type { ChatId, MessageId, UserMessage } from '../../../model/event.ts';
import type { Chat } from '../../../model/state.ts';
import type { PromptParams } from '../../../protocols/acp/v1/agentSchema.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import type { AcpConnection } from '../connection.ts';
import { explainLoss, rejectionError } from '../errors.ts';
import { takeKey } from '../inbound/keptValues.ts';
import { readPrompt } from '../inbound/promptMessage.ts';

export async function prompt(
  connection: AcpConnection,
  given: PromptParams,
  { signal, isRepeated = false }: { readonly signal: AbortSignal; readonly isRepeated?: boolean },
): Promise<{ readonly messageId: MessageId }> {
  const { host } = connection;
  const { key, params } = connection.resumable ? takeKey(given) : { key: undefined, params: given };
  const { session, id } = connection.chat(params.sessionId);
  const message = readPrompt(params, key ?? host.ids.next());
  const chat = session.head.chats[id];
  if (isRepeated && chat && isInserted(chat, message.id)) return { messageId: message.id };
  const inserted = whenInserted(connection, { session, chat: id, message: message.id });
  const withdraw = () => withdrawMessage(connection, { session, chat: id, message: message.id });
  signal.addEventListener('abort', withdraw, { once: true });
  try {
    if (!isRepeated || !chat || !isWaiting(chat, message.id))
      await send(connection, { session, id, message });
    await inserted.done;
    return { messageId: message.id };
  } finally {
    signal.removeEventListener('abort', withdraw);
    inserted.leave();
  }
}

/** Starts a turn with the message, lets it steer the running one, or lets it wait behind others. */
async function send(
  { host, origin }: AcpConnection,
  { session, id, message }: { readonly session: Session; readonly id: ChatId; readonly message: UserMessage },
): Promise<void> {
  const chat = session.head.chats[id];
  const idle = chat && !chat.active && chat.queue.length === 0;
  const waiting = { kind: 'queueMessage', lane: chat?.active ? 'steer' : 'queue' } as const;
  const rejection = session.dispatch(
    {
      ...(idle ? ({ kind: 'startTurn', orQueue: true } as const) : waiting),
      chat: id,
      turn: host.ids.next(),
      message,
    },
    origin,
  );
  if (rejection) throw rejectionError(rejection, id);
  await session.settled().catch((error: unknown) => Promise.reject(explainLoss(error)));
}

/** Ends the running turn, and the prompts of this client that are not part of the conversation yet. */
export function cancel(connection: AcpConnection, sessionId: ChatId): void {
  const chat = connection.find(sessionId);
  if (!chat) return;
  for (const [message, id] of connection.insertions)
    if (id === chat.id) withdrawMessage(connection, { session: chat.session, chat: id, message });
  chat.cancel();
}

interface SentMessage {
  readonly session: Session;
  readonly chat: ChatId;
  readonly message: MessageId;
}

function withdrawMessage({ origin }: AcpConnection, { session, chat, message }: SentMessage): void {
  session.dispatch({ kind: 'withdrawMessage', chat, message }, origin);
}

/** After a failed turn the queue waits for somebody who continues it. The client cannot, so it withdraws. */
function whenInserted(
  connection: AcpConnection,
  sent: SentMessage,
): { readonly done: Promise<void>; readonly leave: () => void } {
  const { session, chat, message } = sent;
  let unfollow = () => {};
  connection.insertions.set(message, chat);
  const done = new Promise<void>((resolve, reject) => {
    unfollow = session.follow((steps) => {
      for (const { entry } of steps) {
        const { event } = entry;
        if (!('chat' in event) || event.chat !== chat) continue;
        if (event.kind === 'turn.started' || event.kind === 'message.steered') {
          if (event.message.id === message) resolve();
        } else if (event.kind === 'message.removed' && event.message === message) reject(notInserted);
        else if (event.kind === 'chat.removed') reject(notInserted);
        else if (event.kind === 'turn.ended' && event.outcome.kind !== 'completed')
          connection.host.clock.defer(() => {
            const now = session.head.chats[chat];
            if (now?.held && isWaiting(now, message)) withdrawMessage(connection, sent);
          });
      }
    });
  });
  done.catch(() => {});
  const leave = () => {
    unfollow();
    connection.insertions.delete(message);
  };
  void connection.peer.closed.then(leave);
  return { done, leave };
}

const notInserted = new RpcError(rpcCodes.cancelled, 'The prompt was withdrawn before the agent got it.');

function isWaiting({ queue, steering }: Chat, message: MessageId): boolean {
  return [...queue, ...steering].some(({ id }) => id === message);
}

function isInserted({ turns, active }: Chat, message: MessageId): boolean {
  return [...turns, ...(active ? [active] : [])].some(
    (turn) =>
      turn.message.id === message ||
      turn.items.some((item) => item.type === 'message' && item.id === message),
  );
}
