// A language model as the turn loop sees it: one request in, a stream of parts out. Knows no
// provider and no session.
import type { RetrySettings } from '../../host/settings/settings.ts';
import type { Content, Json, WebSource } from '../../model/event.ts';

export interface LanguageModel {
  /** Provider and model, as in `demo/demo`. */
  readonly id: string;
  readonly name: string;
  /** The largest request, in tokens; `output` is the largest answer. */
  readonly context?: number | undefined;
  readonly output?: number;
  /** What the user should know before working with it. */
  readonly warning?: string | undefined;
  /** False if it is known not to accept images; they are not sent to it. */
  readonly pictures?: boolean;
  /** The tools that its provider may run without approval, because the user enabled them. */
  readonly serves?: readonly Served[];
  /** The levels of reasoning effort, lowest first. */
  readonly variants?: readonly string[];
  /** The retry settings, if they differ from the default. */
  readonly patience?: RetrySettings;
  /** Set if it is asked for titles; otherwise the first line of the message is the title. */
  readonly titles?: true;
  /**
   * Streams one answer and ends with `finish` or `error`. Ends soon after `signal` aborts;
   * later parts are ignored.
   */
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
}

/** The tools that providers run. */
export type Served = 'web_search' | 'image_generation';

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** Where in `messages` the running turn began; later user messages steer it. */
  readonly start: number;
  readonly tools: readonly ToolSpec[];
  /** The tools that the provider may run. */
  readonly serves?: readonly Served[];
  readonly roots: readonly string[];
  /** One of the model's variants; absent means the model's default. */
  readonly variant?: string | undefined;
  /** Identifies the conversation to the provider, which uses it as a cache key. */
  readonly chat?: string;
  /** Set if the request continues an answer; the continuation may be empty. */
  readonly begun?: true;
  readonly signal: AbortSignal;
}

export interface ToolSpec {
  readonly name: string;
  /** Set for our own tools. */
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

/** `meta` is sent back to the provider with a part, such as a signature; no other provider understands it. */
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
  /** An image that the model generated. */
  | (Picture & { readonly meta?: Json })
  /** A call that the provider ran, or its result, in the provider's own format. */
  | { readonly type: 'served'; readonly name: string; readonly meta: Json };

export interface CallResult {
  readonly id: string;
  readonly name: string;
  readonly status: 'done' | 'failed' | 'denied' | 'cancelled' | 'interrupted';
  readonly text: string;
}

export type ModelPart =
  /**
   * Text of another `block`, and text after another part, begins a new item. The newest
   * `meta` of a block counts. `id` is the provider's id.
   */
  | {
      readonly type: 'text' | 'reasoning';
      readonly text: string;
      readonly block?: string;
      readonly id?: string;
      /** Set if the text is a list of the sources that the answer cites. */
      readonly sources?: readonly WebSource[];
      readonly meta?: Json;
    }
  /** A model without call ids leaves `id` empty and sends its calls one after the other. */
  | { readonly type: 'tool-start'; readonly id: string; readonly name: string; readonly served?: true }
  | { readonly type: 'tool-input'; readonly id: string; readonly delta: string }
  /** `input` is the text of the arguments as the model wrote it; it may be invalid JSON. */
  | {
      readonly type: 'tool-call';
      readonly id: string;
      readonly name: string;
      readonly input: string;
      readonly meta?: Json;
    }
  /** The provider runs a call. The part may be repeated with more details. */
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
  /** An image as base64; the receiver checks that it is one. */
  | { readonly type: 'image'; readonly data: string; readonly meta?: Json }
  | { readonly type: 'usage'; readonly usage: ModelUsage }
  /** After `pause` the provider expects its own answer back, and continues it. */
  | { readonly type: 'finish'; readonly reason: 'stop' | 'calls' | 'length' | 'refusal' | 'pause' }
  | ModelError;

/** The result of a call that the provider ran. */
export interface ServedResult {
  readonly content: readonly Content[];
  /** The reason of a failure. */
  readonly error?: string;
}

/** Why a provider refuses a request, if that says something about the model: it accepts no images at all. */
export type RefusalReason = 'imagesUnsupported';

/** `wait` is how long the provider asks us to wait, in milliseconds. */
export interface ModelError {
  readonly type: 'error';
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly wait?: number | undefined;
  readonly reason?: RefusalReason;
}

/** The tokens of one request; `input` includes cached tokens. */
export interface ModelUsage {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly cost?: number;
  /** The number of web searches by the provider. */
  readonly searches?: number;
  /** The number of output tokens for images; they have their own price. */
  readonly pictureTokens?: number;
}
