// A model of a provider behind our interface: looks up the key, loads its wire on the first request, watches the stream and turns failures into data.
import type { Clock } from '../../../host/ports.ts';
import type { LanguageModel, ModelPart, ModelRequest, ModelUsage } from '../model.ts';
import type { PriceList } from './prices.ts';
import { BrokenOff, Nothing, Silence, problemOf } from './problem.ts';
import type { Provider } from './providers.ts';
import type { Unusable, Usable } from './standing.ts';
import { variantsOf } from './variants.ts';
import { watch } from './watch.ts';
import { loadWire } from './wire.ts';
import type { Connection, Fetch } from './wire.ts';

export interface RemoteOptions {
  readonly provider: Provider;
  /** The provider's own name for the model. */
  readonly model: string;
  readonly name?: string;
  readonly context?: number | undefined;
  readonly output?: number | undefined;
  /** Asked anew for every request, so that a key set meanwhile is used. */
  readonly standing: () => Usable | Unusable;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** How many milliseconds of silence end a stream. */
  readonly idle?: number;
}

const usualIdle = 120_000;

export function remoteModel(options: RemoteOptions): LanguageModel {
  const { provider, model } = options;
  const variants = variantsOf(model);
  const prices: { list?: PriceList | undefined } = {};
  return {
    id: `${provider.id}/${model}`,
    name: options.name ?? model,
    get context() {
      return options.context ?? prices.list?.context;
    },
    ...(options.output === undefined ? {} : { output: options.output }),
    ...(variants.length > 0 ? { variants } : {}),
    titles: true,
    stream: (request) => answer(request, options, prices),
  };
}

/** Never throws: what goes wrong is the last part. One generator does it all, since every further one costs as much as the words it passes on. */
async function* answer(request: ModelRequest, options: RemoteOptions, prices: { list?: PriceList | undefined }): AsyncGenerator<ModelPart> {
  const { provider, model, clock } = options;
  const standing = options.standing();
  if (!standing.usable) {
    yield { type: 'error', code: 'auth', message: `${provider.name} cannot be used: ${standing.why}.`, retryable: false };
    return;
  }
  const watched = watch({ fetch: options.fetch, clock, idle: options.idle ?? usualIdle, signal: request.signal });
  const { signal } = request;
  // After results of tools a model may have nothing to add.
  let said = request.begun ?? request.messages.at(-1)?.role === 'tool';
  try {
    const wire = await loadWire(standing.wire);
    for await (const parts of await wire(request, connectionOf(standing, options, watched))) {
      for (const part of parts) {
        if (part.type === 'usage') yield { type: 'usage', usage: await priced(part.usage, options, prices) };
        else if (part.type === 'finish' && part.reason === 'stop' && !said) throw new Nothing();
        else yield part;
        if (part.type === 'finish') return;
        said ||= part.type !== 'usage' && !(part.type === 'text' && part.text === '');
      }
    }
    if (!signal.aborted) throw new BrokenOff();
  } catch (error) {
    if (signal.aborted) return;
    const cause: unknown = watched.signal.reason instanceof Silence ? watched.signal.reason : error;
    yield problemOf(cause, { name: provider.name, provider: provider.id, model, url: standing.url }, clock);
  } finally {
    watched.end();
  }
}

function connectionOf({ url, key, headers }: Usable, { provider, model, context, output }: RemoteOptions, { fetch, hear, signal }: Pick<Connection, 'fetch' | 'hear' | 'signal'>): Connection {
  return {
    provider: provider.id, model, url, key, context, output, fetch, hear, signal, extra: {},
    headers: { ...provider.headers, ...headers }, callId: provider.callId ?? 'any', askUsage: provider.usage ?? 'asked',
  };
}

/** No answer is held up or lost for the want of a price. */
async function priced(usage: ModelUsage, { provider, model, clock }: RemoteOptions, prices: { list?: PriceList | undefined }): Promise<ModelUsage> {
  if (provider.prices === null) return usage;
  try {
    prices.list ??= await (await import('./prices.ts')).pricesOf(provider.prices ?? provider.id, model);
    const cost = prices.list.cost(usage, clock.now());
    return cost === undefined ? usage : { ...usage, cost };
  } catch {
    return usage;
  }
}
