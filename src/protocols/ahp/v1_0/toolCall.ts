// Tools and the life of one tool call, as a union of its statuses with their own fields.
import type { ContentRef, FileEdits, Meta, Open, StringOrMarkdown } from './content.ts';
import type { Message } from './message.ts';
import type { WireType } from './wireType.ts';

export type ToolDefinition = WireType<'toolDefinition'>;

export interface ConfirmationOption {
  readonly id: string;
  readonly label: string;
  readonly kind: Open<'approve' | 'deny'>;
  readonly group?: number;
  /** Ours: `effect` says how long the answer holds. */
  readonly _meta?: Meta;
}

export type ToolResultContent = WireType<'toolResultContent'>;

export type ToolInput = string | ContentRef;

export type ToolCallContributor =
  | { readonly kind: 'client'; readonly clientId: string }
  | { readonly kind: 'mcp'; readonly customizationId: string };

export type ToolCallRiskAssessment =
  | { readonly kind: Open<'judge'>; readonly status: 'loading' }
  | {
      readonly kind: Open<'judge'>;
      readonly status: 'complete';
      readonly reason: StringOrMarkdown;
      readonly safety: number;
    };

export type ToolCallConfirmationReason = 'not-needed' | 'user-action' | 'setting';

export type McpAuthRequirement = WireType<'mcpAuthRequirement'>;

export type ToolCallResult = WireType<'toolCallResult'>;

export interface ToolCallBase {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly displayName: string;
  readonly intention?: string;
  readonly contributor?: ToolCallContributor;
  readonly _meta?: Meta;
}

interface Invoked extends ToolCallBase {
  readonly invocationMessage: StringOrMarkdown;
  readonly toolInput?: ToolInput;
}

interface Confirmed extends Invoked {
  readonly confirmed: ToolCallConfirmationReason;
  readonly selectedOption?: ConfirmationOption;
}

export interface StreamingToolCall extends ToolCallBase {
  readonly status: 'streaming';
  readonly partialInput?: string;
  readonly invocationMessage?: StringOrMarkdown;
}

export interface PendingToolCall extends Invoked {
  readonly status: 'pending-confirmation';
  readonly confirmationTitle?: StringOrMarkdown;
  readonly riskAssessment?: ToolCallRiskAssessment;
  readonly edits?: FileEdits;
  readonly editable?: boolean;
  readonly options?: readonly ConfirmationOption[];
}

export interface RunningToolCall extends Confirmed {
  readonly status: 'running';
  readonly content?: readonly ToolResultContent[];
}

export interface AuthRequiredToolCall extends Confirmed {
  readonly status: 'auth-required';
  readonly contributor: Extract<ToolCallContributor, { readonly kind: 'mcp' }>;
  readonly auth: McpAuthRequirement;
  readonly content?: readonly ToolResultContent[];
}

export interface PendingResultToolCall extends Confirmed, ToolCallResult {
  readonly status: 'pending-result-confirmation';
}

export interface CompletedToolCall extends Confirmed, ToolCallResult {
  readonly status: 'completed';
}

export interface CancelledToolCall extends Invoked {
  readonly status: 'cancelled';
  readonly reason: 'denied' | 'skipped' | 'result-denied';
  readonly reasonMessage?: StringOrMarkdown;
  readonly userSuggestion?: Message;
  readonly selectedOption?: ConfirmationOption;
}

export type ToolCallState =
  | StreamingToolCall
  | PendingToolCall
  | RunningToolCall
  | AuthRequiredToolCall
  | PendingResultToolCall
  | CompletedToolCall
  | CancelledToolCall;
