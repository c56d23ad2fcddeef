// Merges neighbouring streamed pieces into one entry each. The folded state stays exactly the same.
import type { Entry, Event, EventOf } from './event.ts';

export function* coalesce(entries: Iterable<Entry>): Generator<Entry> {
  let held: Entry | undefined;
  for (const entry of entries) {
    const merged: Event | undefined = held && joinEvents(held.event, entry.event);
    if (held && merged) held = { ...held, seq: entry.seq, pos: entry.pos, event: merged };
    else {
      if (held) yield held;
      held = entry;
    }
  }
  if (held) yield held;
}

/** One event with the effect of two; undefined if there is none. */
export function joinEvents(a: Event, b: Event): Event | undefined {
  if (a.kind === 'text.added' && b.kind === 'text.added') return joinText(a, b);
  if (a.kind === 'tool.input' && b.kind === 'tool.input')
    return isSameCall(a, b) ? { ...a, text: a.text + b.text } : undefined;
  if (a.kind === 'tool.output' && b.kind === 'tool.output')
    return isSameCall(a, b) ? joinOutput(a, b) : undefined;
  return undefined;
}

function joinText(a: EventOf<'text.added'>, b: EventOf<'text.added'>): Event | undefined {
  const isSameItem = a.item === b.item && a.turn === b.turn && a.chat === b.chat && a.channel === b.channel;
  return isSameItem ? { ...a, ...b, text: a.text + b.text } : undefined;
}

type CallEvent = EventOf<'tool.input' | 'tool.output'>;

function isSameCall(a: CallEvent, b: CallEvent): boolean {
  return a.tool === b.tool && a.turn === b.turn && a.chat === b.chat;
}

function joinOutput(a: EventOf<'tool.output'>, b: EventOf<'tool.output'>): Event | undefined {
  if ('append' in a.output && 'append' in b.output)
    return { ...a, output: { append: a.output.append + b.output.append } };
  return 'replace' in a.output && 'replace' in b.output ? b : undefined;
}
