// Finds escape sequences that set a terminal's title or working directory, without changing the output.

export type TitleEvent =
  | { readonly type: 'titleChanged'; readonly title: string }
  | { readonly type: 'cwdChanged'; readonly cwd: string };

/** A longer sequence is ignored. */
const limit = 4_096;

export class TitleParser {
  /** The text since an escape character; undefined outside a sequence. */
  #sequence: string | undefined;

  /** The sequences that end in this text, with their end positions. */
  read(text: string): readonly { readonly at: number; readonly event: TitleEvent }[] {
    const found: { at: number; event: TitleEvent }[] = [];
    for (let at = 0; at < text.length;) {
      if (this.#sequence === undefined) {
        const begin = text.indexOf('\u001b', at);
        if (begin < 0) return found;
        this.#sequence = '';
        at = begin + 1;
      } else if (this.#sequence === '') {
        // Most escape sequences are colours and cursor moves.
        this.#sequence = text[at] === ']' ? ']' : undefined;
        if (this.#sequence) at += 1;
      } else {
        const stop = nextControl(text, at);
        const end = stop < 0 ? text.length : stop;
        this.#sequence =
          this.#sequence.length + end - at > limit ? undefined : this.#sequence + text.slice(at, end);
        at = end;
        if (this.#sequence === undefined || stop < 0) continue;
        // An escape character also ends it: as the first half of the terminator, or as the
        // start of another sequence.
        const ends = text[stop] === '\u0007' || text[stop] === '\u001b';
        if (text[stop] === '\u0007') at += 1;
        const event = ends ? parseSequence(this.#sequence) : undefined;
        if (event) found.push({ at, event });
        this.#sequence = undefined;
      }
    }
    return found;
  }
}

/** The position of the next control character, or -1. */
export function nextControl(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) if (text.charCodeAt(at) < 32) return at;
  return -1;
}

function parseSequence(sequence: string): TitleEvent | undefined {
  const [, kind, value = ''] = /^\](0|2|7);(.*)$/s.exec(sequence) ?? [];
  if (kind === undefined) return undefined;
  if (kind !== '7') return { type: 'titleChanged', title: value };
  const path = pathOf(value);
  return path === undefined ? undefined : { type: 'cwdChanged', cwd: path };
}

/** The path in a URI such as `file://machine/a%20b`. */
function pathOf(address: string): string | undefined {
  const path = /^(?:file|kitty-shell-cwd):\/\/[^/]*(\/.*)$/s.exec(address)?.[1];
  try {
    return path === undefined ? undefined : decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
