// Parses a regular expression that is valid with the flags `su`; the syntax is not checked again.

export type Assertion = 'start' | 'end' | 'edge' | 'inside';

export type ExpressionPart =
  | { readonly kind: 'one'; readonly fits: (letter: string) => boolean }
  | { readonly kind: 'row'; readonly parts: readonly ExpressionPart[] }
  | { readonly kind: 'choice'; readonly choices: readonly ExpressionPart[] }
  | { readonly kind: 'repeat'; readonly body: ExpressionPart; readonly least: number; readonly most: number }
  | { readonly kind: 'at'; readonly assertion: Assertion }
  | {
      readonly kind: 'look';
      readonly body: ExpressionPart;
      readonly behind: boolean;
      readonly wanted: boolean;
    };

/** Undefined for backreferences and other parts that need backtracking. */
export function parseExpression(expression: string): ExpressionPart | undefined {
  try {
    return new Parser(expression).choice();
  } catch (error) {
    if (error instanceof UnknownPart || error instanceof RangeError) return undefined;
    throw error;
  }
}

class UnknownPart extends Error {}

/** How groups begin; a capturing group is parsed like any other. */
const openings: readonly (readonly [
  RegExp,
  { readonly behind: boolean; readonly wanted: boolean } | undefined,
])[] = [
  [/\(\?=/y, { behind: false, wanted: true }],
  [/\(\?!/y, { behind: false, wanted: false }],
  [/\(\?<=/y, { behind: true, wanted: true }],
  [/\(\?<!/y, { behind: true, wanted: false }],
  [/\((?:\?:|\?<[^>]*>|(?!\?))/y, undefined],
];

/** One character: a class, a code point escape or property, or any other character, escaped or not. */
const single =
  /\[(?:[^\]\\]|\\.)*\]|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u\{[\da-fA-F]+\}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\c[A-Za-z]|\\[pP]\{[^}]*\}|\\[^]|[^]/uy;

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  choice(): ExpressionPart {
    const choices = [this.#row()];
    while (this.#take(/\|/y) !== undefined) choices.push(this.#row());
    const [only] = choices;
    return choices.length === 1 && only ? only : { kind: 'choice', choices };
  }

  #row(): ExpressionPart {
    const parts: ExpressionPart[] = [];
    while (this.#at < this.#text.length && !/[|)]/.test(this.#text.charAt(this.#at)))
      parts.push(this.#repeated(this.#atom()));
    return { kind: 'row', parts };
  }

  #repeated(body: ExpressionPart): ExpressionPart {
    const sign = this.#take(/(?:[*+?]|\{\d+(?:,\d*)?\})\??/y);
    if (sign === undefined) return body;
    const [, least = '', comma, most = ''] = /^\{(\d+)(,)?(\d*)\}/.exec(sign) ?? [];
    if (least !== '') return { kind: 'repeat', body, least: Number(least), most: mostOf(least, comma, most) };
    return {
      kind: 'repeat',
      body,
      least: sign.startsWith('+') ? 1 : 0,
      most: sign.startsWith('?') ? 1 : Number.POSITIVE_INFINITY,
    };
  }

  #atom(): ExpressionPart {
    const assertion = this.#assertion();
    if (assertion) return { kind: 'at', assertion };
    if (this.#text.charAt(this.#at) !== '(') return { kind: 'one', fits: fitting(this.#single()) };
    const look = openings.find(([opening]) => this.#take(opening) !== undefined);
    if (!look) throw new UnknownPart();
    const body = this.choice();
    this.#at += 1;
    return look[1] ? { kind: 'look', body, ...look[1] } : body;
  }

  #assertion(): Assertion | undefined {
    const sign = this.#take(/\^|\$|\\[bB]/y);
    if (sign === undefined) return undefined;
    if (sign === '^' || sign === '$') return sign === '^' ? 'start' : 'end';
    return sign === '\\b' ? 'edge' : 'inside';
  }

  #single(): string {
    const letter = this.#take(single);
    // Backreferences.
    if (letter === undefined || /^\\[1-9k]/.test(letter)) throw new UnknownPart();
    return letter;
  }

  #take(what: RegExp): string | undefined {
    what.lastIndex = this.#at;
    const found = what.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }
}

function mostOf(least: string, comma: string | undefined, most: string): number {
  if (comma === undefined) return Number(least);
  return most === '' ? Number.POSITIVE_INFINITY : Number(most);
}

/** For a single character the built-in engine cannot backtrack. */
function fitting(source: string): (letter: string) => boolean {
  if (source === '.') return () => true;
  if (!/^[[\\]/.test(source)) return (letter) => letter === source;
  const expression = new RegExp(`^${source}$`, 'su');
  return (letter) => expression.test(letter);
}
