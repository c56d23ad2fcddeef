// What the AHP door keeps in the logs as its private facts: drafts, half-filled answers, active clients, and echoes without an event.
import type { Command } from '../../model/command.ts';
import type { AskId, ChatId, EventOf, Json, ToolId, TurnId } from '../../model/event.ts';
import type { State } from '../../model/state.ts';
import type { StateAction } from '../../protocols/ahp/v1_0/actions.ts';
import type { ChatInputAnswer, Message } from '../../protocols/ahp/v1_0/message.ts';
import type { SessionActiveClient } from '../../protocols/ahp/v1_0/state.ts';
import type { ToolCallResult } from '../../protocols/ahp/v1_0/toolCall.ts';
import { json } from './outbound/wireJson.ts';

export const doorName = 'ahp';

/** Facts about one session, in the words of the newest dialect. */
export type SessionNote =
  | { readonly note: 'draft'; readonly chat: ChatId; readonly draft: Message | null }
  | {
      readonly note: 'answer';
      readonly chat: ChatId;
      readonly ask: AskId;
      readonly question: string;
      readonly answer: ChatInputAnswer | null;
    }
  /** `since` keeps the order in which clients came. */
  | {
      readonly note: 'client';
      readonly client: string;
      readonly since: number;
      readonly active: SessionActiveClient | null;
    }
  /** What a client says its tool came to, which somebody has to confirm first. */
  | {
      readonly note: 'result';
      readonly chat: ChatId;
      readonly turn: TurnId;
      readonly tool: ToolId;
      readonly result: ToolCallResult;
    }
  /** A file of a set of changes, by its id, that somebody has looked at; `of` is the turn, or nothing for all of the session. */
  | { readonly note: 'reviewed'; readonly of: string; readonly file: string; readonly reviewed: boolean }
  /** Edits that were taken back, by the places where they are recorded. */
  | { readonly note: 'undone'; readonly id: string; readonly edits: readonly string[] }
  /** Gives an accepted action back to its sender where the events it became look different. */
  | { readonly note: 'echo'; readonly place: ChatId; readonly action: StateAction };

/** Facts about the host, kept in its own log. */
export type HostNote =
  | { readonly note: 'config'; readonly values: Readonly<Record<string, unknown>> }
  | { readonly note: 'clients'; readonly known: readonly KnownClient[] };

export interface KnownClient {
  readonly id: string;
  /** Whose credential it came with; nobody else may go on as this client. */
  readonly principal: string;
  readonly version: string;
  readonly name?: string;
}

export function takeNote(note: SessionNote | HostNote): Command {
  return { kind: 'note', door: doorName, key: keyOf(note), value: json(note) };
}

export function readNote(event: EventOf<'note'>): SessionNote | HostNote | undefined {
  return event.door === doorName ? noteIn(event.value) : undefined;
}

export function draftOf(state: State, chat: ChatId): Message | undefined {
  return look<'draft'>(state, { note: 'draft', chat, draft: null })?.draft ?? undefined;
}

export function answerDraft(
  state: State,
  place: { readonly chat: ChatId; readonly ask: AskId; readonly question: string },
): ChatInputAnswer | undefined {
  return look<'answer'>(state, { note: 'answer', ...place, answer: null })?.answer ?? undefined;
}

/** The result of a call that waits to be confirmed, or once did. */
export function heldResult(
  state: State,
  place: { readonly chat: ChatId; readonly turn: TurnId; readonly tool: ToolId },
): ToolCallResult | undefined {
  return look<'result'>(state, { note: 'result', ...place, result: { success: false, pastTenseMessage: '' } })
    ?.result;
}

/** What was said last about a file; nothing where nobody has said anything. */
export function isReviewed(state: State, of: string, file: string): boolean | undefined {
  return look<'reviewed'>(state, { note: 'reviewed', of, file, reviewed: false })?.reviewed;
}

/** Whether a result ever waited to be confirmed here. */
export function everHeld({ notes }: State): boolean {
  return Object.keys(notes).some((key) => key.startsWith(`${doorName}:result:`));
}

export function activeClients(state: State): readonly NoteOf<'client'>[] {
  const notes = Object.entries(state.notes)
    .filter(([key]) => key.startsWith(`${doorName}:client:`))
    .map(([, value]) => noteIn(value));
  return notes
    .filter((note) => isNote(note, 'client'))
    .filter(({ active }) => active !== null)
    .toSorted((a, b) => a.since - b.since);
}

export function hostConfig(own: State): Readonly<Record<string, unknown>> {
  return look<'config'>(own, { note: 'config', values: {} })?.values ?? {};
}

export function knownClients(own: State): readonly KnownClient[] {
  return look<'clients'>(own, { note: 'clients', known: [] })?.known ?? [];
}

function keyOf(note: SessionNote | HostNote): string {
  switch (note.note) {
    case 'draft':
      return `draft:${note.chat}`;
    case 'answer':
      return `answer:${JSON.stringify([note.chat, note.ask, note.question])}`;
    case 'client':
      return `client:${note.client}`;
    case 'reviewed':
      return `reviewed:${JSON.stringify([note.of, note.file])}`;
    case 'undone':
      return `undone:${note.id}`;
    case 'result':
      return `result:${JSON.stringify([note.chat, note.turn, note.tool])}`;
    case 'echo':
    case 'config':
    case 'clients':
      return note.note;
    default:
      return note satisfies never;
  }
}

type AnyNote = SessionNote | HostNote;

type NoteOf<K extends AnyNote['note']> = Extract<AnyNote, { readonly note: K }>;

/** The stored note with the same key as the one given. */
function look<K extends AnyNote['note']>(state: State, like: NoteOf<K>): NoteOf<K> | undefined {
  const key = `${doorName}:${keyOf(like)}`;
  const found = Object.hasOwn(state.notes, key) ? state.notes[key] : undefined;
  const note = found === undefined ? undefined : noteIn(found);
  return note && isNote(note, like.note) ? note : undefined;
}

function isNote<K extends AnyNote['note']>(note: AnyNote, kind: K): note is NoteOf<K> {
  return note.note === kind;
}

function noteIn(value: Json): AnyNote {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- under the name of this door nobody else writes
  return value as unknown as AnyNote;
}
