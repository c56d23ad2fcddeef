// Small values that many parts of the protocol are made of. They know no channel.

export type URI = string;

/** Free data of an implementation, carried along and never interpreted. */
export type Meta = Readonly<Record<string, unknown>>;

/** A set of words that later versions may extend: an unknown word is carried along. */
export type Open<Word extends string> = Word | (string & {});

export type JsonPrimitive = string | number | boolean | null;

export type StringOrMarkdown = string | { readonly markdown: string };

export interface Icon {
  readonly src: URI;
  readonly contentType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: Open<'light' | 'dark'>;
}

export interface TextPosition {
  readonly line: number;
  readonly character: number;
}

export interface TextRange {
  readonly start: TextPosition;
  readonly end: TextPosition;
}

export interface TextSelection {
  readonly range: TextRange;
}

/** Content kept out of the state; it is fetched with `resourceRead`. */
export interface ContentRef {
  readonly uri: URI;
  readonly sizeHint?: number;
  readonly contentType?: string;
  readonly nonce?: string;
}

export interface FileEditSide {
  readonly uri: URI;
  readonly content: ContentRef;
}

/** Only `before` is a deletion, only `after` a creation, different URIs a rename. */
export interface FileEdit {
  readonly before?: FileEditSide;
  readonly after?: FileEditSide;
  readonly diff?: { readonly added?: number; readonly removed?: number };
}

export interface FileEdits {
  readonly items: readonly FileEdit[];
}

export interface ChangesSummary {
  readonly additions?: number;
  readonly deletions?: number;
  readonly files?: number;
}

export interface ErrorInfo {
  readonly errorType: string;
  readonly message: string;
  readonly stack?: string;
  readonly _meta?: Meta;
}

export interface UsageInfo {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly model?: string;
  readonly cacheReadTokens?: number;
  readonly _meta?: Meta;
}

export interface ConfigPropertySchema {
  readonly type: Open<'string' | 'number' | 'boolean' | 'array' | 'object'>;
  readonly title: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly JsonPrimitive[];
  readonly enumLabels?: readonly string[];
  readonly enumDescriptions?: readonly string[];
  readonly readOnly?: boolean;
  readonly items?: ConfigPropertySchema;
  readonly properties?: Readonly<Record<string, ConfigPropertySchema>>;
  readonly additionalProperties?: ConfigPropertySchema;
  readonly required?: readonly string[];
}

export interface SessionConfigPropertySchema extends ConfigPropertySchema {
  readonly enumDynamic?: boolean;
  readonly sessionMutable?: boolean;
}

export interface ConfigSchema<Property = ConfigPropertySchema> {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
}

export interface ConfigState<Property = ConfigPropertySchema> {
  readonly schema: ConfigSchema<Property>;
  readonly values: Readonly<Record<string, unknown>>;
}

export type SessionConfigState = ConfigState<SessionConfigPropertySchema>;

/** RFC 9728 metadata; an absent `required` counts as true. */
export interface ProtectedResourceMetadata {
  readonly resource: string;
  readonly resource_name?: string;
  readonly authorization_servers?: readonly string[];
  readonly jwks_uri?: string;
  readonly scopes_supported?: readonly string[];
  readonly bearer_methods_supported?: readonly string[];
  readonly resource_signing_alg_values_supported?: readonly string[];
  readonly resource_encryption_alg_values_supported?: readonly string[];
  readonly resource_encryption_enc_values_supported?: readonly string[];
  readonly resource_documentation?: string;
  readonly resource_policy_uri?: string;
  readonly resource_tos_uri?: string;
  readonly required?: boolean;
}
