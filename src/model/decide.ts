// Turns a command into events or refuses it. Never emits an event that the reducer would ignore.
import { reject } from './command.ts';
import type { Command, RecordableFact, Rejection } from './command.ts';
import { decideAnswer, decideOpenAsk } from './decideAsk.ts';
import { decideReport, decideTool } from './decideReport.ts';
import {
  decideCompact,
  decideEnd,
  decideQueue,
  decideResume,
  decideStart,
  decideSteering,
  decideTruncate,
} from './decideTurn.ts';
import type { Event } from './event.ts';
import type { Chat, State } from './state.ts';

export type Decision = readonly Event[] | Rejection;

export function decide(state: State, command: Command): Decision {
  if (command.kind === 'createSession') return createSession(state, command);
  if (state.seq === 0) return reject('not-found', 'There is no such session.');
  if (!('chat' in command)) return decideSession(state, command);
  if (command.kind === 'createChat') return createChat(state, command);
  const chat = Object.hasOwn(state.chats, command.chat) ? state.chats[command.chat] : undefined;
  return chat
    ? decideInChat(state, chat, command)
    : reject('unknown-chat', `There is no chat ${command.chat} in this session.`);
}

type InChat = Exclude<Extract<Command, { readonly chat: string }>, { readonly kind: 'createChat' }>;

function decideInChat(state: State, chat: Chat, command: InChat): Decision {
  // The kind chooses the decider, which the compiler cannot follow through a union.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const decider = chatDeciders[command.kind] as ChatDecider<InChat['kind']>;
  return decider(chat, command, state);
}

type ChatDecider<K extends InChat['kind']> = (
  chat: Chat,
  command: Extract<InChat, { readonly kind: K }>,
  state: State,
) => Decision;

const chatDeciders: { readonly [K in InChat['kind']]: ChatDecider<K> } = {
  changeChat: (_, command) => changeChat(command),
  removeChat: (chat, _, state) => removeChat(state, chat),
  truncateChat: decideTruncate,
  compactChat: decideCompact,
  bindAgent: (chat, { agent, ref }) => [{ kind: 'agent.bound', chat: chat.id, agent, ref }],
  startTurn: decideStart,
  queueMessage: decideQueue,
  withdrawMessage: (chat, { message }) => withdrawMessage(chat, message),
  reorderQueue: (chat, { order }) => reorderQueue(chat, order),
  takeSteering: decideSteering,
  stopTurn,
  endTurn: decideEnd,
  resumeTurn: decideResume,
  report: decideReport,
  allowTool: decideTool,
  denyTool: decideTool,
  openAsk: decideOpenAsk,
  answer: (chat, command, state) => decideAnswer(state, chat, command),
};

function decideSession(
  state: State,
  command: Exclude<Command, { readonly chat: string } | { readonly kind: 'createSession' }>,
): Decision {
  switch (command.kind) {
    case 'changeSession':
      return checkTitle(command.changes) ?? [{ kind: 'session.changed', changes: command.changes }];
    case 'orderChats':
      return orderChats(state, command.order);
    case 'record':
      return decideFact(state, command.fact);
    default:
      return command satisfies never;
  }
}

/** The default chat has the id of its session, so that protocols without sessions can name it. */
function createSession(
  state: State,
  { kind: _, ...rest }: Extract<Command, { kind: 'createSession' }>,
): Decision {
  if (state.seq > 0) return reject('already-exists', `Session ${state.id} already exists.`);
  return [
    { kind: 'session.created', ...rest },
    { kind: 'chat.created', chat: rest.session, origin: { type: 'user' } },
  ];
}

function createChat(state: State, { kind: _, ...rest }: Extract<Command, { kind: 'createChat' }>): Decision {
  if (Object.hasOwn(state.chats, rest.chat))
    return reject('already-exists', `Chat ${rest.chat} already exists.`);
  return [{ kind: 'chat.created', ...rest }];
}

function changeChat({ kind: _, chat, ...changes }: Extract<Command, { kind: 'changeChat' }>): Decision {
  if (Object.keys(changes).length === 0) return reject('invalid', 'There is nothing to change.');
  return checkTitle(changes) ?? [{ kind: 'chat.changed', chat, ...changes }];
}

/** The longest title, in characters: every list of sessions has all titles. */
export const maxTitleLength = 1_000;

function checkTitle({ title = '' }: { readonly title?: string | undefined }): Rejection | undefined {
  return title.length > maxTitleLength
    ? reject('invalid', `A title has at most ${maxTitleLength} characters.`)
    : undefined;
}

function orderChats({ order: now }: State, order: readonly string[]): Decision {
  const isWhole = order.length === now.length && now.every((id) => order.includes(id));
  if (!isWhole || order[0] !== now[0])
    return reject('invalid', 'A chat order must list every chat once, the default chat first.');
  return [{ kind: 'chats.ordered', order }];
}

function removeChat(state: State, chat: Chat): Decision {
  if (state.order[0] === chat.id)
    return reject('invalid', 'The default chat can be deleted only with its session.');
  if (chat.active) return reject('turn-active', 'A turn is running in this chat; stop it first.');
  return [{ kind: 'chat.removed', chat: chat.id }];
}

function withdrawMessage(chat: Chat, message: string): Decision {
  const waits = [...chat.queue, ...chat.steering].some(({ id }) => id === message);
  return waits
    ? [{ kind: 'message.removed', chat: chat.id, message }]
    : reject('unknown-message', 'That message is no longer queued.');
}

function reorderQueue(chat: Chat, order: readonly string[]): Decision {
  if (chat.queue.length === 0) return reject('unknown-message', 'The queue of this chat is empty.');
  return [{ kind: 'message.reordered', chat: chat.id, order }];
}

function stopTurn(chat: Chat, command: Extract<Command, { kind: 'stopTurn' }>): Decision {
  if (!chat.active) return reject('no-turn', 'No turn is running in this chat.');
  const { next, holds = false, turn = chat.active.id } = command;
  return decideEnd(chat, {
    kind: 'endTurn',
    chat: chat.id,
    turn,
    outcome: { kind: 'cancelled' },
    next,
    holds,
  });
}

function decideFact(state: State, fact: RecordableFact): Decision {
  if ('chat' in fact && !Object.hasOwn(state.chats, fact.chat))
    return reject('unknown-chat', `There is no chat ${fact.chat} in this session.`);
  if (fact.kind === 'client.left' && !state.clients.some(({ id }) => id === fact.client))
    return reject('not-found', 'That client is not active in this session.');
  return [fact];
}
