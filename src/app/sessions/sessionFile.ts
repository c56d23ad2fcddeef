// Reads a session from a file, and says what of it is believed.
import * as z from 'zod';
import type { ImportedEvent } from '../../host/session/session.ts';
import { sessionFileVersion } from '../../host/session/sessionLines.ts';
import type { Event } from '../../model/event.ts';
import { joinEvents } from '../../model/coalesce.ts';
import { reduceIfFits } from '../../model/reduce.ts';
import { emptyState } from '../../model/state.ts';
import type { State } from '../../model/state.ts';
import { format, upgrade } from '../../model/upgrade.ts';
import { pastEvent, pastOrigin } from './sessionSchema.ts';

const header = z.object({
  parley: z.literal('session'),
  version: z.number(),
  format: z.number(),
  id: z.string().min(1),
  title: z.string(),
  entries: z.int().min(1),
});
const line = z.object({
  seq: z.int(),
  at: z.number(),
  by: pastOrigin,
  event: z.record(z.string(), z.json()),
});

export interface ReadSession {
  readonly id: string;
  readonly past: readonly ImportedEvent[];
}

/**
 * The session in the lines of a file, or what is wrong with it. Lines are read one by one, and pieces of one
 * text come as few events: the memory that it takes depends on the texts and not on the number of pieces.
 */
export async function readSession(
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<ReadSession | { readonly problem: string }> {
  let reader: EntryLines | undefined;
  let problem: string | undefined;
  let count = 0;
  for await (const each of lines) {
    if (each.trim() === '') continue;
    if (!reader) {
      const head = header.safeParse(parsed(each));
      if (!head.success) return { problem: notOurs };
      if (head.data.version > sessionFileVersion || head.data.format > format)
        return { problem: 'It was exported by a newer Parley; update this one.' };
      reader = new EntryLines(head.data);
      continue;
    }
    count += 1;
    // Counts the lines to the end, in order to report a truncated file as truncated.
    problem ??= reader.take(each, count);
  }
  if (!reader) return { problem: notOurs };
  const { entries, id } = reader.head;
  if (entries !== count)
    return { problem: `It should have ${entries} entries and has ${count}; it is not complete.` };
  return problem === undefined ? { id, past: reader.past } : { problem };
}

const notOurs = 'This is not a session that Parley has exported.';

/** Pieces are joined up to this many characters. */
const longPiece = 16_384;

class EntryLines {
  readonly head: z.infer<typeof header>;
  readonly past: ImportedEvent[] = [];
  #state: State;

  constructor(head: z.infer<typeof header>) {
    this.head = head;
    this.#state = emptyState(head.id);
  }

  /** Reads the line of an entry; returns what is wrong with it. */
  take(text: string, seq: number): string | undefined {
    const entry = entryOf(text, seq, this.head.format);
    if (!entry) return `Line ${seq + 1} is not a valid entry.`;
    if (seq === 1 && !isCreation(entry.event, this.head.id))
      return 'It does not begin with the creation of its session.';
    const next = reduceIfFits(this.#state, { ...entry, seq, pos: seq });
    // What older versions wrote and nobody reads any more fits everywhere.
    if (!next && entry.event.kind !== 'retired')
      return `Line ${seq + 1} (${entry.event.kind}) does not fit the lines before it.`;
    this.#state = next ?? this.#state;
    this.#keep(entry);
    return undefined;
  }

  #keep(entry: ImportedEvent): void {
    const last = this.past.at(-1);
    const isAlike = last !== undefined && JSON.stringify(last.by) === JSON.stringify(entry.by);
    const joined =
      isAlike && sizeOf(last.event) < longPiece ? joinEvents(last.event, entry.event) : undefined;
    if (last && joined) this.past[this.past.length - 1] = { ...last, event: joined };
    else this.past.push(isAlike ? { ...entry, by: last.by } : entry);
  }
}

function sizeOf(event: Event): number {
  if (event.kind === 'text.added' || event.kind === 'tool.input') return event.text.length;
  return event.kind === 'tool.output' && 'append' in event.output ? event.output.append.length : 0;
}

function isCreation(event: Event, id: string): boolean {
  return event.kind === 'session.created' && event.session === id;
}

function entryOf(text: string, seq: number, from: number): ImportedEvent | undefined {
  try {
    const read = line.safeParse(parsed(text));
    if (!read.success || read.data.seq !== seq) return undefined;
    const event = pastEvent.safeParse(upgrade(read.data.event, from));
    if (!event.success) return undefined;
    // The schema says the same, but for what may be absent.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return { at: read.data.at, by: read.data.by as ImportedEvent['by'], event: event.data as Event };
  } catch {
    // Something nested so deep that nobody can read it.
    return undefined;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
