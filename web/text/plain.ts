// Text from agents and tools made fit for showing as text: nothing in it may act, hide or mislead. It makes no HTML.

/** Colours, cursor moves, titles and links of terminals. Only a terminal may act on them; elsewhere they are left out. */
const escapes =
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  /\u001B(?:\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[PX^_][^\u001B]*(?:\u001B\\)?|\[[0-?]*[ -/]*[@-~]|[ -/]*[0-~])|\u009B[0-?]*[ -/]*[@-~]/g;

// oxlint-disable-next-line no-control-regex -- as above
const otherControls = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g;

export function withoutEscapes(text: string): string {
  return overwriteLines(text.replace(escapes, '')).replace(otherControls, '');
}

/** A carriage return starts the line again, as progress bars do; the last writing of a line is what counts. */
function overwriteLines(text: string): string {
  if (!text.includes('\r')) return text;
  return text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
    .map((line) => line.slice(line.lastIndexOf('\r') + 1))
    .join('\n');
}

export interface Clipped {
  readonly text: string;
  /** How many characters were left out. */
  readonly hidden: number;
}

/** The end of a long output is where its news is. */
export function lastOf(text: string, most: number): Clipped {
  if (text.length <= most) return { text, hidden: 0 };
  const cut = text.indexOf('\n', text.length - most);
  const from = cut < 0 || cut > text.length - most / 2 ? text.length - most : cut + 1;
  return { text: text.slice(from), hidden: from };
}

export function firstOf(text: string, most: number): Clipped {
  return text.length <= most
    ? { text, hidden: 0 }
    : { text: text.slice(0, most), hidden: text.length - most };
}
