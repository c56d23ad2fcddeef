// Puts a run of streamed entries into one row, and gets each of them back exactly as it was stored.
import { isRecord } from '../../../base/isRecord.ts';
import type { Json } from '../../../model/event.ts';
import type { StoredEvent } from '../../../model/upgrade.ts';

/** An entry as it is stored, without its session, origin and format. */
export interface StoredEntry<Event = Json> {
  readonly seq: number;
  readonly pos: number;
  readonly at: number;
  readonly event: Event;
}

/**
 * The content of a row for several entries. The row itself has the numbers of the last one, so that a reader
 * who continues in the middle finds it.
 */
interface Packed {
  readonly packed: 1;
  /** The numbers of the first entry. */
  readonly first: readonly [seq: number, pos: number, at: number];
  /** The events; those that differ in their text only are one, with the texts joined. */
  readonly events: readonly StoredEvent[];
  /** The length of the text of each entry; lists of numbers are texts, see writeNumbers(). */
  readonly sizes: string;
  /** Which event each entry belongs to; absent if there is only one. */
  readonly which?: string;
  /** How far position and time of each entry are from those of the entry before; absent if always 1 or 0. */
  readonly pos?: string;
  readonly at?: string;
}

/** Whether entries with this event can share a row. */
export function isPackable(event: unknown): event is StoredEvent {
  return isEvent(event) && textOf(event) !== undefined;
}

/** The entries in one value; undefined unless exactly the same entries come out of it. */
export function pack(entries: readonly StoredEntry<unknown>[]): string | undefined {
  const [first] = entries;
  if (!first || entries.length < 2) return undefined;
  const events = new Map<string, { readonly at: number; readonly event: StoredEvent; text: string }>();
  const which: number[] = [];
  const sizes: number[] = [];
  for (const { event } of entries) {
    const text = isEvent(event) ? textOf(event) : undefined;
    if (text === undefined || !isEvent(event)) return undefined;
    const key = JSON.stringify(withText(event, ''));
    const known = events.get(key) ?? { at: events.size, event, text: '' };
    known.text += text;
    events.set(key, known);
    which.push(known.at);
    sizes.push(text.length);
  }
  const pos = distances(entries.map((entry) => entry.pos));
  const at = distances(entries.map((entry) => entry.at));
  const packed: Packed = {
    packed: 1,
    first: [first.seq, first.pos, first.at],
    events: [...events.values()].map(({ event, text }) => withText(event, text)),
    sizes: writeNumbers(sizes),
    ...(events.size > 1 ? { which: writeNumbers(which) } : {}),
    ...(pos.every((distance) => distance === 1) ? {} : { pos: writeNumbers(pos) }),
    ...(at.every((distance) => distance === 0) ? {} : { at: writeNumbers(at) }),
  };
  return JSON.stringify(unpack(packed)) === JSON.stringify(entries) ? JSON.stringify(packed) : undefined;
}

export function isPacked(value: unknown): value is Packed {
  return isRecord(value) && value['packed'] === 1 && typeof value['sizes'] === 'string';
}

/** The entries of a row whose checksum is right. */
export function unpack({ first, events, sizes, ...lists }: Packed): readonly StoredEntry[] {
  const [which, pos, at] = [lists.which, lists.pos, lists.at].map((list) => list && readNumbers(list));
  let [seq, nextPos, nextAt] = first;
  const used = events.map(() => 0);
  return readNumbers(sizes).map((size, index) => {
    if (index > 0) {
      seq += 1;
      nextPos += Number(pos?.[index - 1] ?? 1);
      nextAt += Number(at?.[index - 1] ?? 0);
    }
    const from = Number(which?.[index] ?? 0);
    const start = used[from] ?? 0;
    used[from] = start + size;
    const event = events[from] ?? {};
    const text = (textOf(event) ?? '').slice(start, start + size);
    return { seq, pos: nextPos, at: nextAt, event: withText(event, text) };
  });
}

/** The entries of a row as coalesce() would merge them; `last` are the numbers of the row. */
export function unpackMerged(packed: Packed, last: Pick<StoredEntry, 'seq' | 'pos'>): readonly StoredEntry[] {
  const [event, ...others] = packed.events;
  if (!event || others.length > 0) return unpack(packed);
  return [{ seq: last.seq, pos: last.pos, at: packed.first[2], event }];
}

/** The part of an event that grows while it streams; undefined for other events. */
function textOf(event: StoredEvent): string | undefined {
  const { kind, text, output } = event;
  if ((kind === 'text.added' || kind === 'tool.input') && typeof text === 'string') return text;
  if (kind !== 'tool.output' || !isRecord(output)) return undefined;
  const { append } = output;
  return typeof append === 'string' ? append : undefined;
}

/** The properties keep their order. */
function withText(event: StoredEvent, text: string): StoredEvent {
  if (event['kind'] !== 'tool.output') return { ...event, text };
  const { output } = event;
  return { ...event, output: isEvent(output) ? { ...output, append: text } : { append: text } };
}

function isEvent(value: unknown): value is StoredEvent {
  return isRecord(value);
}

/** A small number is one character that JSON does not escape; others are written between two signs. */
function writeNumbers(numbers: readonly number[]): string {
  return numbers.map((value) => digits[value] ?? `!${value}!`).join('');
}

function readNumbers(text: string): readonly number[] {
  return Array.from(text.matchAll(/!(-?\d+)!|./g), ([sign, long]) =>
    long === undefined ? digits.indexOf(sign) : Number(long),
  );
}

const digits = Array.from({ length: 92 }, (_, at) => String.fromCharCode(35 + at)).filter(
  (sign) => sign !== '\\',
);

function distances(values: readonly number[]): readonly number[] {
  return values.slice(1).map((value, index) => value - (values[index] ?? 0));
}
