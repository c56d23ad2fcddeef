// What a wire is: the way to ask one model of a provider over the network it is given. Loads each wire on its first use.
import type { ModelPart, ModelRequest } from '../model.ts';
import type { WireName } from './providers.ts';

export type Fetch = typeof globalThis.fetch;

/** One model at one address, ready to be asked. */
export interface Connection {
  readonly provider: string;
  readonly model: string;
  readonly url: string;
  readonly key: string | undefined;
  readonly headers: { readonly [name: string]: string };
  /** The longest answer, where it is known. */
  readonly output: number | undefined;
  readonly callId: 'any' | 'nine letters';
  readonly askUsage: 'asked' | 'unasked';
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
}

/** Streams an answer; throws whatever went wrong, also where the provider only said so. */
export type Wire = (request: ModelRequest, connection: Connection) => AsyncIterable<ModelPart>;

export async function loadWire(name: WireName): Promise<Wire> {
  switch (name) {
    case 'anthropic': return (await import('./wires/anthropic.ts')).anthropic;
    case 'openai-responses': return (await import('./wires/openai.ts')).openaiResponses;
    case 'openai-chat': return (await import('./wires/openai.ts')).openaiChat;
    case 'google': return (await import('./wires/google.ts')).google;
    case 'compatible': return (await import('./wires/compatible.ts')).compatible;
    case 'ollama': return (await import('./wires/ollama.ts')).ollama;
    default: return name satisfies never;
  }
}
