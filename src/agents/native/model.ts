// A language model as the turn loop sees it: one request in, a stream of parts out. Knows no provider and no session.
import type { RetrySettings } from '../../host/settings/settings.ts';
import type { Content, Json } from '../../model/event.ts';

export interface LanguageModel {
  /** Provider and model, as in `demo/demo`. */
  readonly id: string;
  readonly name: string;
  /** How many tokens fit into a request, and into an answer. */
  readonly context?: number | undefined;
  readonly output?: number;
  /** What the user should know before working with it. */
  readonly warning?: string | undefined;
  /** False where it is known not to look at pictures; they are not sent to it. */
  readonly pictures?: boolean;
  /** What its provider may do for it unasked, because the user wants it. */
  readonly serves?: readonly Served[];
  /** How hard it can be told to think, least first. */
  readonly variants?: readonly string[];
  /** How patient to be with it, where that is not as usual. */
  readonly patience?: RetrySettings;
  /** Parts of its answers are stored exactly as the provider sent them, and a turn ends after its title request. */
  readonly deterministic?: boolean;
  /** Whether it is worth asking for the title of a conversation; otherwise the first line has to do. */
  readonly titles?: true;
  /** Streams one answer and ends with `finish` or `error`. Ends soon after `signal` aborts; nobody listens then. */
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
}

/** What providers run on their own side. */
export type Served = 'web_search' | 'image_generation';

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** Where in `messages` the running turn began; later user messages steer it. */
  readonly start: number;
  readonly tools: readonly ToolSpec[];
  /** What the provider may run itself on the way. */
  readonly serves?: readonly Served[];
  readonly roots: readonly string[];
  /** One of the model's variants; absent means as the model likes. */
  readonly variant?: string | undefined;
  /** Names the conversation towards the provider, which keeps its caches by it. */
  readonly chat?: string;
  /** The beginning of the answer is there already, and there may be nothing to add. */
  readonly begun?: true;
  readonly signal: AbortSignal;
}

export interface ToolSpec {
  readonly name: string;
  /** Set for tools of our own. */
  readonly ours?: true;
  readonly description: string;
  /** A JSON Schema. */
  readonly parameters: Json;
}

/** Every call in an assistant message has its result in the tool message right after it. */
export type ModelMessage =
  | { readonly role: 'user'; readonly content: readonly UserPart[] }
  | { readonly role: 'assistant'; readonly content: readonly AssistantPart[] }
  | { readonly role: 'tool'; readonly results: readonly CallResult[] };

export type UserPart = { readonly type: 'text'; readonly text: string } | Picture;

export interface Picture {
  readonly type: 'image';
  readonly mediaType: string;
  readonly data: string;
}

/** `meta` is what a provider wants back with a part, such as a signature; only the model it came from understands it. */
export type AssistantPart =
  | { readonly type: 'text'; readonly text: string; readonly meta?: Json }
  | { readonly type: 'reasoning'; readonly text: string; readonly meta?: Json }
  | {
      readonly type: 'call';
      readonly id: string;
      readonly name: string;
      readonly input: Json;
      readonly ours?: true;
      readonly meta?: Json;
    }
  /** A picture that the model has made. */
  | (Picture & { readonly meta?: Json })
  /** What the provider ran itself, or what came of it, in its own words; it is of no use to anybody else. */
  | { readonly type: 'served'; readonly name: string; readonly meta: Json };

export interface CallResult {
  readonly id: string;
  readonly name: string;
  readonly status: 'done' | 'failed' | 'denied' | 'cancelled' | 'interrupted';
  readonly text: string;
}

export type ModelPart =
  /** Words of another `block` begin a new item, and so do words after something else. The newest `meta` of a block counts. `id` is the provider's own name for it. */
  | {
      readonly type: 'text' | 'reasoning';
      readonly text: string;
      readonly block?: string;
      readonly id?: string;
      readonly meta?: Json;
    }
  /** A model without ids of its own leaves `id` empty and sends its calls one after the other. */
  | { readonly type: 'tool-start'; readonly id: string; readonly name: string; readonly served?: true }
  | { readonly type: 'tool-input'; readonly id: string; readonly delta: string }
  /** `input` is the text of the arguments as the model wrote it; it may be no JSON at all. */
  | {
      readonly type: 'tool-call';
      readonly id: string;
      readonly name: string;
      readonly input: string;
      readonly meta?: Json;
    }
  /** The provider runs a call itself. It may be told again, when more of it is known. */
  | {
      readonly type: 'served-call';
      readonly id: string;
      readonly name: string;
      readonly input: string;
      readonly meta?: Json;
    }
  | {
      readonly type: 'served-result';
      readonly id: string;
      readonly name: string;
      readonly result: ServedResult;
      readonly meta?: Json;
    }
  /** A picture as base64; whether it is one, whoever takes it finds out. */
  | { readonly type: 'image'; readonly data: string; readonly meta?: Json }
  | { readonly type: 'usage'; readonly usage: ModelUsage }
  /** After a pause the provider wants its own words back, and goes on with them. */
  | { readonly type: 'finish'; readonly reason: 'stop' | 'calls' | 'length' | 'refusal' | 'pause' }
  | ModelError;

/** What came of a call that the provider ran itself. */
export interface ServedResult {
  readonly content: readonly Content[];
  /** Why it failed, where it did. */
  readonly error?: string;
}

/** Why a provider refuses a request, where that says something about the model: it takes no pictures at all. */
export type RefusalReason = 'imagesUnsupported';

/** `wait` is how many milliseconds the provider asks to be left alone. */
export interface ModelError {
  readonly type: 'error';
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly wait?: number | undefined;
  readonly reason?: RefusalReason;
}

/** The tokens of one request; `input` counts what was read from a cache too. */
export interface ModelUsage {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly cost?: number;
  /** How often the provider searched the web. */
  readonly searches?: number;
  /** How many of the tokens of the answer are pictures; they have a price of their own. */
  readonly pictureTokens?: number;
}
