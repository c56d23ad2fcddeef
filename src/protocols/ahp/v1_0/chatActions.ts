// The actions of a chat channel, as a map from action type to payload.
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
