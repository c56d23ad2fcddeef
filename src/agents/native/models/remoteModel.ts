// A provider's model as a `LanguageModel`: resolves the key, loads the wire format on the first request,
// watches the stream and reports failures as parts.
import { present } from '../../../base/present.ts';
import type { LanguageModel, ModelError, ModelPart, ModelRequest } from '../model.ts';
import { connectionFor, requestFor, variantsFor, wireFor } from './connection.ts';
import type { ProviderLogin } from './connection.ts';
import { EmptyAnswer, IdleTimeout, StreamCutOff } from './errors/failures.ts';
import { modelError } from './errors/modelError.ts';
import { withCost } from './prices/requestCost.ts';
import type { PriceCache } from './prices/requestCost.ts';
import type { UsableProvider } from './providers/access.ts';
import { enabledProviderTools } from './providers/providerTools.ts';
import { variantsOf } from './providers/variants.ts';
import { exchange } from './wires/shared/exchange.ts';
import { withIdleTimeout } from './wires/shared/idleTimeout.ts';
import type { IdleTimeoutFetch } from './wires/shared/idleTimeout.ts';
import { wireFormats } from './wires/formats.ts';
import type { Wire } from './wires/wire.ts';
import type { RemoteOptions } from './remoteOptions.ts';

const defaultIdle = 120_000;

/** With a smaller context a model forgets its tools before it can use them. */
const minimumForTools = 16_384;

/** A local server reserves memory for the whole context that we ask for; the user can ask for more. */
const largestLocalContext = 32_768;

export function remoteModel(options: RemoteOptions): LanguageModel {
  const { provider, model, facts = {} } = options;
  const variants = [...new Set([...variantsOf(model), ...Object.keys(variantsFor(provider, model))])];
  const learned: LearnedFacts = {};
  return {
    id: `${provider.id}/${model}`,
    name: facts.name ?? model,
    get context() {
      return contextOf(options) ?? learned.prices?.context;
    },
    get pictures() {
      const configured = provider.config?.models[model]?.images;
      return configured ?? (learned.refusesImages ? false : (options.serverFacts?.()?.images ?? true));
    },
    get serves() {
      const access = options.access();
      const wire = access.usable ? wireFor(options, access) : provider.wire;
      return enabledProviderTools(options, wire);
    },
    get warning() {
      return smallContextWarning(options);
    },
    ...present({ output: facts.output, patience: provider.config?.retry }),
    ...(variants.length > 0 ? { variants } : {}),
    titles: true,
    stream: (request) => streamAnswer(request, options, learned),
  };
}

function contextOf({ facts, serverFacts, provider }: RemoteOptions): number | undefined {
  if (facts?.context !== undefined) return facts.context;
  const reported = serverFacts?.()?.context;
  const isLimited = reported !== undefined && provider.wire === 'ollama';
  return isLimited ? Math.min(reported, largestLocalContext) : reported;
}

function smallContextWarning(options: RemoteOptions): string | undefined {
  const { provider, model, facts } = options;
  const context = provider.key === 'none' ? contextOf(options) : undefined;
  if (context === undefined || context >= minimumForTools) return undefined;
  const advice =
    provider.id === 'llama.cpp' ? 'Start the server with a larger --ctx-size.' : 'Choose another model.';
  return (
    `${facts?.name ?? model} has a context of only ${context} tokens; work with tools needs at least ` +
    `${minimumForTools}. ${advice}`
  );
}

/** What the answers of a model have told us about it. */
interface LearnedFacts extends PriceCache {
  /** It has refused images in general, not one broken image. */
  refusesImages?: true;
}

/**
 * Never throws: a failure is the last part. A single generator for speed, since each further one costs as
 * much as the parts it passes on.
 */
async function* streamAnswer(
  request: ModelRequest,
  options: RemoteOptions,
  learned: LearnedFacts,
): AsyncGenerator<ModelPart> {
  const access = options.access();
  if (!access.usable) {
    yield authError(`${options.provider.name} cannot be used: ${access.why}.`);
    return;
  }
  const connected = watchedFetch(request, options);
  let hasContent = mayBeEmpty(request);
  let wire: Wire | undefined;
  try {
    const login = await currentLogin(access, options);
    if ('refused' in login) {
      yield authError(login.refused);
      return;
    }
    wire = await wireFormats[wireFor(options, access)].load();
    const context = contextOf(options);
    const connection = connectionFor(login, request, { ...options, context, connected });
    for await (const parts of await exchange(wire, requestFor(request, options), connection)) {
      for (const part of parts) {
        if (isEmptyEnd(part, hasContent)) throw new EmptyAnswer();
        yield part.type === 'usage'
          ? { type: 'usage', usage: await withCost(part.usage, options, learned) }
          : part;
        if (part.type === 'finish') return;
        hasContent ||= isContent(part);
      }
    }
    if (!request.signal.aborted) throw new StreamCutOff();
  } catch (error) {
    if (request.signal.aborted) return;
    const failure = failureOf(error, { options, access, wire, connected });
    if (failure.reason === 'imagesUnsupported') learned.refusesImages = true;
    yield failure;
  } finally {
    connected.end();
  }
}

function watchedFetch({ signal }: ModelRequest, { fetch, clock, idle }: RemoteOptions): IdleTimeoutFetch {
  return withIdleTimeout({ fetch, clock, idle: idle?.() ?? defaultIdle, signal });
}

/** A sign-in replaces the stored key, and sometimes the address. */
async function currentLogin(
  access: UsableProvider,
  { provider, renew }: RemoteOptions,
): Promise<ProviderLogin | { readonly refused: string }> {
  const renewed = access.keyFrom === 'parley login' ? await renew?.(provider.id) : undefined;
  return renewed && 'refused' in renewed ? renewed : { ...access, ...renewed };
}

/** After tool results, or after the beginning of an answer, a model may have nothing to add. */
function mayBeEmpty({ begun, messages }: ModelRequest): boolean {
  return begun ?? messages.at(-1)?.role !== 'user';
}

function isEmptyEnd(part: ModelPart, hasContent: boolean): boolean {
  return part.type === 'finish' && part.reason === 'stop' && !hasContent;
}

function isContent(part: ModelPart): boolean {
  return part.type !== 'usage' && !(part.type === 'text' && part.text === '');
}

function authError(message: string): ModelError {
  return { type: 'error', code: 'auth', message, retryable: false };
}

interface FailedExchange {
  readonly options: RemoteOptions;
  readonly access: UsableProvider;
  readonly wire: Wire | undefined;
  readonly connected: IdleTimeoutFetch;
}

function failureOf(error: unknown, { options, access, wire, connected }: FailedExchange): ModelError {
  const { provider, model, clock } = options;
  const reason: unknown = connected.signal.reason;
  const cause: unknown = reason instanceof IdleTimeout ? reason : error;
  const request = {
    name: provider.name,
    provider: provider.id,
    keyFrom: access.keyFrom,
    model,
    url: access.url,
    rules: provider.config?.retryRules,
    refusals: wire?.refusals,
  };
  return modelError(cause, request, clock);
}
