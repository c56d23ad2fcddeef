// The actions of the root and of sessions, as maps from action type to payload. A session's turns are part of it.
import type { ErrorInfo, FileEdit, FileEdits, Meta, StringOrMarkdown, URI, UsageInfo } from './content.ts';
import type { SessionCustomization } from './customization.ts';
import type {
  ModelSelection,
  SessionInputAnswer,
  SessionInputAnswers,
  SessionInputRequest,
  SessionInputResponseKind,
  UserMessage,
} from './message.ts';
import type { AgentInfo, ResponsePart, SessionActiveClient, TerminalInfo } from './state.ts';
import type {
  ConfirmationOption,
  ToolCallConfirmationReason,
  ToolCallResult,
  ToolDefinition,
  ToolResultContent,
} from './toolCall.ts';

export interface ConfigChange {
  readonly config: Readonly<Record<string, unknown>>;
  /** Replaces all values instead of merging into them. */
  readonly replace?: boolean;
}

export interface RootActions {
  'root/agentsChanged': { readonly agents: readonly AgentInfo[] };
  'root/activeSessionsChanged': { readonly activeSessions: number };
  'root/terminalsChanged': { readonly terminals: readonly TerminalInfo[] };
  'root/configChanged': ConfigChange;
}

interface OfSession {
  readonly session: URI;
}

interface OfTurn extends OfSession {
  readonly turnId: string;
}

interface OfToolCall extends OfTurn {
  readonly toolCallId: string;
  readonly _meta?: Meta;
}

interface TextDelta extends OfTurn {
  readonly partId: string;
  readonly content: string;
}

export type ToolCallDecision =
  | {
      readonly approved: true;
      readonly confirmed: ToolCallConfirmationReason;
      readonly editedToolInput?: string;
      readonly selectedOptionId?: string;
    }
  | {
      readonly approved: false;
      readonly reason: 'denied' | 'skipped';
      readonly userSuggestion?: UserMessage;
      readonly reasonMessage?: StringOrMarkdown;
      readonly selectedOptionId?: string;
    };

export type PendingMessageKind = 'steering' | 'queued';

export interface SessionActions {
  'session/ready': OfSession;
  'session/creationFailed': OfSession & { readonly error: ErrorInfo };
  'session/turnStarted': OfTurn & { readonly userMessage: UserMessage; readonly queuedMessageId?: string };
  'session/delta': TextDelta;
  'session/reasoning': TextDelta;
  'session/responsePart': OfTurn & { readonly part: ResponsePart };
  'session/usage': OfTurn & { readonly usage: UsageInfo };
  'session/turnComplete': OfTurn;
  'session/turnCancelled': OfTurn;
  'session/error': OfTurn & { readonly error: ErrorInfo };
  'session/truncated': OfSession & { readonly turnId?: string };
  'session/toolCallStart': OfToolCall & {
    readonly toolName: string;
    readonly displayName: string;
    readonly toolClientId?: string;
  };
  'session/toolCallDelta': OfToolCall & {
    readonly content: string;
    readonly invocationMessage?: StringOrMarkdown;
  };
  'session/toolCallReady': OfToolCall & {
    readonly invocationMessage: StringOrMarkdown;
    readonly toolInput?: string;
    readonly confirmationTitle?: StringOrMarkdown;
    readonly edits?: FileEdits;
    readonly editable?: boolean;
    readonly confirmed?: ToolCallConfirmationReason;
    readonly options?: readonly ConfirmationOption[];
  };
  'session/toolCallConfirmed': OfToolCall & ToolCallDecision;
  'session/toolCallComplete': OfToolCall & {
    readonly result: ToolCallResult;
    readonly requiresResultConfirmation?: boolean;
  };
  'session/toolCallResultConfirmed': OfToolCall & { readonly approved: boolean };
  'session/toolCallContentChanged': OfToolCall & { readonly content: readonly ToolResultContent[] };
  'session/pendingMessageSet': OfSession & {
    readonly kind: PendingMessageKind;
    readonly id: string;
    readonly userMessage: UserMessage;
  };
  'session/pendingMessageRemoved': OfSession & { readonly kind: PendingMessageKind; readonly id: string };
  'session/queuedMessagesReordered': OfSession & { readonly order: readonly string[] };
  'session/inputRequested': OfSession & { readonly request: SessionInputRequest };
  'session/inputAnswerChanged': OfSession & {
    readonly requestId: string;
    readonly questionId: string;
    readonly answer?: SessionInputAnswer;
  };
  'session/inputCompleted': OfSession & {
    readonly requestId: string;
    readonly response: SessionInputResponseKind;
    readonly answers?: SessionInputAnswers;
  };
  'session/titleChanged': OfSession & { readonly title: string };
  'session/modelChanged': OfSession & { readonly model: ModelSelection };
  'session/isReadChanged': OfSession & { readonly isRead: boolean };
  'session/isArchivedChanged': OfSession & { readonly isArchived: boolean };
  'session/activityChanged': OfSession & { readonly activity?: string };
  'session/diffsChanged': OfSession & { readonly diffs: readonly FileEdit[] };
  'session/configChanged': OfSession & ConfigChange;
  'session/metaChanged': OfSession & { readonly _meta?: Meta };
  'session/serverToolsChanged': OfSession & { readonly tools: readonly ToolDefinition[] };
  'session/activeClientChanged': OfSession & { readonly activeClient?: SessionActiveClient | null };
  'session/activeClientToolsChanged': OfSession & { readonly tools: readonly ToolDefinition[] };
  'session/customizationsChanged': OfSession & { readonly customizations: readonly SessionCustomization[] };
  'session/customizationToggled': OfSession & { readonly uri: URI; readonly enabled: boolean };
}
