// Prepares untrusted text for display as text: removes control sequences and shortens it. Produces no HTML.

/** Terminal control sequences: colours, cursor moves, titles and links. */
const escapes =
  // oxlint-disable-next-line no-control-regex -- matches control characters on purpose
  /\u001B(?:\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[PX^_][^\u001B]*(?:\u001B\\)?|\[[0-?]*[ -/]*[@-~]|[ -/]*[0-~])|\u009B[0-?]*[ -/]*[@-~]/g;

// oxlint-disable-next-line no-control-regex -- as above
const otherControls = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g;

export function stripEscapes(text: string): string {
  return overwriteLines(text.replace(escapes, '')).replace(otherControls, '');
}

/** A carriage return overwrites the line, as progress bars do: only the last version is kept. */
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
  /** The number of characters left out. */
  readonly hidden: number;
}

/** The last `max` characters, from the start of a line where possible. */
export function keepEnd(text: string, max: number): Clipped {
  if (text.length <= max) return { text, hidden: 0 };
  const cut = text.indexOf('\n', text.length - max);
  const from = cut < 0 || cut > text.length - max / 2 ? text.length - max : cut + 1;
  return { text: text.slice(from), hidden: from };
}

export function keepStart(text: string, max: number): Clipped {
  return text.length <= max ? { text, hidden: 0 } : { text: text.slice(0, max), hidden: text.length - max };
}
