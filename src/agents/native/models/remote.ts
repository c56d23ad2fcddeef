// A model of a provider behind our interface: looks up the key, loads its wire on the first request, watches the stream and turns failures into data.
import type { Clock } from '../../../host/ports.ts';
import type { LanguageModel, ModelPart, ModelRequest } from '../model.ts';
import { charged } from './prices/charged.ts';
import type { KnownPrices } from './prices/charged.ts';
import type { Latest } from './prices/prices.ts';
import { BrokenOff, Nothing, Silence, problemOf } from './errors/problem.ts';
import type { GivenModel, Provider, WireName } from './providers/providers.ts';
import { servesOf } from './providers/serves.ts';
import type { Unusable, Usable } from './providers/standing.ts';
import { variantsOf } from './providers/variants.ts';
import { watch } from './wires/shared/watch.ts';
import { exchange } from './wires/shared/exchange.ts';
import { loadWire } from './wires/wire.ts';
import type { Connection, Fetch, Sign, Wire } from './wires/wire.ts';

export interface RemoteOptions {
  readonly provider: Provider;
  /** The provider's own name for the model. */
  readonly model: string;
  readonly name?: string;
  readonly context?: number | undefined;
  readonly output?: number | undefined;
  /** What the server itself says about the context. */
  readonly room?: () => number | undefined;
  /** Whether it can look at pictures, where somebody has said so. */
  readonly looks?: () => boolean | undefined;
  /** How it is spoken to, where that differs from its provider's other models. */
  readonly wire?: WireName | undefined;
  /** Asked anew for every request, so that a key set meanwhile is used. */
  readonly standing: () => Usable | Unusable;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** The newest word of a sign-in, where there is one: it replaces the key, and sometimes the address. */
  readonly renew?: (provider: string) => Promise<Renewed | { readonly refused: string } | undefined>;
  /** Signs requests to a provider that is given no key. */
  readonly sign?: Sign;
  /** The newest price list, where one is to be had. */
  readonly priceList?: Latest;
  /** How many milliseconds of silence end a stream. */
  readonly idle?: number | (() => number | undefined);
  /** Whether pieces of an answer stay exactly as the provider sent them. */
  readonly deterministic?: () => boolean;
}

export interface Renewed {
  readonly key: string;
  /** It is no key but a token, and goes where tokens go. */
  readonly bearer?: true;
  readonly url?: string;
  readonly headers?: { readonly [name: string]: string };
}

const usualIdle = 120_000;
const usualTags = { start: '<think>', end: '</think>' } as const;

/** With less a model forgets the tools before it can use them. */
const leastForTools = 16_384;

/** A server on this machine takes as much memory as we ask room for; more must be wanted by the user. */
const roomTaken = 32_768;

function contextOf({ context, room, provider }: RemoteOptions): number | undefined {
  const there = room?.();
  return context ?? (there !== undefined && provider.wire === 'ollama' ? Math.min(there, roomTaken) : there);
}

function warningOf(options: RemoteOptions): string | undefined {
  const room = options.provider.key === 'none' ? contextOf(options) : undefined;
  if (room === undefined || room >= leastForTools) return undefined;
  const advice =
    options.provider.id === 'llama.cpp'
      ? 'Start the server with a larger --ctx-size.'
      : 'Choose another model.';
  return `${options.name ?? options.model} has room for ${room} tokens only, which is too little for work with tools: they need ${leastForTools} or more. ${advice}`;
}

export function remoteModel(options: RemoteOptions): LanguageModel {
  const { provider, model } = options;
  const variants = [...new Set([...variantsOf(model), ...Object.keys(waysOf(options))])];
  const learnt: Learnt = {};
  return {
    id: `${provider.id}/${model}`,
    name: options.name ?? model,
    get context() {
      return contextOf(options) ?? learnt.prices?.context;
    },
    get pictures() {
      return provider.given?.models[model]?.images ?? (learnt.blind ? false : (options.looks?.() ?? true));
    },
    get deterministic() {
      return options.deterministic?.() ?? false;
    },
    get serves() {
      const there = options.standing();
      return servesOf(options, there.usable ? wireFor(options, there) : provider.wire);
    },
    get warning() {
      return warningOf(options);
    },
    ...(options.output === undefined ? {} : { output: options.output }),
    ...(variants.length > 0 ? { variants } : {}),
    ...(provider.given?.retry ? { patience: provider.given.retry } : {}),
    titles: true,
    stream: (request) => answer(request, options, learnt),
  };
}

/** What the answers of a model have taught about it. */
interface Learnt extends KnownPrices {
  /** It has refused to look at pictures. */
  blind?: true;
}

/** Never throws: what goes wrong is the last part. One generator does it all, since every further one costs as much as the words it passes on. */
async function* answer(
  request: ModelRequest,
  options: RemoteOptions,
  learnt: Learnt,
): AsyncGenerator<ModelPart> {
  const { provider, model, clock } = options;
  const standing = options.standing();
  if (!standing.usable) {
    yield {
      type: 'error',
      code: 'auth',
      message: `${provider.name} cannot be used: ${standing.why}.`,
      retryable: false,
    };
    return;
  }
  const watched = watch({
    fetch: options.fetch,
    clock,
    idle: (typeof options.idle === 'function' ? options.idle() : options.idle) ?? usualIdle,
    signal: request.signal,
  });
  const { signal } = request;
  // After results of tools a model may have nothing to add.
  let said = request.begun ?? request.messages.at(-1)?.role !== 'user';
  let wire: Wire | undefined;
  try {
    const renewed = standing.keyFrom === 'parley login' ? await options.renew?.(provider.id) : undefined;
    if (renewed && 'refused' in renewed) {
      yield { type: 'error', code: 'auth', message: renewed.refused, retryable: false };
      return;
    }
    wire = await loadWire(wireFor(options, standing));
    const connection = connectionOf({ ...standing, ...renewed }, { ...options, request }, watched);
    for await (const parts of await exchange(wire, asked(request, options), connection)) {
      for (const part of parts) {
        if (part.type === 'usage') yield { type: 'usage', usage: await charged(part.usage, options, learnt) };
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
    const problem = problemOf(
      cause,
      {
        name: provider.name,
        provider: provider.id,
        model,
        url: standing.url,
        rules: provider.given?.retryRules,
        refusals: wire?.refusals,
      },
      clock,
    );
    // A single picture may be broken; what the model cannot do at all it need not be asked again.
    if (problem.reason === 'imagesUnsupported') learnt.blind = true;
    yield problem;
  } finally {
    watched.end();
  }
}

/** The ways to think that the settings name for a model; what they say about it alone counts most. */
function waysOf({
  provider,
  model,
}: Pick<RemoteOptions, 'provider' | 'model'>): NonNullable<GivenModel['variants']> {
  const fitting = (provider.variants ?? []).filter(([models]) => models.test(model)).map(([, ways]) => ways);
  return [...fitting, provider.given?.models[model]?.variants ?? {}].reduce((all, ways) => ({
    ...all,
    ...ways,
  }));
}

/** How the settings put a way to think is their business alone. */
function asked(request: ModelRequest, { provider, model }: RemoteOptions): ModelRequest {
  const own = waysOf({ provider, model });
  return request.variant !== undefined && own[request.variant] ? { ...request, variant: undefined } : request;
}

/** What the user says about the way holds for all models of a provider. */
function wireFor(
  { model, wire: own, provider: { wire: usual, wires = [] } }: RemoteOptions,
  { wire }: Usable,
): WireName {
  return wire === usual ? (own ?? wires.find(([models]) => models.test(model))?.[1] ?? wire) : wire;
}

interface Asking extends RemoteOptions {
  readonly request: ModelRequest;
}

function connectionOf(
  {
    url,
    key,
    keyFrom,
    bearer,
    headers = {},
  }: Pick<Usable, 'url' | 'key' | 'keyFrom'> & Pick<Renewed, 'headers' | 'bearer'>,
  { provider, model, output, request, ...more }: Asking,
  { fetch, hear, signal }: Pick<Connection, 'fetch' | 'hear' | 'signal'>,
): Connection {
  const given = provider.given?.models[model];
  const [plain = '', query = ''] = url
    .replaceAll('{model}', encodeURIComponent(given?.name ?? model))
    .split('?', 2);
  // What the user's settings say may be secret, and does not go to an address that a client named.
  const own = keyFrom === 'a client' ? {} : { ...provider.given?.headers, ...given?.headers };
  return {
    provider: provider.id,
    model: given?.name ?? model,
    url: plain,
    query,
    path: provider.given?.path,
    key,
    context: contextOf({ ...more, provider, model }),
    output,
    fetch,
    hear,
    signal,
    sign: more.sign,
    extra: {
      ...provider.extra,
      ...(provider.effort ? switched(request.variant) : {}),
      ...given?.extra,
      ...(request.variant === undefined ? {} : waysOf({ provider, model })[request.variant]),
    },
    headers: { ...provider.headers, ...(provider.tells ? told(request) : {}), ...headers, ...own },
    reasoning: given?.reasoning ?? provider.given?.reasoning ?? 'turn',
    thinkTags: provider.given?.thinkTags ?? usualTags,
    cache: provider.given?.cache ?? 'short',
    keyHeader: bearer ? 'authorization' : provider.keyHeader,
    callId: provider.callId ?? 'any',
    askUsage: provider.usage ?? 'asked',
    deterministic: more.deterministic?.() ?? false,
  };
}

function switched(variant: string | undefined): Connection['extra'] {
  return variant === undefined ? {} : { thinking: { type: variant === 'none' ? 'disabled' : 'enabled' } };
}

/** Such providers charge for what a human asked, and not for what follows from it. */
function told({ messages }: ModelRequest): { readonly [name: string]: string } {
  const pictures = messages.some(
    (message) => message.role !== 'tool' && message.content.some(({ type }) => type === 'image'),
  );
  return {
    'x-initiator': messages.at(-1)?.role === 'user' ? 'user' : 'agent',
    ...(pictures ? { 'copilot-vision-request': 'true' } : {}),
  };
}
