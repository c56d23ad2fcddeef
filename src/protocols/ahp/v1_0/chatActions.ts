// The actions of a chat channel, as a map from action type to payload.
import type { FileEdits, Meta, StringOrMarkdown, URI, UsageInfo } from './content.ts';
import type {
  ChatInputAnswer,
  ChatInputAnswers,
  ChatInputRequest,
  ChatInputResponseKind,
  Message,
} from './message.ts';
import type { BackgroundWork, CanvasReference, Changeset, ErrorPart, ResponsePart, Turn } from './state.ts';
import type {
  ConfirmationOption,
  McpAuthRequirement,
  ToolCallConfirmationReason,
  ToolCallContributor,
  ToolCallResult,
  ToolCallRiskAssessment,
  ToolInput,
  ToolResultContent,
} from './toolCall.ts';

interface OfTurn {
  readonly turnId: string;
  readonly _meta?: Meta;
}

interface OfToolCall extends OfTurn {
  readonly toolCallId: string;
}

interface TextDelta extends OfTurn {
  readonly partId: string;
  readonly content: string;
}

interface TurnEnd extends OfTurn {
  /** Milliseconds since the turn started. */
  readonly duration: number;
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
      readonly userSuggestion?: Message;
      readonly reasonMessage?: StringOrMarkdown;
      readonly selectedOptionId?: string;
    };

export type PendingMessageKind = 'steering' | 'queued';

export interface ChatActions {
  'chat/turnStarted': OfTurn & {
    readonly startedAt: string;
    readonly message: Message;
    readonly queuedMessageId?: string;
  };
  'chat/delta': TextDelta;
  'chat/reasoning': TextDelta;
  'chat/responsePart': OfTurn & { readonly part: ResponsePart };
  'chat/toolCallStart': OfToolCall & {
    readonly toolName: string;
    readonly displayName: string;
    readonly intention?: string;
    readonly contributor?: ToolCallContributor;
  };
  'chat/toolCallDelta': OfToolCall & {
    readonly content?: string;
    readonly invocationMessage?: StringOrMarkdown;
  };
  'chat/toolCallReady': OfToolCall & {
    readonly invocationMessage: StringOrMarkdown;
    readonly contributor?: ToolCallContributor;
    readonly intention?: string;
    readonly toolInput?: ToolInput;
    readonly confirmationTitle?: StringOrMarkdown;
    readonly riskAssessment?: ToolCallRiskAssessment;
    readonly edits?: FileEdits;
    readonly editable?: boolean;
    readonly confirmed?: ToolCallConfirmationReason;
    readonly options?: readonly ConfirmationOption[];
  };
  'chat/toolCallConfirmed': OfToolCall & ToolCallDecision;
  'chat/toolCallComplete': OfToolCall & {
    readonly result: ToolCallResult;
    readonly requiresResultConfirmation?: boolean;
  };
  'chat/toolCallResultConfirmed': OfToolCall & { readonly approved: boolean };
  'chat/toolCallContentChanged': OfToolCall & { readonly content: readonly ToolResultContent[] };
  'chat/toolCallAuthRequired': OfToolCall & { readonly auth: McpAuthRequirement };
  'chat/toolCallAuthResolved': OfToolCall;
  'chat/turnComplete': TurnEnd;
  'chat/turnCancelled': TurnEnd;
  'chat/error': TurnEnd & { readonly part: ErrorPart };
  'chat/turnResume': OfTurn;
  'chat/usage': OfTurn & { readonly usage: UsageInfo };
  'chat/truncated': { readonly turnId?: string };
  'chat/turnsLoaded': { readonly turns: readonly Turn[]; readonly turnsNextCursor?: string };
  'chat/pendingMessageSet': {
    readonly kind: PendingMessageKind;
    readonly id: string;
    readonly message: Message;
  };
  'chat/pendingMessageRemoved': { readonly kind: PendingMessageKind; readonly id: string };
  'chat/queuedMessagesReordered': { readonly order: readonly string[] };
  'chat/draftChanged': { readonly draft?: Message };
  'chat/inputRequested': { readonly request: ChatInputRequest };
  'chat/inputAnswerChanged': {
    readonly requestId: string;
    readonly questionId: string;
    readonly answer?: ChatInputAnswer;
  };
  'chat/inputCompleted': {
    readonly requestId: string;
    readonly response: ChatInputResponseKind;
    readonly answers?: ChatInputAnswers;
  };
  'chat/activityChanged': { readonly activity?: string };
  'chat/workingDirectorySet': { readonly directory: URI };
  'chat/workingDirectoryRemoved': { readonly directory: URI };
  'chat/isReadChanged': { readonly isRead: boolean };
  'chat/isArchivedChanged': { readonly isArchived: boolean };
  'chat/backgroundWorkSet': { readonly work: BackgroundWork };
  'chat/backgroundWorkRemoved': { readonly id: string };
  'chat/movableChanged': { readonly movable: boolean };
  'chat/changesetsChanged': { readonly changesets?: readonly Changeset[] };
  'chat/canvasesChanged': { readonly canvases?: readonly CanvasReference[] };
}
