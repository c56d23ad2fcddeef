// The types of the messages we send, taken from the protocol's own package. The imports are type-only: the
// program does not contain the package.
import type * as nes from '@agentclientprotocol/sdk/experimental/nes';
import type * as sdk from '@agentclientprotocol/sdk/unstable';

/** The package's types are mutable; a message of ours is built once and never changed. */
type Sent<T> = T extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Sent<T[K]> }
    : T;

// Answers to requests of a client.

export type InitializeResponse = Sent<
  sdk.InitializeResponse & { agentCapabilities: sdk.AgentCapabilities & NesOffer }
>;

/** Only for clients that support next-edit suggestions. */
export interface NesOffer {
  readonly nes?: Sent<nes.NesCapabilities>;
  readonly positionEncoding?: nes.PositionEncodingKind;
}

/** The settings in the answers to session/new, session/load and session/resume. */
export type SessionSettings = Sent<sdk.LoadSessionResponse> & {
  /** Removed from the specification; only for clients that are older than config options. */
  readonly models?: SessionModels;
};

export type NewSessionResponse = SessionSettings & { readonly sessionId: string };

export type SessionModes = Sent<sdk.SessionModeState>;

export interface SessionModels {
  readonly currentModelId: string;
  readonly availableModels: readonly { readonly modelId: string; readonly name: string }[];
}

export type ConfigOption = Sent<sdk.SessionConfigOption>;

export type SelectOption = Sent<sdk.SessionConfigSelectOption>;

export type ListSessionsResponse = Sent<sdk.ListSessionsResponse>;

export type SessionInfo = Sent<sdk.SessionInfo>;

export type PromptResponse = Sent<sdk.PromptResponse>;

export type AuthStatus = Sent<sdk.AuthStatusResponse>;

export type Suggestion = Sent<nes.NesSuggestion>;

export type EditSuggestion = Extract<Suggestion, { readonly kind: 'edit' }>;

// Notifications and requests to a client.

export interface SessionNotification {
  readonly sessionId: string;
  readonly update: SessionUpdate;
}

/** Every update but those we never send. */
export type SessionUpdate = Exclude<
  Sent<sdk.SessionUpdate>,
  { readonly sessionUpdate: 'compaction_summary_chunk' | 'session_message' | 'session_message_chunk' }
>;

export type ContentBlock = Sent<sdk.ContentBlock>;

export type ToolCallContent = Sent<sdk.ToolCallContent>;

/**
 * Absent members keep their value; a list replaces the earlier one. It has no nulls, so it
 * fits a new call as well.
 */
export type ToolCallUpdate = Sent<Partial<sdk.ToolCall> & { toolCallId: string }>;

export type PlanEntry = Sent<sdk.PlanEntry>;

export type SubagentUpdate = Extract<SessionUpdate, { readonly sessionUpdate: 'subagent_update' }>;

export type PermissionRequest = Sent<sdk.RequestPermissionRequest>;

export type PermissionOption = Sent<sdk.PermissionOption>;

/** The package allows modes and field types of the future; these are the ones we send. */
export type ElicitationRequest = Sent<sdk.ElicitationSessionScope & { message: string }> &
  (
    | { readonly mode: 'form'; readonly requestedSchema: FormSchema }
    | { readonly mode: 'url'; readonly elicitationId: string; readonly url: string }
  );

export interface FormSchema {
  readonly type: 'object';
  readonly properties: { readonly [name: string]: FormField };
  readonly required?: readonly string[];
}

export type FormField = Sent<
  | (sdk.StringPropertySchema & { type: 'string' })
  | (sdk.NumberPropertySchema & { type: 'number' })
  | (sdk.IntegerPropertySchema & { type: 'integer' })
  | (sdk.BooleanPropertySchema & { type: 'boolean' })
  | (Omit<sdk.MultiSelectPropertySchema, 'items'> & { type: 'array'; items: sdk.TitledMultiSelectItems })
>;

export type FormChoice = Sent<sdk.EnumOption>;

// Answers to requests of an agent.

export type PermissionResponse = Sent<sdk.RequestPermissionResponse>;

export interface ElicitationResponse {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: { readonly [field: string]: unknown };
}
