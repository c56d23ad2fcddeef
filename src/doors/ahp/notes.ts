// The private facts of the AHP door in the logs. Each has a shape of our own, which is checked when it is
// read: the log does not move with AHP.
import * as z from 'zod';
import type { Command } from '../../model/command.ts';
import type { AskId, ChatId, EventOf, Json } from '../../model/event.ts';
import { notesOf } from '../../model/state.ts';
import type { State } from '../../model/state.ts';
import { present } from '../../base/present.ts';
import type { ChatInputAnswer } from '../../protocols/ahp/v1_0/message.ts';
import { json } from './outbound/wireJson.ts';

export const doorName = 'ahp';

const owner = 'doors/ahp';

/** What was read from JSON is JSON. */
const anyJson = z.unknown().transform(json);

const free = z.array(z.string());
const state = z.enum(['draft', 'final']);

/** A draft answer: a value, the selected options, or that the question is skipped. */
const storedAnswer = z.union([
  z.object({ state: z.literal('skipped'), free }),
  z.object({ state, chosen: z.array(z.string()), many: z.boolean(), free }),
  z.object({ state, value: z.union([z.string(), z.number(), z.boolean()]) }),
]);

const knownClient = z.object({
  id: z.string(),
  /** The principal whose credential was used; only that principal may continue as this client. */
  principal: z.string(),
  version: z.string(),
  name: z.string().optional(),
});

const shapes = z.discriminatedUnion('note', [
  z.object({
    note: z.literal('answer'),
    chat: z.string(),
    ask: z.string(),
    question: z.string(),
    answer: storedAnswer.nullable(),
  }),
  /**
   * A file of a changeset, by id, that a user has reviewed; `of` is the turn, or empty for the whole session.
   */
  z.object({ note: z.literal('reviewed'), of: z.string(), file: z.string(), reviewed: z.boolean() }),
  /** Echoes an accepted action to its sender if its events look different. */
  z.object({ note: z.literal('titled'), chat: z.string(), title: z.string() }),
  z.object({ note: z.literal('truncated'), chat: z.string(), after: z.string().optional() }),
  /** The next three are about the host and in its own log. */
  z.object({ note: z.literal('config'), values: z.record(z.string(), anyJson) }),
  z.object({ note: z.literal('known'), client: knownClient }),
  /** Format 1 stored all known clients in one note. */
  z.object({ note: z.literal('clients'), known: z.array(knownClient) }),
]);

export type AhpNote = z.output<typeof shapes>;
export type KnownClient = z.output<typeof knownClient>;
type StoredAnswer = z.output<typeof storedAnswer>;
type NoteOf<K extends AhpNote['note']> = Extract<AhpNote, { readonly note: K }>;

export function takeNote(note: AhpNote): Command {
  return { kind: 'record', fact: { kind: 'note', owner, key: keyOf(note), value: json(note) } };
}

/** Forgets the note with the same key. */
export function dropNote(note: AhpNote): Command {
  return { kind: 'record', fact: { kind: 'note', owner, key: keyOf(note), value: null } };
}

export function readNote(event: EventOf<'note'>): AhpNote | undefined {
  return event.owner === owner ? noteIn(event.value) : undefined;
}

export interface QuestionPlace {
  readonly chat: ChatId;
  readonly ask: AskId;
  readonly question: string;
}

export function answerNote(place: QuestionPlace, answer: ChatInputAnswer | undefined): AhpNote {
  return { note: 'answer', ...place, answer: answer ? toStored(answer) : null };
}

export function answerIn({ answer }: NoteOf<'answer'>): ChatInputAnswer | undefined {
  return answer ? fromStored(answer) : undefined;
}

export function answerDraft(of: State, place: QuestionPlace): ChatInputAnswer | undefined {
  const note = look(of, { note: 'answer', ...place, answer: null });
  return note?.note === 'answer' ? answerIn(note) : undefined;
}

/** The latest review state of a file; undefined if there is none. */
export function isReviewed(of: State, turn: string, file: string): boolean | undefined {
  const note = look(of, { note: 'reviewed', of: turn, file, reviewed: false });
  return note?.note === 'reviewed' ? note.reviewed : undefined;
}

export function hostConfig(own: State): Readonly<Record<string, Json>> {
  const note = look(own, { note: 'config', values: {} });
  return note?.note === 'config' ? note.values : {};
}

/** The clients that the host's log knows, the oldest first. */
export function knownClients(own: State): readonly KnownClient[] {
  const notes = Object.values(notesOf(own, owner)).flatMap((value) => noteIn(value) ?? []);
  const each = notes.flatMap((note) => (note.note === 'known' ? [note.client] : []));
  const old = notes.flatMap((note) => (note.note === 'clients' ? note.known : []));
  return [...old.filter(({ id }) => !each.some((client) => client.id === id)), ...each];
}

/** Whether the list of format 1 is still there. */
export function hasOldClients(own: State): boolean {
  return look(own, noOldClients) !== undefined;
}

export const noOldClients: AhpNote = { note: 'clients', known: [] };

function keyOf(note: AhpNote): string {
  switch (note.note) {
    case 'answer':
      return `answer:${JSON.stringify([note.chat, note.ask, note.question])}`;
    case 'reviewed':
      return `reviewed:${JSON.stringify([note.of, note.file])}`;
    case 'known':
      return `known:${note.client.id}`;
    case 'titled':
    case 'truncated':
      return 'echo';
    case 'config':
    case 'clients':
      return note.note;
    default:
      return note satisfies never;
  }
}

/** The stored note with the same key as the one given. */
function look(of: State, like: AhpNote): AhpNote | undefined {
  const key = keyOf(like);
  const notes = notesOf(of, owner);
  const found = Object.hasOwn(notes, key) ? notes[key] : undefined;
  return found === undefined ? undefined : noteIn(found);
}

function noteIn(value: Json): AhpNote | undefined {
  const read = shapes.safeParse(value);
  return read.success ? read.data : undefined;
}

function toStored(answer: ChatInputAnswer): StoredAnswer {
  if (answer.state === 'skipped') return { state: 'skipped', free: [...(answer.freeformValues ?? [])] };
  const filled = answer.state === 'draft' ? 'draft' : 'final';
  const { value } = answer;
  if (value.kind !== 'selected' && value.kind !== 'selected-many')
    return { state: filled, value: value.value };
  const chosen = value.kind === 'selected' ? [value.value] : [...value.value];
  return {
    state: filled,
    chosen,
    many: value.kind === 'selected-many',
    free: [...(value.freeformValues ?? [])],
  };
}

function fromStored(stored: StoredAnswer): ChatInputAnswer {
  if (stored.state === 'skipped')
    return present({ state: 'skipped' as const, freeformValues: some(stored.free) });
  const filled = stored.state === 'draft' ? 'draft' : 'submitted';
  if ('value' in stored) return { state: filled, value: valueOf(stored.value) };
  const freeformValues = some(stored.free);
  return {
    state: filled,
    value: stored.many
      ? present({ kind: 'selected-many' as const, value: stored.chosen, freeformValues })
      : present({ kind: 'selected' as const, value: stored.chosen[0] ?? '', freeformValues }),
  };
}

function valueOf(
  value: string | number | boolean,
): Extract<ChatInputAnswer, { readonly state: 'draft' | 'submitted' }>['value'] {
  if (typeof value === 'number') return { kind: 'number', value };
  return typeof value === 'boolean' ? { kind: 'boolean', value } : { kind: 'text', value };
}

function some(list: readonly string[]): readonly string[] | undefined {
  return list.length > 0 ? list : undefined;
}
