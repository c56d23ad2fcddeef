// Flags that a user plants at messages to find them again. Only ECA knows them, so they are private notes of this door. Pure.
import type { Command } from '../../../model/command.ts';
import type { ChatId, EventOf, Json } from '../../../model/event.ts';
import { notesOf } from '../../../model/state.ts';
import type { Item, State } from '../../../model/state.ts';

export interface Flag {
  readonly id: string;
  /** The message, thought or call it stands behind. */
  readonly at: string;
  readonly text: string;
}

const prefix = 'flags/';

/** Keeps the flags of a chat. */
export function setFlags(chat: ChatId, flags: readonly Flag[]): Command {
  const value = flags.map(({ id, at, text }) => ({ id, at, text }));
  return { kind: 'record', fact: { kind: 'note', owner: 'doors/eca', key: prefix + chat, value } };
}

/** The chat that a note is about, if it is about flags. */
export function flaggedChat({ owner, key }: EventOf<'note'>): ChatId | undefined {
  return owner === 'doors/eca' && key.startsWith(prefix) ? key.slice(prefix.length) : undefined;
}

export function flagsOf(state: State, chat: ChatId): readonly Flag[] {
  const noted = notesOf(state, 'doors/eca')[prefix + chat];
  return Array.isArray(noted) ? noted.flatMap(readFlag) : [];
}

/** What a client may point at in a chat, under the ids that it was told. */
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

/** Where somebody points who points at a flag is where the flag stands; nothing where there is no such thing. */
export function pointedAt(state: State, chat: ChatId, id: string): string | undefined {
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
