// One message to ECA clients about a chat. It is encoded once for all clients.
import type { Ask, AskId, ChatId, Origin } from '../../../model/event.ts';
import type { State } from '../../../model/state.ts';
import type { Content, Method, Notifications, Role } from '../../../protocols/eca/messages.ts';
import { encodeNotification } from '../../../rpc/envelope.ts';

export type EcaMessage = { [M in Method]: Notification<M> }[Method] | Signal;

/** Messages that depend on the client or on the host; each connection encodes them itself. */
export type Signal = { readonly root: ChatId } &
  /** `by` is who wrote the message of the turn. */
  (
    | {
        readonly kind: 'question';
        readonly chat: ChatId;
        readonly ask: QuestionAsk;
        readonly by: Origin | undefined;
      }
    | { readonly kind: 'settled'; readonly ask: AskId }
    /**
     * The selection of a chat, with the values that a client has just chosen; that client gets
     * only the consequences.
     */
    | {
        readonly kind: 'selection';
        readonly chat: ChatId;
        readonly state: State;
        readonly chosen?: { readonly what: 'model' | 'agent'; readonly by: Origin };
      }
    /** Whether the chat is trusted, and which client has just changed it. */
    | { readonly kind: 'trust'; readonly chat: ChatId; readonly state: State; readonly by?: Origin }
    /** The permission mode of the chat, and which client has just chosen it. */
    | { readonly kind: 'permissions'; readonly chat: ChatId; readonly state: State; readonly by?: Origin }
    /** The usage of the chat; the connection adds the limits and the context breakdown. */
    | { readonly kind: 'usage'; readonly chat: ChatId; readonly state: State }
  );

export type QuestionAsk = Extract<Ask, { readonly kind: 'question' }>;

export class Notification<M extends Method> {
  readonly kind = 'notification';
  /** The chat that a client must follow to get this message; for the chat of a tool, the outermost chat. */
  readonly root: ChatId;
  readonly method: M;
  readonly params: Notifications[M];
  #text: string | undefined;

  constructor(root: ChatId, method: M, params: Notifications[M]) {
    this.root = root;
    this.method = method;
    this.params = params;
  }

  get text(): string {
    return (this.#text ??= encodeNotification(this.method, this.params));
  }
}

/**
 * The position of a chat: its id, its parent if a tool started it, and the outermost chat,
 * which clients follow.
 */
export interface ChatPosition {
  readonly chat: ChatId;
  readonly root: ChatId;
  readonly parent: ChatId | undefined;
  /** Whether a tool started it: its agent then works on the words of another one. */
  readonly isSubagent: boolean;
}

export function chatPosition(state: State, chat: ChatId): ChatPosition {
  const parent = parentOf(state, chat);
  let root = chat;
  // The bound ends the loop for a damaged log in which chats are nested in a circle.
  for (let [up, steps] = [parent, state.order.length]; up !== undefined && steps > 0; steps -= 1) {
    root = up;
    up = parentOf(state, root);
  }
  return { chat, root, parent, isSubagent: state.chats[chat]?.origin.type === 'tool' };
}

export function say(
  position: ChatPosition,
  role: Role,
  content: Content,
): Notification<'chat/contentReceived'> {
  const parent = position.parent === undefined ? {} : { parentChatId: position.parent };
  return new Notification(position.root, 'chat/contentReceived', {
    chatId: position.chat,
    role,
    content,
    ...parent,
  });
}

export function tell<M extends Exclude<Method, 'chat/contentReceived'>>(
  position: Pick<ChatPosition, 'root'>,
  method: M,
  params: Notifications[M],
): Notification<M> {
  return new Notification(position.root, method, params);
}

function parentOf(state: State, chat: ChatId): ChatId | undefined {
  const origin = state.chats[chat]?.origin;
  return origin?.type === 'tool' && state.chats[origin.chat] ? origin.chat : undefined;
}
