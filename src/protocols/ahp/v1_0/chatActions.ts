// The actions of a chat channel, as a map from action type to payload, and since when peers know them.
import type { ClientActions } from '../actionTypes.ts';
import type { clientActionSchemas } from './schema/actions.ts';
import type { FileEdits, Meta, StringOrMarkdown, UsageInfo } from './content.ts';
import type { ChatInputRequest } from './message.ts';
import type { BackgroundWork, CanvasReference, Changeset, ErrorPart, ResponsePart, Turn } from './state.ts';
import type {
  ConfirmationOption,
  McpAuthRequirement,
  ToolCallConfirmationReason,
  ToolCallContributor,
  ToolCallRiskAssessment,
  ToolInput,
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

export interface ChatActions extends ClientActions<typeof clientActionSchemas, 'chat'> {
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
  'chat/toolCallAuthRequired': OfToolCall & { readonly auth: McpAuthRequirement };
  'chat/toolCallAuthResolved': OfToolCall;
  'chat/turnComplete': TurnEnd;
  'chat/error': TurnEnd & { readonly part: ErrorPart };
  'chat/usage': OfTurn & { readonly usage: UsageInfo };
  'chat/turnsLoaded': { readonly turns: readonly Turn[]; readonly turnsNextCursor?: string };
  'chat/inputRequested': { readonly request: ChatInputRequest };
  'chat/activityChanged': { readonly activity?: string };
  'chat/backgroundWorkSet': { readonly work: BackgroundWork };
  'chat/backgroundWorkRemoved': { readonly id: string };
  'chat/movableChanged': { readonly movable: boolean };
  'chat/changesetsChanged': { readonly changesets?: readonly Changeset[] };
  'chat/canvasesChanged': { readonly canvases?: readonly CanvasReference[] };
}

/**
 * The first version whose peers know the action. The registry of 1.0.0 dates some of its actions earlier,
 * although the 0.9.0 reducers lack them; withholding them from 0.9 peers is always safe.
 */
export const chatActionSince: Readonly<Record<keyof ChatActions, string>> = {
  'chat/turnStarted': '0.4.0',
  'chat/delta': '0.4.0',
  'chat/reasoning': '0.4.0',
  'chat/responsePart': '0.4.0',
  'chat/toolCallStart': '0.4.0',
  'chat/toolCallDelta': '0.4.0',
  'chat/toolCallReady': '0.4.0',
  'chat/toolCallConfirmed': '0.4.0',
  'chat/toolCallComplete': '0.4.0',
  'chat/toolCallResultConfirmed': '0.4.0',
  'chat/toolCallContentChanged': '0.4.0',
  'chat/turnComplete': '0.4.0',
  'chat/turnCancelled': '0.4.0',
  'chat/error': '0.4.0',
  'chat/usage': '0.4.0',
  'chat/truncated': '0.4.0',
  'chat/pendingMessageSet': '0.4.0',
  'chat/pendingMessageRemoved': '0.4.0',
  'chat/queuedMessagesReordered': '0.4.0',
  'chat/inputRequested': '0.4.0',
  'chat/inputAnswerChanged': '0.4.0',
  'chat/inputCompleted': '0.4.0',
  'chat/activityChanged': '0.5.0',
  'chat/draftChanged': '0.5.0',
  'chat/turnsLoaded': '0.5.1',
  'chat/toolCallAuthRequired': '0.6.0',
  'chat/toolCallAuthResolved': '0.6.0',
  'chat/workingDirectorySet': '0.7.0',
  'chat/workingDirectoryRemoved': '0.7.0',
  'chat/turnResume': '0.9.0',
  'chat/isReadChanged': '1.0.0',
  'chat/isArchivedChanged': '1.0.0',
  'chat/backgroundWorkSet': '1.0.0',
  'chat/backgroundWorkRemoved': '1.0.0',
  'chat/movableChanged': '1.0.0',
  'chat/changesetsChanged': '1.0.0',
  'chat/canvasesChanged': '1.0.0',
};
