// The actions of the root and session channels, as a map from action type to payload.
import type { ClientActions } from '../actionTypes.ts';
import type { clientActionSchemas } from './schema/actions.ts';
import type { ErrorInfo, Meta, URI } from './content.ts';
import type { Customization, McpServerState } from './customization.ts';
import type { AgentInfo, Changeset, ChatSummary, SessionInputRequest, TerminalInfo } from './state.ts';
import type { ToolDefinition } from './toolCall.ts';

export interface RootActions extends ClientActions<typeof clientActionSchemas, 'root'> {
  'root/agentsChanged': { readonly agents: readonly AgentInfo[] };
  'root/activeSessionsChanged': { readonly activeSessions: number };
  'root/terminalsChanged': { readonly terminals: readonly TerminalInfo[] };
}

export interface SessionActions extends ClientActions<typeof clientActionSchemas, 'session'> {
  'session/ready': object;
  'session/creationFailed': { readonly error: ErrorInfo };
  'session/chatAdded': { readonly summary: ChatSummary };
  'session/chatRemoved': { readonly chat: URI };
  'session/chatUpdated': { readonly chat: URI; readonly changes: Partial<ChatSummary> };
  'session/chatsReordered': { readonly chats: readonly URI[] };
  'session/defaultChatChanged': { readonly defaultChat?: URI };
  'session/activityChanged': { readonly activity?: string };
  'session/changesetsChanged': { readonly changesets?: readonly Changeset[] };
  'session/metaChanged': { readonly _meta?: Meta };
  'session/serverToolsChanged': { readonly tools: readonly ToolDefinition[] };
  'session/inputNeededSet': { readonly request: SessionInputRequest };
  'session/inputNeededRemoved': { readonly id: string };
  'session/customizationsChanged': { readonly customizations: readonly Customization[] };
  'session/customizationUpdated': { readonly customization: Customization };
  'session/customizationRemoved': { readonly id: string };
  'session/mcpServerStateChanged': {
    readonly id: string;
    readonly state: McpServerState;
    readonly channel?: URI;
  };
}
