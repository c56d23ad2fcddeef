// Flags that a user plants at messages to find them again. Only ECA knows them, so they are notes of this door. Pure.
import type { ChatId, Json, MessageId } from '../../model/event.ts';
import type { State } from '../../model/state.ts';

export interface Flag {
  readonly id: string;
  /** The message it stands behind. */
  readonly at: MessageId;
  readonly text: string;
}

const prefix = 'flags/';

/** The key under which the flags of a chat are noted. */
export function flagsKey(chat: ChatId): string {
  return prefix + chat;
}

/** The chat that a note is about, if it is about flags. */
export function flaggedChat(door: string, key: string): ChatId | undefined {
  return door === 'eca' && key.startsWith(prefix) ? key.slice(prefix.length) : undefined;
}

export function flagsOf(state: State, chat: ChatId): readonly Flag[] {
  const noted = state.notes[`eca:${flagsKey(chat)}`];
  return Array.isArray(noted) ? noted.flatMap(readFlag) : [];
}

export function noteOf(flags: readonly Flag[]): Json {
  return flags.map(({ id, at, text }) => ({ id, at, text }));
}

function readFlag(value: Json): readonly Flag[] {
  if (typeof value !== 'object' || value === null || !('id' in value)) return [];
  const { id, at, text } = value;
  return typeof id === 'string' && typeof at === 'string' && typeof text === 'string' ? [{ id, at, text }] : [];
}
