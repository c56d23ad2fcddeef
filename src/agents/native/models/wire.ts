// What a wire is: the way to ask one model of a provider over the network it is given. Loads each wire on its first use.
import type { Json } from '../../../model/event.ts';
import type { ModelPart, ModelRequest } from '../model.ts';
import type { WireName } from './providers.ts';

export type Fetch = typeof globalThis.fetch;

/** The headers that prove who sends a request. */
export type Sign = (request: {
  readonly url: string;
  readonly body: string;
  readonly headers: { readonly [name: string]: string };
}) => Promise<{ readonly [name: string]: string }>;

/** One model at one address, ready to be asked. */
export interface Connection {
  readonly provider: string;
  readonly model: string;
  readonly url: string;
  /** What stands behind a question mark in every request. */
  readonly query: string;
  /** Where requests go below the address, if not where they usually do. */
  readonly path: string | undefined;
  readonly key: string | undefined;
  readonly headers: { readonly [name: string]: string };
  /** Fields that the user wants in every request. */
  readonly extra: { readonly [name: string]: Json };
  /** How many tokens fit into the model, and into its longest answer, where that is known. */
  readonly context: number | undefined;
  readonly output: number | undefined;
  /** The header that carries the key, if not the usual one. */
  readonly keyHeader: string | undefined;
  readonly callId: 'any' | 'nine letters';
  /** Which thoughts go back, where they are plain words or can be left out. */
  readonly reasoning: 'all' | 'turn' | 'off';
  readonly thinkTags: { readonly start: string; readonly end: string };
  readonly cache: 'short' | 'long';
  readonly askUsage: 'asked' | 'unasked';
  readonly fetch: Fetch;
  /** Signs a request where there is no key to send along. */
  readonly sign: Sign | undefined;
  /** Told of every sign of life. */
  readonly hear: () => void;
  /** Words that come together stay apart. */
  readonly apart: boolean;
  readonly signal: AbortSignal;
}

/** Streams an answer, as many parts at a time as came together; throws whatever went wrong, also where the provider only said so. */
export type Wire = (
  request: ModelRequest,
  connection: Connection,
) => Promise<AsyncIterable<readonly ModelPart[]>>;

export async function loadWire(name: WireName): Promise<Wire> {
  switch (name) {
    case 'anthropic':
      return (await import('./wires/anthropic.ts')).anthropic;
    case 'openai-responses':
      return (await import('./wires/openai.ts')).openaiResponses;
    case 'openai-chat':
      return (await import('./wires/openai.ts')).openaiChat;
    case 'google':
      return (await import('./wires/google.ts')).google;
    case 'compatible':
      return (await import('./wires/compatible.ts')).compatible;
    case 'bedrock':
      return (await import('./wires/bedrock.ts')).bedrock;
    case 'ollama':
      return (await import('./wires/ollama.ts')).ollama;
    default:
      return name satisfies never;
  }
}
