// Reads what a provider library streams into our parts, whatever order and extras the provider likes. Throws where the provider reports an error.
import type { LanguageModelV3StreamPart, LanguageModelV3Usage } from '@ai-sdk/provider';
import type { ModelPart, ModelUsage } from '../model.ts';
import { sourceList } from './sources.ts';
import type { Source } from './sources.ts';
import { BrokenOff, Garbled } from './problem.ts';
import { seal } from './seal.ts';

export async function* partsOf(stream: ReadableStream<LanguageModelV3StreamPart>, provider: string): AsyncGenerator<ModelPart> {
  const reader = stream.getReader();
  const reading = new Reading(provider);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new BrokenOff();
      const parts = reading.take(value);
      if (parts) for (const part of parts) yield part;
      if (reading.finished) return;
    }
  } finally {
    // Lets the connection go when nobody wants the rest.
    reader.cancel().catch(() => {});
  }
}

class Reading {
  readonly #provider: string;
  readonly #sources: Source[] = [];
  /** What the libraries attach to the block that is open; they say it again with every piece. */
  #attached: { readonly block: string; values: object } | undefined;
  finished = false;

  constructor(provider: string) {
    this.#provider = provider;
  }

  take(part: LanguageModelV3StreamPart): readonly ModelPart[] | undefined {
    switch (part.type) {
      case 'text-delta': return this.#words('text', part);
      case 'reasoning-delta': return this.#words('reasoning', part);
      case 'text-start':
      case 'reasoning-start': return this.#attach(part.id, part.providerMetadata);
      case 'text-end': return this.#close('text', part);
      case 'reasoning-end': return this.#close('reasoning', part);
      case 'tool-input-start': return part.providerExecuted ? undefined : [{ type: 'tool-start', id: part.id, name: part.toolName }];
      case 'tool-input-delta': return [{ type: 'tool-input', id: part.id, delta: part.delta }];
      case 'tool-call': return part.providerExecuted ? undefined : [{ type: 'tool-call', id: part.toolCallId, name: part.toolName, input: part.input, ...this.#meta(part.providerMetadata) }];
      case 'source': return void (part.sourceType === 'url' && this.#sources.push({ url: part.url, title: part.title }));
      case 'error': return this.#error(part.error);
      case 'finish': return this.#finish(part);
      case 'tool-input-end':
      case 'tool-result':
      case 'tool-approval-request':
      case 'file':
      case 'stream-start':
      case 'response-metadata':
      case 'raw': return undefined;
      default: return part satisfies never;
    }
  }

  #words(type: 'text' | 'reasoning', { id, delta, providerMetadata }: { id: string; delta: string; providerMetadata?: object }): readonly ModelPart[] | undefined {
    if (providerMetadata) this.#attach(id, providerMetadata);
    return delta === '' ? undefined : [{ type, text: delta, block: id }];
  }

  #attach(block: string, values: object | undefined): undefined {
    if (this.#attached?.block !== block) this.#attached = { block, values: values ?? {} };
    else if (values) this.#attached.values = merged(this.#attached.values, values);
  }

  #close(type: 'text' | 'reasoning', { id, providerMetadata }: { id: string; providerMetadata?: object }): readonly ModelPart[] | undefined {
    this.#attach(id, providerMetadata);
    const meta = this.#meta(this.#attached?.values);
    this.#attached = undefined;
    return 'meta' in meta ? [{ type, text: '', block: id, ...meta }] : undefined;
  }

  #meta(metadata: object | undefined): { readonly meta?: NonNullable<ReturnType<typeof seal>> } {
    const meta = metadata && seal(this.#provider, metadata);
    return meta == null ? {} : { meta };
  }

  /** An event from the future fits no schema and may be skipped; what is no JSON at all may have been anything. */
  #error(error: unknown): undefined {
    const { name, data }: { readonly name?: unknown; readonly data?: unknown } = typeof error === 'object' && error !== null ? error : {};
    if (name === 'AI_TypeValidationError') return undefined;
    if (name === 'AI_InvalidResponseDataError') throw data === undefined ? new BrokenOff() : new Garbled(error);
    throw error;
  }

  #finish({ finishReason: { unified, raw }, usage }: Extract<LanguageModelV3StreamPart, { type: 'finish' }>): readonly ModelPart[] {
    // A library that met the end of the stream before the provider's last word gives no reason of the provider.
    if ((unified === 'other' || unified === 'error') && raw === undefined) throw new BrokenOff();
    this.finished = true;
    const list = sourceList(this.#sources);
    return [
      ...(list === '' ? [] : [{ type: 'text', text: list, block: 'sources' } as const]),
      { type: 'usage', usage: usageOf(usage) },
      { type: 'finish', reason: unified === 'tool-calls' ? 'calls' : unified === 'length' ? 'length' : unified === 'content-filter' ? 'refusal' : 'stop' },
    ];
  }
}

function merged(a: object, b: object): object {
  const both = Object.entries(b).map(([namespace, values]: [string, unknown]) => {
    const before: unknown = Reflect.get(a, namespace);
    const known = Object.entries(typeof values === 'object' && values !== null ? values : {}).filter(([, value]: [string, unknown]) => value !== null && value !== undefined);
    return [namespace, { ...(typeof before === 'object' ? before : {}), ...Object.fromEntries(known) }] as const;
  });
  return { ...a, ...Object.fromEntries(both) };
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV3Usage): ModelUsage {
  const counts = { input: inputTokens.total, output: outputTokens.total, cacheRead: inputTokens.cacheRead || undefined, cacheWrite: inputTokens.cacheWrite || undefined };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined));
}
