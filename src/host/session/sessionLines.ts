// How a session is written to a file: a line that says what it is, then one line per entry.
import { jsonText } from '../../base/jsonText.ts';
import type { Entry } from '../../model/event.ts';
import { format } from '../../model/upgrade.ts';

/** The version of the file itself; the events in it have a format of their own. */
export const sessionFileVersion = 1;

export function headerLine(session: {
  readonly id: string;
  readonly title: string;
  readonly entries: number;
}): string {
  return `${jsonText({ parley: 'session', version: sessionFileVersion, format, ...session })}\n`;
}

export function entryLine({ seq, at, by, event }: Entry): string {
  return `${jsonText({ seq, at, by, event })}\n`;
}
