// What extends an agent: plugins, directories and MCP servers, and below the first two their children.
import type { ErrorInfo, Icon, Meta, Open, TextRange, URI } from './content.ts';
import type { McpAuthRequirement } from './toolCall.ts';

interface CustomizationBase {
  readonly id: string;
  readonly uri: URI;
  readonly name: string;
  readonly icons?: readonly Icon[];
  readonly range?: TextRange;
  readonly _meta?: Meta;
}

/** The first entry of a list decides; an empty or absent list means enabled. */
export interface EnablementEntry {
  readonly kind: Open<'global' | 'workspace' | 'session'>;
  readonly uri?: URI;
  readonly enabled: boolean;
}

export type CustomizationLoadState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'loaded' }
  | { readonly kind: 'degraded'; readonly message: string }
  | { readonly kind: 'error'; readonly message: string };

interface ContainerBase extends CustomizationBase {
  readonly clientId?: string;
  readonly load?: CustomizationLoadState;
  readonly children?: readonly ChildCustomization[];
}

export interface PluginCustomization extends ContainerBase {
  readonly type: 'plugin';
  readonly enablement?: readonly EnablementEntry[];
  readonly version?: string;
}

/** A plugin that a client brings along; `nonce` tells when the host has to read it again. */
export interface ClientPluginCustomization extends PluginCustomization {
  readonly nonce?: string;
}

export interface DirectoryCustomization extends ContainerBase {
  readonly type: 'directory';
  readonly enabled: boolean;
  readonly contents: Open<'agent' | 'skill' | 'prompt' | 'rule' | 'hook' | 'mcpServer'>;
  readonly writable: boolean;
}

export type McpServerState =
  | { readonly kind: 'starting'; readonly blocking?: boolean }
  | { readonly kind: 'ready' }
  | ({ readonly kind: 'authRequired' } & McpAuthRequirement)
  | { readonly kind: 'error'; readonly error: ErrorInfo }
  | { readonly kind: 'stopped' };

export interface McpServerCustomization extends CustomizationBase {
  readonly type: 'mcpServer';
  readonly enablement?: readonly EnablementEntry[];
  readonly state: McpServerState;
  readonly channel?: URI;
  readonly mcpApp?: { readonly capabilities: Readonly<Record<string, unknown>> };
}

interface ChildBase extends CustomizationBase {
  readonly enabled?: boolean;
}

export interface AgentCustomization extends ChildBase {
  readonly type: 'agent';
  readonly description?: string;
  readonly model?: string;
  readonly tools?: readonly string[];
  readonly disableModelInvocation?: boolean;
  readonly disableUserInvocation?: boolean;
}

export interface SkillCustomization extends ChildBase {
  readonly type: 'skill';
  readonly description?: string;
  readonly disableModelInvocation?: boolean;
  readonly disableUserInvocation?: boolean;
}

export interface PromptCustomization extends ChildBase {
  readonly type: 'prompt';
  readonly description?: string;
}

export interface RuleCustomization extends ChildBase {
  readonly type: 'rule';
  readonly description?: string;
  readonly alwaysApply?: boolean;
  readonly globs?: readonly string[];
}

export interface HookCustomization extends ChildBase {
  readonly type: 'hook';
}

export type ChildCustomization =
  | AgentCustomization
  | SkillCustomization
  | PromptCustomization
  | RuleCustomization
  | HookCustomization
  | McpServerCustomization;

export type Customization = PluginCustomization | DirectoryCustomization | McpServerCustomization;
