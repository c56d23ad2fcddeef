// The state behind each resource of protocol version 1, and how it travels.
import type { TerminalContentPart } from '../terminalContent.ts';
import type { StateAction } from './actions.ts';
import type {
  ConfigSchema,
  ConfigState,
  ContentRef,
  ErrorInfo,
  FileEdit,
  Meta,
  Open,
  ProtectedResourceMetadata,
  SessionConfigState,
  URI,
  UsageInfo,
} from './content.ts';
import type { CustomizationRef, SessionCustomization } from './customization.ts';
import type { ModelSelection, PendingMessage, SessionInputRequest, UserMessage } from './message.ts';
import type { ToolCallState, ToolDefinition } from './toolCall.ts';

export const rootResource: URI = 'agenthost:/root';

export interface RootState {
  readonly agents: readonly AgentInfo[];
  readonly activeSessions?: number;
  readonly terminals?: readonly TerminalInfo[];
  readonly config?: ConfigState;
}

export interface AgentInfo {
  readonly provider: string;
  readonly displayName: string;
  readonly description: string;
  readonly models: readonly SessionModelInfo[];
  readonly protectedResources?: readonly ProtectedResourceMetadata[];
  readonly customizations?: readonly CustomizationRef[];
}

export interface SessionModelInfo {
  readonly id: string;
  readonly provider: string;
  readonly name: string;
  readonly maxContextWindow?: number;
  readonly supportsVision?: boolean;
  readonly policyState?: Open<'enabled' | 'disabled' | 'unconfigured'>;
  readonly configSchema?: ConfigSchema;
}

export interface SessionState {
  readonly summary: SessionSummary;
  readonly lifecycle: 'creating' | 'ready' | 'creationFailed';
  readonly creationError?: ErrorInfo;
  readonly serverTools?: readonly ToolDefinition[];
  readonly activeClient?: SessionActiveClient;
  readonly turns: readonly Turn[];
  readonly activeTurn?: ActiveTurn;
  readonly steeringMessage?: PendingMessage;
  readonly queuedMessages?: readonly PendingMessage[];
  readonly inputRequests?: readonly SessionInputRequest[];
  readonly config?: SessionConfigState;
  readonly customizations?: readonly SessionCustomization[];
  readonly _meta?: Meta;
}

export interface SessionSummary {
  readonly resource: URI;
  readonly provider: string;
  readonly title: string;
  readonly status: number;
  readonly activity?: string;
  /** Milliseconds since the epoch, as is `modifiedAt`. */
  readonly createdAt: number;
  readonly modifiedAt: number;
  readonly project?: { readonly uri: URI; readonly displayName: string };
  readonly model?: ModelSelection;
  readonly workingDirectory?: URI;
  readonly diffs?: readonly FileEdit[];
}

export interface SessionActiveClient {
  readonly clientId: string;
  readonly displayName?: string;
  readonly tools: readonly ToolDefinition[];
  readonly customizations?: readonly CustomizationRef[];
}

export interface ActiveTurn {
  readonly id: string;
  readonly userMessage: UserMessage;
  readonly responseParts: readonly ResponsePart[];
  readonly usage?: UsageInfo;
}

export interface Turn extends ActiveTurn {
  readonly state: 'complete' | 'cancelled' | 'error';
  readonly error?: ErrorInfo;
}

export type ResponsePart =
  | { readonly kind: 'markdown'; readonly id: string; readonly content: string }
  | { readonly kind: 'reasoning'; readonly id: string; readonly content: string }
  | ({ readonly kind: 'contentRef' } & ContentRef)
  | { readonly kind: 'toolCall'; readonly toolCall: ToolCallState };

export type TerminalClaim =
  | { readonly kind: 'client'; readonly clientId: string }
  | {
      readonly kind: 'session';
      readonly session: URI;
      readonly turnId?: string;
      readonly toolCallId?: string;
    };

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
  readonly exitCode?: number;
  readonly claim: TerminalClaim;
  readonly supportsCommandDetection?: boolean;
}

export interface Snapshot {
  readonly resource: URI;
  readonly state: RootState | SessionState | TerminalState;
  readonly fromSeq: number;
}

export interface ActionOrigin {
  readonly clientId: string;
  readonly clientSeq: number;
}

/** Without an origin the action is the host's own. A rejected action must not be applied. */
export interface ActionEnvelope {
  readonly action: StateAction;
  readonly serverSeq: number;
  readonly origin?: ActionOrigin;
  readonly rejectionReason?: string;
}
