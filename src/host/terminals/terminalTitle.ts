// Hears what programs tell their terminal about its title and its place, without taking anything out of the output.

export type Saying =
  | { readonly type: 'titleChanged'; readonly title: string }
  | { readonly type: 'cwdChanged'; readonly cwd: string };

/** A longer one is not listened to. */
const limit = 4_096;

export class Sayings {
  /** What was said since an escape character; undefined while nobody says anything. */
  #said: string | undefined;

  /** What the text completes, and how far into the text that was. */
  read(text: string): readonly { readonly at: number; readonly saying: Saying }[] {
    const found: { at: number; saying: Saying }[] = [];
    for (let at = 0; at < text.length;) {
      if (this.#said === undefined) {
        const begin = text.indexOf('\u001b', at);
        if (begin < 0) return found;
        this.#said = '';
        at = begin + 1;
      } else if (this.#said === '') {
        // Most of what begins with an escape character is colour and movement.
        this.#said = text[at] === ']' ? ']' : undefined;
        if (this.#said) at += 1;
      } else {
        const stop = nextControl(text, at);
        const end = stop < 0 ? text.length : stop;
        this.#said = this.#said.length + end - at > limit ? undefined : this.#said + text.slice(at, end);
        at = end;
        if (this.#said === undefined || stop < 0) continue;
        // The escape character ends it as well; it is the first half of that end, or begins something new.
        const ends = text[stop] === '\u0007' || text[stop] === '\u001b';
        if (text[stop] === '\u0007') at += 1;
        const saying = ends ? understood(this.#said) : undefined;
        if (saying) found.push({ at, saying });
        this.#said = undefined;
      }
    }
    return found;
  }
}

/** Where the next control character is, or -1. */
export function nextControl(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) if (text.charCodeAt(at) < 32) return at;
  return -1;
}

function understood(said: string): Saying | undefined {
  const [, kind, value = ''] = /^\](0|2|7);(.*)$/s.exec(said) ?? [];
  if (kind === undefined) return undefined;
  if (kind !== '7') return { type: 'titleChanged', title: value };
  const path = pathOf(value);
  return path === undefined ? undefined : { type: 'cwdChanged', cwd: path };
}

/** The path in an address such as `file://machine/a%20b`. */
function pathOf(address: string): string | undefined {
  const path = /^(?:file|kitty-shell-cwd):\/\/[^/]*(\/.*)$/s.exec(address)?.[1];
  try {
    return path === undefined ? undefined : decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
