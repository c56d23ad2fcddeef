// Small values that many parts of the protocol are made of. They know no channel.
import type { OpenSet } from '../shapes.ts';
import type { WireType } from './wireType.ts';

export type { OpenSet as Open };

export type URI = string;

/** Free data of an implementation, carried along and never interpreted. */
export type Meta = Readonly<Record<string, unknown>>;

export type JsonPrimitive = WireType<'jsonPrimitive'>;

export type StringOrMarkdown = WireType<'stringOrMarkdown'>;

/** Content kept out of the state; it is fetched with `resourceRead`. */
export type ContentRef = WireType<'contentRef'>;

export type FileEditSide = WireType<'fileEditSide'>;

/** Only `before` is a deletion, only `after` a creation, different URIs a rename. */
export type FileEdit = WireType<'fileEdit'>;

export interface FileEdits {
  readonly items: readonly FileEdit[];
}

export interface ChangesSummary {
  readonly additions?: number;
  readonly deletions?: number;
  readonly files?: number;
}

export type ErrorInfo = WireType<'errorInfo'>;

export interface UsageInfo {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly model?: string;
  readonly cacheReadTokens?: number;
  readonly _meta?: Meta;
}

export interface ConfigPropertySchema {
  readonly type: OpenSet<'string' | 'number' | 'boolean' | 'array' | 'object'>;
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
export type ProtectedResourceMetadata = WireType<'protectedResourceMetadata'>;
