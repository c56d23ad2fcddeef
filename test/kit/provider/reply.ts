// What a fake provider is asked and what it does about it, in words that every wire format can say.
// Knows no wire format.
import { pieces } from '../../../src/agents/native/models/scripted/pieces.ts';
import type { WireName } from '../../../src/agents/native/models/providers/providers.ts';
import type { Json } from '../../../src/model/event.ts';
import type { JsonCursor } from './json.ts';

/**
 * What happens about one request, in order. A reply without `finish`, `cut` or `idle` ends
 * as answers usually do.
 */
export type Reply = readonly Move[];

export type Move =
  | { readonly text: string; readonly split?: number }
  /**
   * `seal` is what the provider wants back: a signature, or encrypted content. Without words
   * it is a hidden thought.
   */
  | { readonly think: string; readonly split?: number; readonly seal?: string }
  | {
      readonly call: string;
      readonly input: Json;
      readonly raw?: string;
      readonly split?: number;
      readonly id?: string;
      readonly seal?: string;
      readonly until?: Promise<void>;
    }
  /** `seal` is what the provider wants back with it. */
  | { readonly cite: string; readonly title: string; readonly seal?: string }
  /** A picture as base64. */
  | { readonly picture: string; readonly seal?: string }
  | Search
  | { readonly usage: Tokens }
  | { readonly finish: Finish }
  | { readonly pause: number }
  /** Waits for the test; a call with it waits in the middle of its arguments. */
  | { readonly until: Promise<void> }
  | { readonly idle: true }
  /** The stream ends as if all were well, or the connection breaks. */
  | { readonly cut: 'end' | 'reset' }
  /** A line as it is. */
  | { readonly garbage: string }
  /** An event that clients cannot know. */
  | { readonly news: true }
  | { readonly fail: Failure };

/**
 * The provider searches by itself.
 * `part` is all of it, only how it begins or only how it ends; `until` waits in the middle.
 */
export interface Search {
  readonly search: string;
  readonly found?: readonly { readonly url: string; readonly title: string }[];
  readonly error?: string;
  readonly id?: string;
  readonly seal?: string;
  readonly part?: 'begin' | 'end';
  readonly until?: Promise<void>;
}

/** After a pause the provider wants its own words back. */
export type Finish = 'stop' | 'calls' | 'length' | 'refusal' | 'pause';

/** `input` counts what was read from a cache or written to it, too. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** Before anything was said this is the response; afterwards it is an event of the stream. */
export interface Failure {
  readonly status: number;
  readonly code?: string;
  readonly message?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
}

/** A request as far as every wire format can tell it. */
export interface ModelRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly system: string;
  /** The words of the last message of the user, and what tools returned after it. */
  readonly prompt: string;
  readonly results: readonly string[];
  readonly tools: readonly { readonly name: string; readonly parameters: JsonCursor }[];
}

/** The pieces of one answer on a wire; each is written by itself. */
export interface Speaker {
  open(tokens: Tokens): readonly string[];
  text(piece: string): readonly string[];
  think(piece: string): readonly string[];
  /** Ends a thought. */
  sealed(seal: string | undefined): readonly string[];
  call(call: {
    readonly id: string;
    readonly name: string;
    readonly pieces: readonly string[];
    readonly seal?: string | undefined;
  }): readonly string[];
  cite(url: string, title: string, seal?: string): readonly string[];
  /** Where the wire has pictures, and searches of the provider's own. */
  picture?(base64: string, seal?: string): readonly string[];
  search?(search: Search & { readonly id: string }): readonly string[];
  news(): readonly string[];
  fail(failure: Failure): readonly string[];
  close(finish: Finish, tokens: Tokens): readonly string[];
}

/** What differs between the wires. */
export interface Traits {
  readonly provider: string;
  readonly model: string;
  readonly wire?: WireName;
  /** How many pieces the arguments of a call come in at least; none where they come with the call itself. */
  readonly pieces: number;
  /** What the provider tells about its cache. */
  readonly cache: Pick<Tokens, 'cacheRead' | 'cacheWrite'>;
  /** What the variant `low` is in a request. */
  readonly low: object;
  /** What marks in a request where it may be cached, and how often; others cache unasked. */
  readonly marks?: { readonly mark: string; readonly times: number };
  /** A line that this wire cannot read. */
  readonly garbage?: string;
}

/** A wire format as a fake provider speaks it: one file in the folder `wires`. */
export interface Wire {
  /** A model behind this format, and what differs about it. */
  readonly contract: {
    readonly name: string;
    /** The name of the format in our code, and a model for its golden request. */
    readonly golden: { readonly wire: WireName; readonly model: string };
    readonly traits: Traits;
  };
  readonly path: RegExp;
  readonly contentType: string;
  /** Set where frames are bytes and no words. */
  readonly encoding?: 'latin1';
  ask(body: JsonCursor, path: string): ModelRequest;
  speaker(asked: ModelRequest): Speaker;
  /** The answer in one piece, for clients that do not stream. */
  whole(said: WholeAnswer): unknown;
  refusal(failure: Failure): unknown;
}

/** An answer in one piece. */
export interface WholeAnswer {
  readonly model: string;
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: Json }[];
  readonly finish: Finish;
  readonly tokens: Tokens;
}

export const usualTokens: Tokens = { input: 100, output: 20 };

export function tokensOf(reply: Reply): Tokens {
  return reply.flatMap((move) => ('usage' in move ? [move.usage] : []))[0] ?? usualTokens;
}

export function finishOf(reply: Reply): Finish {
  const said = reply.flatMap((move) => ('finish' in move ? [move.finish] : []))[0];
  return said ?? (reply.some((move) => 'call' in move) ? 'calls' : 'stop');
}

export function saidIn(reply: Reply, model: string): WholeAnswer {
  return {
    model,
    text: reply.map((move) => ('text' in move ? move.text : '')).join(''),
    calls: reply.flatMap((move, at) =>
      'call' in move ? [{ id: move.id ?? `call_${at}`, name: move.call, input: move.input }] : [],
    ),
    finish: finishOf(reply),
    tokens: tokensOf(reply),
  };
}

/** The frames of one move. */
export function frames(move: Move, at: number, speaker: Speaker): readonly string[] {
  if ('text' in move) return pieces(move.text, move.split).flatMap((piece) => speaker.text(piece));
  if ('think' in move)
    return [
      ...pieces(move.think, move.split).flatMap((piece) => speaker.think(piece)),
      ...speaker.sealed(move.seal),
    ];
  if ('cite' in move) return speaker.cite(move.cite, move.title, move.seal);
  if ('picture' in move) return speaker.picture?.(move.picture, move.seal) ?? [];
  if ('search' in move) return speaker.search?.({ ...move, id: move.id ?? `srvtoolu_${at}` }) ?? [];
  if ('garbage' in move) return [`${move.garbage}\n\n`];
  if ('news' in move) return speaker.news();
  if ('fail' in move) return speaker.fail(move.fail);
  if (!('call' in move)) return [];
  const text = move.raw ?? JSON.stringify(move.input);
  return speaker.call({
    id: move.id ?? `call_${at}`,
    name: move.call,
    pieces: pieces(text, move.split ?? 3),
    seal: move.seal,
  });
}

export function event(data: unknown, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}
