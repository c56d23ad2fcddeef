// The actions of the root and session channels, as maps from action type to payload, and since when peers
// know them.
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

export const rootActionSince: Readonly<Record<keyof RootActions, string>> = {
  'root/agentsChanged': '0.1.0',
  'root/activeSessionsChanged': '0.1.0',
  'root/terminalsChanged': '0.1.0',
  'root/configChanged': '0.1.0',
};

export const sessionActionSince: Readonly<Record<keyof SessionActions, string>> = {
  'session/ready': '0.1.0',
  'session/creationFailed': '0.1.0',
  'session/titleChanged': '0.1.0',
  'session/isReadChanged': '0.1.0',
  'session/isArchivedChanged': '0.1.0',
  'session/activityChanged': '0.1.0',
  'session/configChanged': '0.1.0',
  'session/metaChanged': '0.1.0',
  'session/serverToolsChanged': '0.1.0',
  'session/customizationsChanged': '0.1.0',
  'session/customizationUpdated': '0.1.0',
  'session/customizationToggled': '0.1.0',
  'session/changesetsChanged': '0.2.0',
  'session/customizationRemoved': '0.2.0',
  'session/mcpServerStateChanged': '0.3.0',
  'session/chatAdded': '0.4.0',
  'session/chatRemoved': '0.4.0',
  'session/chatUpdated': '0.4.0',
  'session/defaultChatChanged': '0.4.0',
  'session/activeClientSet': '0.5.0',
  'session/activeClientRemoved': '0.5.0',
  'session/inputNeededSet': '0.5.1',
  'session/inputNeededRemoved': '0.5.1',
  'session/mcpServerStartRequested': '0.5.2',
  'session/mcpServerStopRequested': '0.5.2',
  'session/workingDirectorySet': '0.7.0',
  'session/workingDirectoryRemoved': '0.7.0',
  'session/workingDirectoryReplaced': '0.8.0',
  'session/chatsReordered': '1.0.0',
  'session/mcpServerBackgroundRequested': '1.0.0',
};
