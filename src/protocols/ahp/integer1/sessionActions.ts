// The actions of the root and of sessions, as maps from action type to payload. A session's
// turns are part of it.
import type { ClientActions } from '../actionTypes.ts';
import type {
  ErrorInfo,
  FileEdit,
  FileEdits,
  Meta,
  StringOrMarkdown,
  URI,
  UsageInfo,
} from '../v1_0/content.ts';
import type { ChatInputRequest } from '../v1_0/message.ts';
import type { ToolCallConfirmationReason, ToolDefinition } from '../v1_0/toolCall.ts';
import type { SessionCustomization } from './customization.ts';
import type { clientActionSchemas } from './schema/actions.ts';
import type { AgentInfo, ResponsePart, SessionActiveClient, TerminalInfo } from './state.ts';
import type { ConfirmationOption } from './toolCall.ts';

export interface RootActions extends ClientActions<typeof clientActionSchemas, 'root'> {
  'root/agentsChanged': { readonly agents: readonly AgentInfo[] };
  'root/activeSessionsChanged': { readonly activeSessions: number };
  'root/terminalsChanged': { readonly terminals: readonly TerminalInfo[] };
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

type FromClients = Omit<ClientActions<typeof clientActionSchemas, 'session'>, 'session/activeClientChanged'>;

export interface SessionActions extends FromClients {
  'session/ready': OfSession;
  'session/creationFailed': OfSession & { readonly error: ErrorInfo };
  'session/delta': TextDelta;
  'session/reasoning': TextDelta;
  'session/responsePart': OfTurn & { readonly part: ResponsePart };
  'session/usage': OfTurn & { readonly usage: UsageInfo };
  'session/turnComplete': OfTurn;
  'session/error': OfTurn & { readonly error: ErrorInfo };
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
  'session/inputRequested': OfSession & { readonly request: ChatInputRequest };
  'session/activityChanged': OfSession & { readonly activity?: string };
  'session/diffsChanged': OfSession & { readonly diffs: readonly FileEdit[] };
  'session/metaChanged': OfSession & { readonly _meta?: Meta };
  'session/serverToolsChanged': OfSession & { readonly tools: readonly ToolDefinition[] };
  'session/customizationsChanged': OfSession & { readonly customizations: readonly SessionCustomization[] };
  /** The host says null where no client is active. */
  'session/activeClientChanged': OfSession & { readonly activeClient?: SessionActiveClient | null };
}
