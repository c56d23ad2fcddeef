// Reads a session from a file, and says what of it is believed.
import * as z from 'zod';
import type { ImportedEvent } from '../../host/session/session.ts';
import { sessionFileVersion } from '../../host/session/sessionLines.ts';
import type { Event } from '../../model/event.ts';
import { reduceIfFits } from '../../model/reduce.ts';
import { emptyState } from '../../model/state.ts';
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

/** The session in a text, or what is wrong with it. */
export function readSession(text: string): ReadSession | { readonly problem: string } {
  const [first = '', ...rest] = text.split('\n').filter((each) => each.trim() !== '');
  const head = header.safeParse(parsed(first));
  if (!head.success) return { problem: 'This is no session that Parley has exported.' };
  if (head.data.version > sessionFileVersion || head.data.format > format)
    return { problem: 'It was exported by a newer Parley; update this one.' };
  if (head.data.entries !== rest.length)
    return {
      problem: `It should have ${head.data.entries} entries and has ${rest.length}; it is not complete.`,
    };
  const past: ImportedEvent[] = [];
  let state = emptyState(head.data.id);
  for (const [at, each] of rest.entries()) {
    const entry = entryOf(each, at + 1, head.data.format);
    if (!entry) return { problem: `Line ${at + 2} is no entry.` };
    if (at === 0 && !isCreation(entry.event, head.data.id))
      return { problem: 'It does not begin with the creation of its session.' };
    const next = reduceIfFits(state, { ...entry, seq: at + 1, pos: at + 1 });
    // What older versions wrote and nobody reads any more fits everywhere.
    if (!next && entry.event.kind !== 'retired')
      return { problem: `Line ${at + 2} (${entry.event.kind}) does not fit the lines before it.` };
    state = next ?? state;
    past.push(entry);
  }
  return { id: head.data.id, past };
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
