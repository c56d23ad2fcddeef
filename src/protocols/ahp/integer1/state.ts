// The state behind each resource of protocol version 1, and how it travels.
import type { z } from 'zod';
import type { StateAction } from './actions.ts';
import type {
  ConfigState,
  ContentRef,
  ErrorInfo,
  FileEdit,
  Meta,
  SessionConfigState,
  URI,
  UsageInfo,
} from '../v1_0/content.ts';
import type { ChatInputRequest } from '../v1_0/message.ts';
import type * as v1_0 from '../v1_0/state.ts';
import type { ToolDefinition } from '../v1_0/toolCall.ts';
import type { CustomizationRef, SessionCustomization } from './customization.ts';
import type { ModelSelection, PendingMessage, UserMessage } from './message.ts';
import type { contentTypes } from './schema/content.ts';
import type { ToolCallState } from './toolCall.ts';

export const rootResource: URI = 'agenthost:/root';

export interface RootState {
  readonly agents: readonly AgentInfo[];
  readonly activeSessions?: number;
  readonly terminals?: readonly TerminalInfo[];
  readonly config?: ConfigState;
}

export interface AgentInfo extends Omit<v1_0.AgentInfo, 'customizations' | 'capabilities'> {
  readonly customizations?: readonly CustomizationRef[];
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
  readonly inputRequests?: readonly ChatInputRequest[];
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

export type SessionActiveClient = z.output<(typeof contentTypes)['activeClient']>;

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

export type TerminalClaim = z.output<(typeof contentTypes)['terminalClaim']>;

export interface TerminalInfo extends Omit<v1_0.TerminalInfo, 'claim'> {
  readonly claim: TerminalClaim;
}

export interface TerminalState extends Omit<v1_0.TerminalState, 'lifecycle' | 'claim' | 'isPty'> {
  readonly exitCode?: number;
  readonly claim: TerminalClaim;
}

export interface Snapshot {
  readonly resource: URI;
  readonly state: RootState | SessionState | TerminalState;
  readonly fromSeq: number;
}

/** The action itself names what it is about. */
export interface ActionEnvelope extends Omit<v1_0.ActionEnvelope, 'channel' | 'action'> {
  readonly action: StateAction;
}
