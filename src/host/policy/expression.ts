// Evaluates regular expressions in bounded time. Rules may come from untrusted folders, and a backtracking
// engine can hang on a short text. This one simulates an automaton: its time is the product of both
// lengths, with a limit.
import { parseExpression } from './expressionSyntax.ts';
import type { Assertion, ExpressionPart } from './expressionSyntax.ts';

/** `invalid`: not a regular expression. `too-hard`: cannot be evaluated, or not on this text. */
export type MatchResult = boolean | 'invalid' | 'too-hard';

/**
 * Whether an expression matches any part of a text, as `new RegExp(expression, 'su').test(text)` would say.
 */
export function tryExpression(expression: string, text: string): MatchResult {
  const program = compile(expression);
  if (typeof program === 'string') return program;
  if (text.length > longestText) return 'too-hard';
  return new Run(program, Array.from(text)).test();
}

/** The same for the whole text. */
export function tryWhole(expression: string, text: string): MatchResult {
  if (expression.length > longestExpression) return 'too-hard';
  // It must be valid without the group around it, or its brackets could close the group.
  return isValid(expression) ? tryExpression(`^(?:${expression})$`, text) : 'invalid';
}

/** Whether an expression is never evaluated: too long, too large, or with a backreference. */
export function isTooHard(expression: string): boolean {
  return compile(expression) === 'too-hard';
}

const longestExpression = 2_000;
const longestText = 20_000;
const mostStates = 4_000;

/** Enough for usual expressions on the longest text; takes about ten milliseconds. */
const mostSteps = 400_000;

function isValid(expression: string): boolean {
  try {
    return new RegExp(expression, 'su') instanceof RegExp;
  } catch {
    return false;
  }
}

interface One {
  readonly kind: 'one';
  readonly fits: (letter: string) => boolean;
  readonly next: number;
}

type State =
  | One
  | { readonly kind: 'either'; first: number; second: number }
  | { readonly kind: 'at'; readonly assertion: Assertion; readonly next: number }
  | { readonly kind: 'look'; readonly look: number; readonly wanted: boolean; readonly next: number }
  | { readonly kind: 'end' };

interface Program {
  readonly states: readonly State[];
  readonly start: number;
  /** Lookarounds; inner ones come first. */
  readonly looks: readonly { readonly start: number; readonly forward: boolean }[];
}

function compile(expression: string): Program | 'invalid' | 'too-hard' {
  // `tryWhole` adds six characters.
  if (expression.length > longestExpression + 6) return 'too-hard';
  if (!isValid(expression)) return 'invalid';
  const whole = parseExpression(expression);
  if (!whole) return 'too-hard';
  const compiler = new Compiler();
  const start = compiler.whole(whole);
  return start === undefined ? 'too-hard' : { states: compiler.states, start, looks: compiler.looks };
}

/** Builds states from the last part to the first, so that each can refer to the next. */
class Compiler {
  readonly states: State[] = [{ kind: 'end' }];
  readonly looks: { readonly start: number; readonly forward: boolean }[] = [];
  readonly #known = new Map<ExpressionPart, number>();

  /** The first state; undefined if the expression is too large. */
  whole(part: ExpressionPart): number | undefined {
    const start = this.#part(part, 0, true);
    return this.states.length > mostStates ? undefined : start;
  }

  #part(part: ExpressionPart, next: number, forward: boolean): number {
    if (this.states.length > mostStates) return next;
    switch (part.kind) {
      case 'one':
        return this.#add({ kind: 'one', fits: part.fits, next });
      case 'at':
        return this.#add({ kind: 'at', assertion: part.assertion, next });
      case 'look':
        return this.#add({ kind: 'look', look: this.#look(part), wanted: part.wanted, next });
      case 'row':
        return (forward ? part.parts.toReversed() : part.parts).reduce(
          (after, each) => this.#part(each, after, forward),
          next,
        );
      case 'choice':
        return part.choices
          .map((each) => this.#part(each, next, forward))
          .reduceRight((second, first) => this.#add({ kind: 'either', first, second }));
      case 'repeat':
        return this.#repeat(part, next, forward);
      default:
        return part satisfies never;
    }
  }

  #repeat(
    { body, least, most }: Extract<ExpressionPart, { kind: 'repeat' }>,
    next: number,
    forward: boolean,
  ): number {
    let start = next;
    if (most === Number.POSITIVE_INFINITY) {
      const loop: State = { kind: 'either', first: next, second: next };
      start = this.#add(loop);
      loop.first = this.#part(body, start, forward);
    } else {
      for (let count = least; count < most && this.states.length <= mostStates; count += 1) {
        start = this.#add({ kind: 'either', first: this.#part(body, start, forward), second: next });
      }
    }
    for (let count = 0; count < least && this.states.length <= mostStates; count += 1)
      start = this.#part(body, start, forward);
    return start;
  }

  /** A lookahead runs backwards from the end of the text, so that one pass answers it for every position. */
  #look(part: Extract<ExpressionPart, { kind: 'look' }>): number {
    const known = this.#known.get(part);
    if (known !== undefined) return known;
    const start = this.#part(part.body, 0, part.behind);
    this.looks.push({ start, forward: part.behind });
    this.#known.set(part, this.looks.length - 1);
    return this.looks.length - 1;
  }

  #add(state: State): number {
    this.states.push(state);
    return this.states.length - 1;
  }
}

interface Step {
  readonly place: number;
  /** How many characters were consumed; marks the visited states. */
  readonly index: number;
  readonly visited: Int32Array;
}

/** Evaluates one expression on one text. */
class Run {
  readonly #program: Program;
  readonly #letters: readonly string[];
  /** The positions where each lookaround matches. */
  readonly #seen: Uint8Array[] = [];
  #steps = 0;

  constructor(program: Program, letters: readonly string[]) {
    this.#program = program;
    this.#letters = letters;
  }

  test(): MatchResult {
    for (const { start, forward } of this.#program.looks) {
      const places = new Uint8Array(this.#letters.length + 1);
      this.#follow(start, forward, (place) => {
        places[place] = 1;
        return false;
      });
      this.#seen.push(places);
    }
    const found = this.#follow(this.#program.start, true, () => true);
    return this.#steps > mostSteps ? 'too-hard' : found;
  }

  /**
   * Starts at every position and calls `ended` with every position where it matches, until that returns true.
   */
  #follow(start: number, forward: boolean, ended: (place: number) => boolean): boolean {
    const count = this.#letters.length;
    const visited = new Int32Array(this.#program.states.length).fill(-1);
    const ones: One[] = [];
    const current: number[] = [];
    for (let index = 0; index <= count && this.#steps <= mostSteps; index += 1) {
      const place = forward ? index : count - index;
      const letter = this.#letters[forward ? place : place - 1];
      current.push(start);
      ones.length = 0;
      if (this.#reach(current, ones, { place, index, visited }) && ended(place)) return true;
      if (letter !== undefined) for (const { fits, next } of ones) if (fits(letter)) current.push(next);
    }
    return false;
  }

  /**
   * Drains `from` through states that consume nothing and collects in `ones` those that consume the next
   * character. Returns whether the end was reached.
   */
  #reach(from: number[], ones: One[], { place, index, visited }: Step): boolean {
    let isEnd = false;
    for (let id = from.pop(); id !== undefined; id = from.pop()) {
      this.#steps += 1;
      const state = this.#program.states[id];
      if (visited[id] === index || !state) continue;
      visited[id] = index;
      if (state.kind === 'end') isEnd = true;
      else if (state.kind === 'one') ones.push(state);
      else if (state.kind === 'either') from.push(state.first, state.second);
      else if (
        state.kind === 'at'
          ? this.#holds(state.assertion, place)
          : (this.#seen[state.look]?.[place] === 1) === state.wanted
      )
        from.push(state.next);
    }
    return isEnd;
  }

  #holds(assertion: Assertion, place: number): boolean {
    if (assertion === 'start') return place === 0;
    if (assertion === 'end') return place === this.#letters.length;
    const isEdge = isWord(this.#letters[place - 1]) !== isWord(this.#letters[place]);
    return assertion === 'edge' ? isEdge : !isEdge;
  }
}

function isWord(letter: string | undefined): boolean {
  return letter !== undefined && /^\w$/.test(letter);
}
