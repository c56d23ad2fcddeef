// The state behind each channel of AHP 1.0 (1.0.0, and 0.9.0 without the fields it
// lacks), and how it travels.
import type { TerminalContentPart } from '../terminalContent.ts';
import type { StateAction } from './actions.ts';
import type { AutomationRunState, AutomationState } from './automation.ts';
import type {
  ChangesSummary,
  ConfigSchema,
  ConfigState,
  ContentRef,
  ErrorInfo,
  FileEdit,
  Meta,
  Open,
  ProtectedResourceMetadata,
  SessionConfigState,
  StringOrMarkdown,
  URI,
  UsageInfo,
} from './content.ts';
import type { Customization } from './customization.ts';
import type { ChatInputRequest, ChatInputResponseKind, Message, PendingMessage } from './message.ts';
import type { WireType } from './wireType.ts';
import type {
  AuthRequiredToolCall,
  PendingResultToolCall,
  PendingToolCall,
  ToolCallState,
  ToolDefinition,
} from './toolCall.ts';

export const rootChannel: URI = 'ahp-root://';

export interface RootState {
  readonly agents: readonly AgentInfo[];
  readonly activeSessions?: number;
  readonly terminals?: readonly TerminalInfo[];
  readonly config?: ConfigState;
  readonly _meta?: Meta;
}

export interface AgentInfo {
  readonly provider: string;
  readonly displayName: string;
  readonly description: string;
  readonly models: readonly SessionModelInfo[];
  readonly protectedResources?: readonly ProtectedResourceMetadata[];
  readonly customizations?: readonly Customization[];
  readonly capabilities?: AgentCapabilities;
}

export interface AgentCapabilities {
  readonly multipleChats?: { readonly fork?: boolean; readonly sideChat?: boolean };
  readonly multipleWorkingDirectories?: {
    readonly immutablePrimary?: boolean;
    readonly primaryReplacement?: boolean;
  };
}

export interface SessionModelInfo {
  readonly id: string;
  readonly provider: string;
  readonly name: string;
  readonly maxContextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly maxPromptTokens?: number;
  readonly supportsVision?: boolean;
  readonly policyState?: Open<'enabled' | 'disabled' | 'unconfigured'>;
  readonly configSchema?: ConfigSchema;
  readonly _meta?: Meta;
}

export interface SessionMetadata {
  readonly provider: string;
  readonly title: string;
  readonly status: number;
  readonly activity?: string;
  readonly origin?: { readonly kind: 'automation'; readonly automation: URI; readonly run: URI };
  readonly project?: { readonly uri: URI; readonly displayName: string };
  readonly workingDirectories?: readonly URI[];
  readonly annotations?: {
    readonly resource: URI;
    readonly annotationCount: number;
    readonly entryCount: number;
  };
}

export interface SessionState extends SessionMetadata {
  readonly lifecycle: 'creating' | 'ready' | 'failed';
  readonly creationError?: ErrorInfo;
  readonly serverTools?: readonly ToolDefinition[];
  readonly activeClients: readonly SessionActiveClient[];
  readonly chats: readonly ChatSummary[];
  readonly defaultChat?: URI;
  readonly config?: SessionConfigState;
  readonly customizations?: readonly Customization[];
  readonly changesets?: readonly Changeset[];
  readonly inputNeeded?: readonly SessionInputRequest[];
  readonly _meta?: Meta;
}

export interface SessionSummary extends SessionMetadata {
  readonly resource: URI;
  readonly createdAt: string;
  readonly modifiedAt: string;
  readonly changes?: ChangesSummary;
  /** Only for peers of 1.0 and later. */
  readonly chats?: readonly SessionChatSummary[];
  readonly defaultChat?: URI;
  readonly _meta?: Meta;
}

export type SessionChatSummary = Pick<
  ChatSummary,
  'resource' | 'title' | 'origin' | 'interactivity' | 'status' | 'changes'
>;

export type SessionActiveClient = WireType<'sessionActiveClient'>;

interface InputNeeded {
  readonly id: string;
  readonly chat: URI;
}

export type SessionInputRequest =
  | (InputNeeded & { readonly kind: 'chatInput'; readonly request: ChatInputRequest })
  | (InputNeeded & {
      readonly kind: 'toolConfirmation';
      readonly turnId: string;
      readonly toolCall: PendingToolCall | PendingResultToolCall;
    })
  | (InputNeeded & {
      readonly kind: 'toolClientExecution';
      readonly turnId: string;
      readonly clientId: string;
      readonly toolCall: ToolCallState;
    })
  | (InputNeeded & {
      readonly kind: 'toolAuthentication';
      readonly turnId: string;
      readonly toolCall: AuthRequiredToolCall;
    });

export type ChatOrigin =
  | { readonly kind: 'user' }
  | { readonly kind: 'fork'; readonly chat: URI; readonly turnId: string }
  | {
      readonly kind: 'sideChat';
      readonly chat: URI;
      readonly turnId: string;
      readonly selection?: { readonly text: string; readonly responsePartId?: string };
    }
  | { readonly kind: 'tool'; readonly chat: URI; readonly toolCallId: string };

export interface ChatSummary {
  readonly resource: URI;
  readonly title: string;
  readonly status: number;
  readonly activity?: string;
  readonly modifiedAt: string;
  readonly origin?: ChatOrigin;
  readonly interactivity?: Open<'full' | 'read-only' | 'hidden'>;
  readonly workingDirectories?: readonly URI[];
  readonly movable?: boolean;
  readonly changes?: ChangesSummary;
}

export interface ChatState extends ChatSummary {
  readonly turns: readonly Turn[];
  readonly turnsNextCursor?: string;
  readonly activeTurn?: ActiveTurn;
  readonly steeringMessage?: PendingMessage;
  readonly queuedMessages?: readonly PendingMessage[];
  readonly draft?: Message;
  readonly changesets?: readonly Changeset[];
  readonly backgroundWork?: readonly BackgroundWork[];
  readonly canvases?: readonly CanvasReference[];
  readonly _meta?: Meta;
}

type MemberVersions<T> = { readonly [K in keyof T]?: string };

/** Optional members that not every peer knows, and the first version whose peers do. */
export const chatMemberSince: MemberVersions<ChatState> = { movable: '1.0.0' };
export const sessionMemberSince: MemberVersions<SessionState> = {};

export interface BackgroundWork {
  readonly id: string;
  readonly kind: Open<'shell' | 'subagent' | 'other'>;
  readonly label: string;
  readonly startedAt: string;
  readonly command?: string;
  readonly terminal?: URI;
  readonly chat?: URI;
  readonly _meta?: Meta;
}

/** The experimental canvas channels of a chat; their reference is carried along as the host writes it. */
export type CanvasReference = URI | Readonly<Record<string, unknown>>;

export interface ActiveTurn {
  readonly id: string;
  readonly startedAt: string;
  readonly message: Message;
  readonly responseParts: readonly ResponsePart[];
  readonly usage?: UsageInfo;
}

export interface Turn {
  readonly id: string;
  readonly startedAt?: string;
  /** Milliseconds. */
  readonly duration?: number;
  readonly message: Message;
  readonly responseParts: readonly ResponsePart[];
  readonly usage?: UsageInfo;
  readonly state: 'complete' | 'cancelled' | 'error';
}

export interface ErrorPart {
  readonly kind: 'error';
  readonly error: ErrorInfo;
  readonly resumable?: boolean;
}

export interface InputRequestPart {
  readonly kind: 'inputRequest';
  readonly request: ChatInputRequest;
  readonly response?: ChatInputResponseKind;
}

export interface ToolCallPart {
  readonly kind: 'toolCall';
  readonly toolCall: ToolCallState;
}

export type ResponsePart =
  | { readonly kind: 'markdown'; readonly id: string; readonly content: string }
  | { readonly kind: 'reasoning'; readonly id: string; readonly content: string }
  | ({ readonly kind: 'contentRef' } & ContentRef)
  | { readonly kind: 'systemNotification'; readonly content: StringOrMarkdown; readonly _meta?: Meta }
  | ToolCallPart
  | InputRequestPart
  | ErrorPart;

export type TerminalClaim = WireType<'terminalClaim'>;

export type TerminalLifecycle =
  | { readonly status: 'running' }
  | { readonly status: 'exited'; readonly exitCode?: number };

export interface TerminalInfo {
  readonly resource: URI;
  readonly title: string;
  readonly claim: TerminalClaim;
  readonly exitCode?: number;
}

export interface TerminalState {
  readonly title: string;
  readonly cwd?: URI;
  readonly cols?: number;
  readonly rows?: number;
  readonly content: readonly TerminalContentPart[];
  readonly lifecycle: TerminalLifecycle;
  readonly claim: TerminalClaim;
  readonly supportsCommandDetection?: boolean;
  readonly isPty?: boolean;
}

export interface Changeset {
  readonly label: string;
  readonly uriTemplate: string;
  readonly description?: string;
  readonly changeKind: string;
  readonly capabilities?: { readonly review?: Meta };
}

export interface ChangesetFile {
  readonly id: string;
  readonly edit: FileEdit;
  readonly reviewed?: boolean;
  readonly _meta?: Meta;
}

export interface ChangesetOperation {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly scopes: readonly Open<'changeset' | 'resource' | 'range'>[];
  readonly confirmation?: StringOrMarkdown;
  readonly icon?: string;
  readonly group?: string;
  readonly status: Open<'idle' | 'running' | 'error' | 'disabled'>;
  readonly error?: ErrorInfo;
}

export interface ChangesetState {
  readonly status: Open<'computing' | 'recomputing' | 'ready' | 'error'>;
  readonly error?: ErrorInfo;
  readonly files: readonly ChangesetFile[];
  readonly operations?: readonly ChangesetOperation[];
}

export type Annotation = WireType<'annotation'>;

export interface AnnotationsState {
  readonly annotations: readonly Annotation[];
}

export interface ResourceWatchState {
  readonly root: URI;
  readonly recursive: boolean;
  readonly excludes?: { readonly items: readonly string[] };
  readonly includes?: { readonly items: readonly string[] };
}

export interface CanvasState {
  readonly instanceId: string;
  readonly extensionId: string;
  readonly canvasId: string;
  readonly extensionName?: string;
  readonly title?: string;
  readonly status?: string;
  readonly url?: string;
}

/** Every kind of channel that has state, by the name its reducer is known under. */
export interface ChannelStates {
  readonly root: RootState;
  readonly session: SessionState;
  readonly chat: ChatState;
  readonly terminal: TerminalState;
  readonly changeset: ChangesetState;
  readonly annotations: AnnotationsState;
  readonly resourceWatch: ResourceWatchState;
  readonly automation: AutomationState;
  readonly automationRun: AutomationRunState;
  readonly canvas: CanvasState;
}

export interface Snapshot {
  readonly resource: URI;
  readonly state: ChannelStates[keyof ChannelStates];
  readonly fromSeq: number;
}

export interface ActionOrigin {
  readonly clientId: string;
  readonly clientSeq: number;
}

/** Without an origin the action is the host's own. A rejected action must not be applied. */
export interface ActionEnvelope {
  readonly channel: URI;
  readonly action: StateAction;
  readonly serverSeq: number;
  readonly origin?: ActionOrigin;
  readonly rejectionReason?: string;
}
