// What extends an agent: plugins, directories and MCP servers, and below the first two their children.
import type { WireType } from './wireType.ts';

export type EnablementEntry = WireType<'enablementEntry'>;

export type CustomizationLoadState = WireType<'customizationLoadState'>;

export type ClientPluginCustomization = WireType<'clientPluginCustomization'>;

export type McpServerState = WireType<'mcpServerState'>;

export type ChildCustomization = WireType<'childCustomization'>;

export type Customization = WireType<'customization'>;

export type DirectoryCustomization = Extract<Customization, { readonly type: 'directory' }>;

export type McpServerCustomization = Extract<Customization, { readonly type: 'mcpServer' }>;
