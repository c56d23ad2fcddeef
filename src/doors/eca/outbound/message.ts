// One thing to tell ECA clients about a chat. Encoded at most once however many clients hear it.
import type { Ask, AskId, ChatId, Origin } from '../../../model/event.ts';
import type { State } from '../../../model/state.ts';
import type { Content, Method, Notifications, Role } from '../../../protocols/eca/messages.ts';
import { encodeNotification } from '../../../rpc/envelope.ts';

export type EcaMessage = { [M in Method]: Notification<M> }[Method] | Signal;

/** What each client must put into words itself, because it depends on the client or on the host. */
export type Signal = { readonly root: ChatId } & (
  | { readonly kind: 'question'; readonly chat: ChatId; readonly ask: Question }
  | { readonly kind: 'settled'; readonly ask: AskId }
  /** What is chosen in a chat, and what of it was just chosen by whom. Whoever chose it knows, and hears only what follows from it. */
  | {
      readonly kind: 'selection';
      readonly chat: ChatId;
      readonly state: State;
      readonly chosen?: { readonly what: 'model' | 'agent'; readonly by: Origin };
    }
  /** Whether everything may run there unasked, and who has just said so. */
  | { readonly kind: 'trust'; readonly chat: ChatId; readonly state: State; readonly by?: Origin }
  /** What the chat has used; how much fits and what fills it, the host and the client know. */
  | { readonly kind: 'usage'; readonly chat: ChatId; readonly state: State }
);

export type Question = Extract<Ask, { readonly kind: 'question' }>;

export class Notification<M extends Method> {
  readonly kind = 'notification';
  /** The chat that a client must have opened to hear this; for a chat that a tool started, the one above it. */
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

/** Where a message belongs: its chat, the chat whose tool started it, and the chat that clients open to see it. */
export interface ChatPosition {
  readonly chat: ChatId;
  readonly root: ChatId;
  readonly parent: ChatId | undefined;
}

export function chatPosition(state: State, chat: ChatId): ChatPosition {
  const parent = parentOf(state, chat);
  let root = chat;
  // A chat cannot be deeper than there are chats; the bound keeps a damaged log from going round in circles.
  for (let [up, steps] = [parent, state.order.length]; up !== undefined && steps > 0; steps -= 1) {
    root = up;
    up = parentOf(state, root);
  }
  return { chat, root, parent };
}

export function say(place: ChatPosition, role: Role, content: Content): Notification<'chat/contentReceived'> {
  const parent = place.parent === undefined ? {} : { parentChatId: place.parent };
  return new Notification(place.root, 'chat/contentReceived', {
    chatId: place.chat,
    role,
    content,
    ...parent,
  });
}

export function tell<M extends Exclude<Method, 'chat/contentReceived'>>(
  place: Pick<ChatPosition, 'root'>,
  method: M,
  params: Notifications[M],
): Notification<M> {
  return new Notification(place.root, method, params);
}

function parentOf(state: State, chat: ChatId): ChatId | undefined {
  const origin = state.chats[chat]?.origin;
  return origin?.type === 'tool' && state.chats[origin.chat] ? origin.chat : undefined;
}
