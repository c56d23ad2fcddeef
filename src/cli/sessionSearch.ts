// Looks for words in the titles and transcripts of sessions, newest first, reading one log after the other. Stops when enough is found or nobody waits.
import type { LogStore } from '../host/ports.ts';
import { LogDamage } from '../host/ports.ts';
import type { Summary } from '../host/summary.ts';
import type { Entry } from '../model/event.ts';

export interface SearchWish {
  readonly words: readonly string[];
  readonly limit: number;
  readonly signal: AbortSignal;
}

export interface Hit {
  readonly id: string;
  readonly title: string;
  readonly modifiedAt: number;
  /** Lines that hold one of the words. */
  readonly lines: readonly string[];
}

const linesPerHit = 3;

/** A session is found where every word occurs somewhere in it. */
export async function searchSessions(store: LogStore, sessions: readonly Summary[], wish: SearchWish): Promise<readonly Hit[]> {
  const words = wish.words.map((word) => word.toLowerCase());
  const hits: Hit[] = [];
  for (const { id, title, modifiedAt } of sessions) {
    if (wish.signal.aborted || hits.length >= wish.limit) break;
    const text = await textOf(store, id, wish.signal);
    const all = `${title}\n${text}`.toLowerCase();
    if (!words.every((word) => all.includes(word))) continue;
    hits.push({ id, title, modifiedAt, lines: linesWith(text, words) });
  }
  return hits;
}

async function textOf(store: LogStore, session: string, signal: AbortSignal): Promise<string> {
  let text = '';
  let item = '';
  const add = (more: string, from: string) => {
    text += from !== '' && from === item ? more : `\n${more}`;
    item = from;
  };
  try {
    for await (const entry of store.read(session)) {
      if (signal.aborted) break;
      said(entry, add);
    }
  } catch (error) {
    // What can be read of a damaged log is searched.
    if (!(error instanceof LogDamage)) throw error;
  }
  return text;
}

/** Pieces of one item follow each other without a break. */
function said({ event }: Entry, add: (text: string, item: string) => void): void {
  if (event.kind === 'text.added' && event.channel === 'answer') add(event.text, event.item);
  else if (event.kind === 'turn.started' || event.kind === 'message.steered') add(event.message.text, '');
  else if (event.kind === 'tool.ready') add(event.title, '');
  else if (event.kind === 'notice.added') add(event.text, '');
}

function linesWith(text: string, words: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (const line of text.split('\n')) {
    const lower = line.toLowerCase();
    const word = words.find((each) => lower.includes(each));
    if (word === undefined) continue;
    const at = Math.max(0, lower.indexOf(word) - 60);
    found.push(`${at > 0 ? '…' : ''}${line.slice(at, at + 200).trim()}`);
    if (found.length === linesPerHit) break;
  }
  return found;
}
