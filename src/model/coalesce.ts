// Merges neighbouring streamed pieces into one entry each; the folded state stays exactly the same.
import type { Entry, Event } from './event.ts';

export function* coalesce(entries: Iterable<Entry>): Generator<Entry> {
  let held: Entry | undefined;
  for (const entry of entries) {
    const merged: Event | undefined = held && join(held.event, entry.event);
    if (held && merged) held = { ...held, seq: entry.seq, pos: entry.pos, event: merged };
    else {
      if (held) yield held;
      held = entry;
    }
  }
  if (held) yield held;
}

function join(a: Event, b: Event): Event | undefined {
  if (a.kind === 'text.added' && b.kind === 'text.added') {
    return a.item === b.item && a.turn === b.turn && a.chat === b.chat && a.channel === b.channel
      ? { ...a, ...b, text: a.text + b.text }
      : undefined;
  }
  if (a.kind === 'tool.input' && b.kind === 'tool.input') {
    return a.tool === b.tool && a.turn === b.turn && a.chat === b.chat
      ? { ...a, text: a.text + b.text }
      : undefined;
  }
  if (
    a.kind === 'tool.output' &&
    b.kind === 'tool.output' &&
    a.tool === b.tool &&
    a.turn === b.turn &&
    a.chat === b.chat
  ) {
    if ('append' in a.output && 'append' in b.output)
      return { ...a, output: { append: a.output.append + b.output.append } };
    if ('replace' in a.output && 'replace' in b.output) return b;
  }
  return undefined;
}
