// What users can set, as the rest of the program reads it. Where it is written, checked and watched is somebody else's business.
import type { Json, Rule } from '../../model/event.ts';
import type { AgentDefinition, Hook, HookEvent, ModeWords } from './projectKnowledge.ts';

/** A read-only view of the settings that follows the files. */
export interface Settings {
  /** What holds for a session on these folders; what their own files say counts as far as the user trusts them. */
  of(roots: readonly string[]): SettingsValues;
  /** What is wrong with the files now; the last good settings hold meanwhile. */
  problems(): readonly SettingsProblem[];
  /** Calls back after anything has changed, problems included. */
  watch(changed: () => void): () => void;
}

export interface SettingsProblem {
  readonly file: string;
  /** The folder that brought the file along; absent for the user's own. */
  readonly folder?: string;
  /** `untrusted` is no fault: the folder's file says more than is in effect until the user trusts it. */
  readonly kind: 'broken' | 'invalid' | 'unreadable' | 'untrusted';
  /** Can be shown as it is. */
  readonly message: string;
  readonly line?: number;
}

export interface SettingsValues {
  readonly defaultModel?: string;
  readonly defaultAgent?: string;
  readonly providers: { readonly [id: string]: ProviderSettings };
  /** By expressions that are found in the names of models. */
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
  /** What `env: "test"` in an ECA configuration asks for: pieces of an answer are kept exactly as they arrive. */
  readonly deterministic?: boolean;
  readonly instructions: { readonly parents: 'none' | 'repository' | 'all' };
  readonly limits: LimitSettings;
  readonly shell?: ShellSettings;
  readonly prompts?: PromptSettings;
  readonly retention: { readonly days: number };
  readonly server: ServerSettings;
  readonly network?: NetworkSettings;
}

/** Ways to think that many models have. */
export interface VariantSettings {
  readonly ways: NonNullable<ModelSettings['variants']>;
  /** Providers whose models are left alone. */
  readonly except?: readonly string[];
  /** The only wire formats it is for. */
  readonly api?: ProviderSettings['api'] | readonly NonNullable<ProviderSettings['api']>[];
}

/** Words of the user for models, in place of ours. */
export interface PromptSettings extends ModeWords {
  /** False where conversations get no titles by themselves. */
  readonly titles?: boolean;
  /** True where a conversation that has begun follows changes of the instructions at once. */
  readonly follow?: boolean;
}

/** Files with certificates for requests that we make. */
export interface NetworkSettings {
  /** Of an authority to believe besides the usual ones. */
  readonly ca?: string;
  /** What we show to servers that want to know who asks. */
  readonly cert?: string;
  readonly key?: string;
  readonly passphrase?: Reference;
  /** After how many milliseconds a connection that does not come about is given up. */
  readonly connect?: number;
}

/** How command lines are run and shown. */
export interface ShellSettings {
  readonly path?: string;
  readonly args?: readonly string[];
  /** How much of a line is shown in the title of its call, in letters. */
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

/** Text in which `${env:NAME}` and `${env:NAME:otherwise}` stand for the environment, and `${secret:NAME}` for a stored secret; expanded only where it is used. */
export type Reference = string;

export interface ProviderSettings {
  readonly api?: 'anthropic' | 'openai-responses' | 'openai-chat' | 'google' | 'bedrock' | 'ollama';
  readonly url?: Reference;
  /** Where requests go below the address, if not where they usually do. */
  readonly path?: string;
  readonly key?: Reference;
  /** Whether its key and address count before those of the environment. */
  readonly overEnvironment?: boolean;
  readonly headers?: { readonly [name: string]: Reference };
  readonly fetchModels?: boolean;
  /** Whether it wants a key; where nobody says so, the known ones do, and others do that are given one. */
  readonly needsKey?: boolean;
  /** Where one signs in to it, and as which program, where it is not as usual. */
  readonly signIn?: SignInSettings;
  readonly retry?: RetrySettings;
  /** Failures of this provider that pass by themselves, though they do not look like it. */
  readonly retryRules?: readonly RetryRule[];
  /** How long it is asked to keep what it may cache. */
  readonly cache?: 'short' | 'long';
  /** What its models put around thoughts that come among the words. */
  readonly thinkTags?: { readonly start: string; readonly end: string };
  /** Which thoughts its models are given back, where they are plain words. */
  readonly reasoning?: 'all' | 'turn' | 'off';
  /** What it may do on its own side. */
  readonly webSearch?: boolean;
  readonly imageGeneration?: boolean;
  readonly models?: { readonly [id: string]: ModelSettings };
}

export interface SignInSettings {
  readonly url?: string;
  readonly clientId?: string;
}

/** How often a request is repeated and how long the waits are, in milliseconds. */
export interface RetrySettings {
  readonly attempts?: number;
  /** After an answer that was empty or could not be read. */
  readonly emptyAttempts?: number;
  readonly base?: number;
  readonly factor?: number;
  readonly longest?: number;
  /** The longest wait that a provider may ask for. */
  readonly wait?: number;
  /** How often in a turn a model is asked to finish an answer that was cut off. */
  readonly continues?: number;
}

/** What a rule does not say fits everything. */
export interface RetryRule {
  readonly status?: number;
  readonly pattern?: string;
  readonly label?: string;
}

export interface ModelSettings {
  /** What the provider calls it, where that is another name. */
  readonly name?: string;
  readonly context?: number;
  readonly output?: number;
  readonly images?: boolean;
  /** In place of what holds for its provider. */
  readonly webSearch?: boolean;
  readonly imageGeneration?: boolean;
  /** Which of its thoughts it is given back. */
  readonly reasoning?: 'all' | 'turn' | 'off';
  /** Ways to think, with the fields that each adds to a request. */
  readonly variants?: { readonly [name: string]: { readonly [name: string]: Json } };
  /** Money for a million tokens. */
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
  /** Absent for an agent that is known by its id. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: { readonly [name: string]: Reference };
  /** Variables of our own environment that it may see. */
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
  /** A command line in which `{{name}}` stands for an argument, quoted for the shell. */
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
  /** In place of one command, several programs one after the other. */
  readonly actions?: readonly {
    readonly command?: string;
    readonly file?: string;
    readonly timeout?: number;
  }[];
  readonly visible?: boolean;
  readonly onlyDone?: boolean;
}

/** A way for the native agent to work. */
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
  /** Another one that says what is not said here. */
  readonly inherit?: string;
  readonly disabled?: boolean;
  readonly approvals?: readonly Rule[];
}

export interface LimitSettings {
  readonly steps: number;
  readonly tokens?: number;
  readonly money?: number;
  /** What all turns of a session may use together. */
  readonly session?: { readonly steps?: number; readonly tokens?: number; readonly money?: number };
  readonly outputLines: number;
  readonly outputBytes: number;
  readonly commandTimeout: number;
  /** How many lines of a file are read where the model does not say; how many milliseconds an editor may take to tell about code. */
  readonly readLines?: number;
  readonly editorTimeout?: number;
  /** How full the context may get before it is compacted, in percent. */
  readonly compactAt: number;
  /** How many milliseconds of silence end an answer of a model, and how long a tool server may take. */
  readonly silence?: number;
  readonly serverTimeout?: number;
  /** How many milliseconds a tool server that has nothing to do is left without a question whether it is alive. */
  readonly serverKeepAlive?: number;
}
