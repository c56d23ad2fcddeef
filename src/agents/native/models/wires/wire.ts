// A wire format: it serialises requests and parses answers.
import type { Json } from '../../../../model/event.ts';
import type { ModelRequest } from '../../model.ts';
import type { RefusalRule } from '../errors/failedRequest.ts';
import type { EventReader } from './shared/events.ts';

export type Fetch = typeof globalThis.fetch;

/** Sends a request to a model. The global fetch is one. */
export type ModelFetch = (
  url: string,
  request: {
    readonly method: 'POST';
    readonly headers: { [name: string]: string };
    readonly body: string;
    readonly signal: AbortSignal;
    /** A redirect would take the key to another address. */
    readonly redirect: 'manual';
  },
) => Promise<ModelResponse>;

/** What is read of a `Response`. */
export interface ModelResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: Iterable<readonly [string, string]> & { get(name: string): string | null | undefined };
  readonly body: { getReader(): ByteReader } | null;
}

export interface ByteReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<unknown>;
}

/** Returns the headers that authenticate a request. */
export type Sign = (request: {
  readonly url: string;
  readonly body: string;
  readonly headers: { readonly [name: string]: string };
}) => Promise<{ readonly [name: string]: string }>;

/** Everything that a wire needs to know about one model at one address. */
export interface ModelConnection {
  readonly provider: string;
  readonly model: string;
  readonly address: Address;
  readonly credentials: Credentials;
  readonly headers: { readonly [name: string]: string };
  /** Additional fields of every request body. */
  readonly extra: { readonly [name: string]: Json };
  readonly limits: TokenLimits;
  readonly conventions: Conventions;
  readonly transfer: Transfer;
}

export interface Address {
  readonly url: string;
  /** The query string of every request. */
  readonly query: string;
  /** The path below `url` that the user has set instead of the format's own. */
  readonly path: string | undefined;
}

export interface Credentials {
  readonly key: string | undefined;
  /** The header for the key, if it is not the usual one. */
  readonly keyHeader: string | undefined;
  /** Signs a request without a key. */
  readonly sign: Sign | undefined;
}

/** Context size and longest answer in tokens, if known. */
export interface TokenLimits {
  readonly context: number | undefined;
  readonly output: number | undefined;
}

/** What differs between providers and models of one format. */
export interface Conventions {
  readonly callId: 'any' | 'nine letters';
  /** Which reasoning is sent back, if the format leaves the choice. */
  readonly reasoning: 'all' | 'turn' | 'off';
  readonly thinkTags: { readonly start: string; readonly end: string };
  readonly cache: 'short' | 'long';
  /** Whether the request asks for usage; some providers refuse that option and always report usage. */
  readonly requestsUsage: boolean;
}

/** How the request is sent and its answer received. */
export interface Transfer {
  readonly fetch: ModelFetch;
  /** Called for every chunk that arrives. */
  readonly hear: () => void;
  readonly signal: AbortSignal;
}

export interface WrittenRequest {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: object;
}

export interface Wire {
  write(request: ModelRequest, connection: ModelConnection): WrittenRequest;
  readonly framing: 'events' | 'lines' | 'frames';
  reader(connection: ModelConnection): EventReader;
  /** What the errors of this format's vendors say about the model. */
  readonly refusals: readonly RefusalRule[];
  /** Requests without a key are signed. */
  readonly signed?: true;
}
