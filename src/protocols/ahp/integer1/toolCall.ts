// Tools and the life of one tool call, as a union of its statuses with their own fields.
import type { ContentRef, FileEdit, FileEdits, Meta, Open, StringOrMarkdown, URI } from './content.ts';
import type { UserMessage } from './message.ts';

export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** JSON Schema objects, handed on as they are. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: ToolAnnotations;
  readonly _meta?: Meta;
}

export interface ConfirmationOption {
  readonly id: string;
  readonly label: string;
  readonly kind: Open<'approve' | 'deny'>;
  readonly group?: number;
}

export type ToolResultContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'embeddedResource'; readonly data: string; readonly contentType: string }
  | ({ readonly type: 'resource' } & ContentRef)
  | ({ readonly type: 'fileEdit' } & FileEdit)
  | { readonly type: 'terminal'; readonly resource: URI; readonly title: string }
  | {
      readonly type: 'subagent';
      readonly resource: URI;
      readonly title: string;
      readonly agentName?: string;
      readonly description?: string;
    };

export type ToolCallConfirmationReason = 'not-needed' | 'user-action' | 'setting';

export interface ToolCallResult {
  readonly success: boolean;
  readonly pastTenseMessage: StringOrMarkdown;
  readonly content?: readonly ToolResultContent[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string; readonly code?: string };
}

export interface ToolCallBase {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly displayName: string;
  readonly toolClientId?: string;
  readonly _meta?: Meta;
}

interface Invoked extends ToolCallBase {
  readonly invocationMessage: StringOrMarkdown;
  readonly toolInput?: string;
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
  readonly edits?: FileEdits;
  readonly editable?: boolean;
  readonly options?: readonly ConfirmationOption[];
}

export interface RunningToolCall extends Confirmed {
  readonly status: 'running';
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
  readonly userSuggestion?: UserMessage;
  readonly selectedOption?: ConfirmationOption;
}

export type ToolCallState =
  | StreamingToolCall
  | PendingToolCall
  | RunningToolCall
  | PendingResultToolCall
  | CompletedToolCall
  | CancelledToolCall;
