// Which commands go to the host that owns a session, and which can be given only there. Both ends of a link
// ask this, so that a link lets nobody do more than a client may.
import { clientFacts, reject } from '../../model/command.ts';
import type { Command, Rejection } from '../../model/command.ts';
import type { Origin, UserMessage } from '../../model/event.ts';
import type { State } from '../../model/state.ts';

/** What clients command. Everything else is the business of the owner and its agents. */
const forwarded: ReadonlySet<Command['kind']> = new Set<Command['kind']>([
  'changeSession',
  'createChat',
  'changeChat',
  'orderChats',
  'removeChat',
  'truncateChat',
  'startTurn',
  'queueMessage',
  'withdrawMessage',
  'reorderQueue',
  'stopTurn',
  'resumeTurn',
  'answer',
  'record',
]);

export function refuseForwarding(command: Command, by: Origin, owner: string): Rejection | undefined {
  if (!isForwarded(command, by)) return onlyAtOwner(owner, 'This can be done only there.');
  // The agent that asked checks changed arguments, and it runs on the other host.
  if (command.kind === 'answer' && command.answer.kind === 'option' && command.answer.input !== undefined)
    return onlyAtOwner(owner, 'The arguments of a call can be changed only there.');
  return undefined;
}

/** The refusal of something that only the owner of a session can do. */
export function onlyAtOwner(owner: string, why: string): Rejection {
  return reject('elsewhere', `This session is open on the host ${owner}. ${why}`);
}

function isForwarded(command: Command, by: Origin): boolean {
  if (by.kind === 'agent' || !forwarded.has(command.kind)) return false;
  if (command.kind === 'record') return clientFacts.has(command.fact.kind);
  // A host itself only says that a client has gone.
  return by.kind === 'client';
}

/**
 * Whether the message of a command is part of a turn already: an owner that is gone may have stored it before
 * it could answer. One that still waits in the queue is only put there again. Other words under the same id
 * are another message.
 */
export function isTaken({ chats }: State, command: Command): boolean {
  if (command.kind !== 'startTurn' && command.kind !== 'queueMessage') return false;
  const chat = Object.hasOwn(chats, command.chat) ? chats[command.chat] : undefined;
  const { id, text } = command.message;
  const isIt = (message: UserMessage) => message.id === id && message.text === text;
  const turns = [...(chat?.turns ?? []), ...(chat?.active ? [chat.active] : [])];
  return turns.some(
    ({ message, items }) =>
      isIt(message) || items.some((item) => item.type === 'message' && isIt(item.message)),
  );
}
