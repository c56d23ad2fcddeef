// The settings as the rest of the program reads them. src/io/settings reads, checks and watches the files.
import type { Json, Rule } from '../../model/event.ts';
import type { AgentDefinition, Hook, HookEvent, ModePrompts } from './projectKnowledge.ts';

/** A read-only view of the settings; it follows changes to the files. */
export interface Settings {
  /** The effective settings of a session in these folders; untrusted folders can only restrict. */
  of(roots: readonly string[]): SettingsValues;
  /** The current problems with the files; the last valid settings stay in effect. */
  problems(): readonly SettingsProblem[];
  /** Calls back after every change of settings or problems; returns the unsubscribe function. */
  watch(changed: () => void): () => void;
  /** Trust in folders; absent if folders bring nothing that needs it. */
  readonly trust?: FolderTrust;
}

/** Which workspace folders wait for the user's trust, and the user's decisions. */
export interface FolderTrust {
  /** Those of these folders that bring something that trust would enable, and are not decided. */
  undecided(roots: readonly string[]): readonly UndecidedFolder[];
  /** A decision for this time lasts until its session is closed, or the host ends. */
  decide(folder: UndecidedFolder, decision: TrustDecision, session: string): void;
  /** The session was closed. */
  endSession(session: string): void;
}

export type TrustDecision = 'trust' | 'once' | 'never';

export interface UndecidedFolder {
  readonly folder: string;
  /** A digest of what the folder brings; a decision is about exactly this. */
  readonly digest: string;
  /** Whether it was trusted before and has changed since. */
  readonly changed: boolean;
  /** What it brings, one line each, without hidden characters. */
  readonly lines: readonly string[];
}

export interface SettingsProblem {
  readonly file: string;
  /** The workspace folder that contains the file; absent for the user's own file. */
  readonly folder?: string;
  /** `untrusted` is not an error: some settings of the folder have no effect until the user trusts it. */
  readonly kind: 'broken' | 'invalid' | 'unreadable' | 'untrusted';
  /** A complete sentence for users. */
  readonly message: string;
  readonly line?: number;
}

export interface SettingsValues {
  readonly defaultModel?: string;
  readonly defaultAgent?: string;
  readonly providers: { readonly [id: string]: ProviderSettings };
  /** Reasoning presets, by a regular expression for model names. */
  readonly variants?: { readonly [expression: string]: VariantSettings };
  readonly agents: { readonly [id: string]: AgentSettings };
  readonly approvals: readonly Rule[];
  readonly mcpServers: { readonly [name: string]: McpServerSettings };
  readonly disabledTools: readonly string[];
  readonly customTools: { readonly [name: string]: CustomToolSettings };
  readonly hooks: { readonly [name: string]: HookSettings };
  readonly modes: { readonly [name: string]: ModeSettings };
  readonly rules: readonly { readonly path: string }[];
  readonly commands: readonly { readonly path: string }[];
  readonly skills: readonly { readonly path: string }[];
  readonly plugins: readonly { readonly name: string; readonly path: string }[];
  readonly instructions: { readonly parents: 'none' | 'repository' | 'all' };
  readonly limits: LimitSettings;
  readonly shell?: ShellSettings;
  readonly prompts?: PromptSettings;
  readonly retention: { readonly days: number };
  readonly server: ServerSettings;
  readonly network?: NetworkSettings;
}

/** Reasoning presets for all matching models. */
export interface VariantSettings {
  readonly ways: NonNullable<ModelSettings['variants']>;
  /** Ids of providers to exclude. */
  readonly except?: readonly string[];
  /** The wire formats that the presets apply to; absent means all. */
  readonly api?: ProviderApi | readonly ProviderApi[];
}

/** Prompts of the user that replace the built-in ones. */
export interface PromptSettings extends ModePrompts {
  /** False disables generated titles. */
  readonly titles?: boolean;
  /** True applies changed instructions to running conversations immediately. */
  readonly follow?: boolean;
}

/** Certificates and timeout of outgoing connections. */
export interface NetworkSettings {
  /** File with the certificate of an additional certificate authority. */
  readonly ca?: string;
  /** File with the client certificate. */
  readonly cert?: string;
  readonly key?: string;
  readonly passphrase?: Reference;
  /** Timeout of a connection attempt in milliseconds. */
  readonly connect?: number;
}

/** How commands run and how they are shown. */
export interface ShellSettings {
  readonly path?: string;
  readonly args?: readonly string[];
  /** Maximum length of a command in the title of its call, in characters. */
  readonly titleLength?: number;
}

export interface ServerSettings {
  readonly host: string;
  readonly port?: number;
  readonly tls?: boolean;
  readonly cert?: string;
  readonly key?: string;
  readonly insecure?: boolean;
}

/**
 * Text with references: `${env:NAME}` and `${env:NAME:default}` to the environment, `${secret:NAME}` to a
 * stored secret. The value is expanded only where it is used.
 */
export type Reference = string;

/** The wire formats that a user can choose for a provider. */
export const providerApis = [
  'anthropic',
  'openai-responses',
  'openai-chat',
  'google',
  'bedrock',
  'ollama',
] as const;

export type ProviderApi = (typeof providerApis)[number];

export interface ProviderSettings {
  readonly api?: ProviderApi;
  readonly url?: Reference;
  /** Path below the base URL, if it differs from the usual one. */
  readonly path?: string;
  readonly key?: Reference;
  /** Whether its key and URL take precedence over environment variables. */
  readonly overEnvironment?: boolean;
  readonly headers?: { readonly [name: string]: Reference };
  readonly fetchModels?: boolean;
  /** Whether it requires a key; by default known providers and providers with a key do. */
  readonly needsKey?: boolean;
  /** Sign-in server and client, if they differ from the usual ones. */
  readonly signIn?: SignInSettings;
  readonly retry?: RetrySettings;
  /** Additional failures of this provider to retry. */
  readonly retryRules?: readonly RetryRule[];
  /** Lifetime of the prompt cache. */
  readonly cache?: 'short' | 'long';
  /** Tags that mark reasoning inside the text of an answer. */
  readonly thinkTags?: { readonly start: string; readonly end: string };
  /** Which plain-text reasoning is sent back to its models. */
  readonly reasoning?: 'all' | 'turn' | 'off';
  /** Tools that the provider runs itself. */
  readonly webSearch?: boolean;
  readonly imageGeneration?: boolean;
  readonly models?: { readonly [id: string]: ModelSettings };
}

export interface SignInSettings {
  readonly url?: string;
  readonly clientId?: string;
}

/** Retry policy; delays are in milliseconds. */
export interface RetrySettings {
  readonly attempts?: number;
  /** Maximum number of retries after an empty or unreadable answer. */
  readonly emptyAttempts?: number;
  readonly base?: number;
  readonly factor?: number;
  readonly longest?: number;
  /** The longest delay that a provider may request. */
  readonly wait?: number;
  /** How often per turn a model is asked to continue a truncated answer. */
  readonly continues?: number;
}

/** An absent member matches everything. */
export interface RetryRule {
  readonly status?: number;
  readonly pattern?: string;
  readonly label?: string;
}

export interface ModelSettings {
  /** The name that the provider uses, if it differs from the id. */
  readonly name?: string;
  readonly context?: number;
  readonly output?: number;
  readonly images?: boolean;
  /** Overrides the setting of its provider. */
  readonly webSearch?: boolean;
  readonly imageGeneration?: boolean;
  /** Which plain-text reasoning is sent back to the model. */
  readonly reasoning?: 'all' | 'turn' | 'off';
  /** Reasoning presets by name, each with the fields that it adds to a request. */
  readonly variants?: { readonly [name: string]: { readonly [name: string]: Json } };
  /** Prices in USD per million tokens. */
  readonly cost?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
  };
  readonly headers?: { readonly [name: string]: Reference };
  readonly extra?: { readonly [name: string]: Json };
}

export interface AgentSettings {
  readonly name?: string;
  readonly description?: string;
  /** Absent if Parley knows the agent by its id. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: { readonly [name: string]: Reference };
  /** Names of environment variables that the agent inherits. */
  readonly inherits?: readonly string[];
  readonly mode?: string;
  readonly disabled?: boolean;
}

export type McpServerSettings =
  | {
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: { readonly [name: string]: Reference };
      readonly disabled?: boolean;
    }
  | {
      readonly url: Reference;
      readonly headers?: { readonly [name: string]: Reference };
      readonly clientId?: string;
      readonly clientSecret?: Reference;
      readonly clientName?: string;
      readonly callbackPort?: number;
      readonly scope?: string;
      readonly disabled?: boolean;
    };

export interface CustomToolSettings {
  readonly description: string;
  /** A command line; `{{name}}` is replaced by the argument, quoted for the shell. */
  readonly command: string;
  readonly schema: {
    readonly properties: { readonly [name: string]: Json };
    readonly required?: readonly string[];
  };
}

export interface HookSettings {
  readonly on: HookEvent;
  readonly matcher?: Hook['matcher'];
  readonly command?: string;
  readonly timeout?: number;
  /** Several commands or programs, run in order, instead of one command. */
  readonly actions?: readonly {
    readonly command?: string;
    readonly file?: string;
    readonly timeout?: number;
  }[];
  readonly visible?: boolean;
  readonly onlyDone?: boolean;
}

/** A mode of the native agent. */
export interface ModeSettings extends Partial<
  Pick<
    AgentDefinition,
    | 'description'
    | 'mode'
    | 'prompt'
    | 'prompts'
    | 'model'
    | 'variant'
    | 'readOnly'
    | 'disabledTools'
    | 'tools'
    | 'maxSteps'
    | 'compactAt'
    | 'spawnableBy'
  >
> {
  /** The mode that provides every setting that is absent here. */
  readonly inherit?: string;
  readonly disabled?: boolean;
  readonly approvals?: readonly Rule[];
}

export interface LimitSettings {
  readonly steps: number;
  readonly tokens?: number;
  readonly money?: number;
  /** Limits for all turns of a session together. */
  readonly session?: { readonly steps?: number; readonly tokens?: number; readonly money?: number };
  readonly outputLines: number;
  readonly outputBytes: number;
  readonly commandTimeout: number;
  /** Number of lines read from a file if the model gives none. */
  readonly readLines?: number;
  /** Timeout in milliseconds for requests to the editor, such as diagnostics. */
  readonly editorTimeout?: number;
  /** Context usage in percent at which a conversation is compacted. */
  readonly compactAt: number;
  /** Timeout in milliseconds for a model that sends no data. */
  readonly silence?: number;
  /** Timeout in milliseconds for the start of an MCP server and for a call without progress. */
  readonly serverTimeout?: number;
  /** Interval in milliseconds for pings to an idle MCP server. */
  readonly serverKeepAlive?: number;
}
