// The actions of the root and session channels, as a map from action type to payload.
import type { ErrorInfo, Meta, URI } from './content.ts';
import type { Customization, EnablementEntry, McpServerState } from './customization.ts';
import type {
  AgentInfo,
  Changeset,
  ChatSummary,
  SessionActiveClient,
  SessionInputRequest,
  TerminalInfo,
} from './state.ts';
import type { ToolDefinition } from './toolCall.ts';

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

export interface SessionActions {
  'session/ready': object;
  'session/creationFailed': { readonly error: ErrorInfo };
  'session/chatAdded': { readonly summary: ChatSummary };
  'session/chatRemoved': { readonly chat: URI };
  'session/chatUpdated': { readonly chat: URI; readonly changes: Partial<ChatSummary> };
  'session/chatsReordered': { readonly chats: readonly URI[] };
  'session/defaultChatChanged': { readonly defaultChat?: URI };
  'session/titleChanged': { readonly title: string };
  'session/isReadChanged': { readonly isRead: boolean };
  'session/isArchivedChanged': { readonly isArchived: boolean };
  'session/activityChanged': { readonly activity?: string };
  'session/changesetsChanged': { readonly changesets?: readonly Changeset[] };
  'session/configChanged': ConfigChange;
  'session/metaChanged': { readonly _meta?: Meta };
  'session/serverToolsChanged': { readonly tools: readonly ToolDefinition[] };
  'session/activeClientSet': { readonly activeClient: SessionActiveClient };
  'session/activeClientRemoved': { readonly clientId: string };
  'session/workingDirectorySet': { readonly directory: URI };
  'session/workingDirectoryRemoved': { readonly directory: URI };
  'session/workingDirectoryReplaced': { readonly directory: URI; readonly replacement: URI };
  'session/inputNeededSet': { readonly request: SessionInputRequest };
  'session/inputNeededRemoved': { readonly id: string };
  'session/customizationsChanged': { readonly customizations: readonly Customization[] };
  'session/customizationUpdated': { readonly customization: Customization };
  'session/customizationRemoved': { readonly id: string };
  'session/customizationToggled': { readonly id: string; readonly enablement: readonly EnablementEntry[] };
  'session/mcpServerStateChanged': {
    readonly id: string;
    readonly state: McpServerState;
    readonly channel?: URI;
  };
  'session/mcpServerStartRequested': { readonly id: string };
  'session/mcpServerStopRequested': { readonly id: string };
  'session/mcpServerBackgroundRequested': { readonly id: string };
}
