// The entries that the writers of `storeProgram.ts` store: their text says who and which they are.
import type { Entry, Event, SessionId } from '../../src/model/event.ts';

export function eventOf(session: SessionId, seq: number): Event {
  if (seq === 1) return { kind: 'session.created', session, agent: 'script', roots: [] };
  return {
    kind: 'text.added',
    chat: session,
    turn: 't',
    item: 'i',
    channel: 'answer',
    text: textOf(session, seq),
  };
}

export function isExpected(session: string, { seq, event }: Entry): boolean {
  return seq === 1
    ? event.kind === 'session.created'
    : event.kind === 'text.added' && event.text === textOf(session, seq);
}

function textOf(session: string, seq: number): string {
  return `${session}:${seq} ${'x'.repeat(seq % 300)}`;
}
