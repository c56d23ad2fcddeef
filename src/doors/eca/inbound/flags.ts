// Flags that a user sets at messages to find them again. Only ECA has them, so they are private
// notes of this door. Pure.
import type { Command } from '../../../model/command.ts';
import type { ChatId, EventOf, Json } from '../../../model/event.ts';
import { notesOf } from '../../../model/state.ts';
import type { Item, State } from '../../../model/state.ts';

export interface Flag {
  readonly id: string;
  /** The id of the message, reasoning block or tool call before the flag. */
  readonly at: string;
  readonly text: string;
}

const prefix = 'flags/';

/** The command that stores the flags of a chat. */
export function setFlags(chat: ChatId, flags: readonly Flag[]): Command {
  const value = flags.map(({ id, at, text }) => ({ id, at, text }));
  return { kind: 'record', fact: { kind: 'note', owner: 'doors/eca', key: prefix + chat, value } };
}

/** The chat whose flags a note contains; undefined for any other note. */
export function flaggedChat({ owner, key }: EventOf<'note'>): ChatId | undefined {
  return owner === 'doors/eca' && key.startsWith(prefix) ? key.slice(prefix.length) : undefined;
}

export function flagsOf(state: State, chat: ChatId): readonly Flag[] {
  const note = notesOf(state, 'doors/eca')[prefix + chat];
  return Array.isArray(note) ? note.flatMap(readFlag) : [];
}

/** The content ids of a chat, as they were sent to clients. */
export function contentsOf(state: State, chat: ChatId): readonly string[] {
  const { turns = [], active } = state.chats[chat] ?? {};
  return [...turns, ...(active ? [active] : [])].flatMap(({ message, items }) => [
    message.id,
    ...items.map(contentId),
  ]);
}

export function contentId(item: Item): string {
  return item.type === 'message' ? item.message.id : item.id;
}

/** The content that an id means: for a flag, the content before it. Undefined for an unknown id. */
export function flagTarget(state: State, chat: ChatId, id: string): string | undefined {
  const at = flagsOf(state, chat).find((flag) => flag.id === id)?.at ?? id;
  return contentsOf(state, chat).includes(at) ? at : undefined;
}

function readFlag(value: Json): readonly Flag[] {
  if (typeof value !== 'object' || value === null || !('id' in value)) return [];
  const { id, at, text } = value;
  return typeof id === 'string' && typeof at === 'string' && typeof text === 'string'
    ? [{ id, at, text }]
    : [];
}
