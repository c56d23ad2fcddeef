// What the ECA door needs from the application: facts about the machine, and services. A missing service is
// not offered, or refused with a message.
import type { State } from '../../model/state.ts';
import type { FoundFile, ToolInfo } from '../../protocols/eca/messages.ts';
import type { LoginStep, McpServer, ProviderStatus } from '../../protocols/eca/serviceMessages.ts';
import type { McpServerConfig } from '../../protocols/eca/services.ts';
import type { Remote } from './remote/remote.ts';

export interface EcaOptions {
  readonly version: string;
  /** Whether the client is connected through a pipe that continues with the next host. */
  readonly resumable?: boolean;
  readonly processes?: EcaProcesses;
  readonly nativeAgent?: NativeAgentFacts;
  readonly workspaceFiles?: EcaWorkspaceFiles;
  readonly about?: HostFacts;
  /** Reads the user's ECA configuration, soon and after each change of it, until the watch is left. */
  readonly configure?: (
    sources: ConfigurationSources,
    changed: (configuration: ClientConfiguration) => void,
  ) => ConfigurationWatch;
  readonly oneShot?: OneShot;
  /** Lets browsers reach the remote API of one client. */
  readonly serveRemote?: (remote: Remote, settings: RemoteSettings) => Promise<RemoteServer | PortRefusal>;
  readonly providers?: EcaProviders;
  readonly mcp?: EcaMcpServers;
  readonly plugins?: EcaPlugins;
}

export interface EcaProcesses {
  /** Ends our own process. Called when the client sends `exit`, after the connection was closed. */
  readonly exit?: (code: number) => void;
  /** Calls back once when another process has ended; the returned function ends the watch. */
  readonly watch?: (pid: number, ended: () => void) => () => void;
}

export interface NativeAgentFacts {
  /** The tools of the native agent, with those marked that the mode disables. */
  tools(context: Pick<State, 'roots' | 'mode'>): readonly ToolInfo[];
  systemPrompt(session: Pick<State, 'roots' | 'mode' | 'model' | 'chats'>, chat?: string): string;
}

/** Files of the workspace; a missing function is a missing ability. */
export interface EcaWorkspaceFiles {
  readonly find?: (
    query: string,
    roots: readonly string[],
    index?: FileIndexOptions,
  ) => Promise<readonly FoundFile[]>;
  /** All files below the folders as one tree. */
  readonly map?: (roots: readonly string[], index?: FileIndexOptions) => Promise<string>;
  /**
   * The main work tree of a folder, so that linked work trees share their chats; any other folder
   * is returned as it is.
   */
  readonly repositoryOf?: (root: string) => string;
  readonly texts?: TextFiles;
  /** The content of an image file; undefined for any other file. */
  readonly readImage?: (
    path: string,
  ) => Promise<{ readonly mediaType: string; readonly base64: string } | undefined>;
}

/** What users see when they ask about the host. Contains no secrets. */
export interface HostFacts {
  /** Where a browser reaches the console; undefined if the host does not listen. */
  readonly consoleAddress?: () => ConsoleAddress | undefined;
  /** Facts that help to find a problem. */
  readonly facts?: () => readonly AboutFact[];
  /** The effective settings of a workspace, and the file that each comes from. */
  readonly settings?: (roots: readonly string[]) => readonly {
    readonly key: string;
    readonly value: string | number | boolean | null;
    readonly source: string;
  }[];
  /** The welcome message of the user's ECA configuration; undefined if it has none. */
  readonly welcome?: (sources: ConfigurationSources) => string | undefined;
}

export interface ConfigurationSources {
  readonly roots: readonly string[];
  /** What the client sent with `initialize`. */
  readonly initial: { readonly [key: string]: unknown };
}

export interface ConfigurationWatch {
  /** The workspace has changed. */
  move(roots: readonly string[]): void;
  /** Resolves once the local model servers have listed their models; absent if there are none. */
  readonly servers?: Promise<void>;
  /** Runs the user's hooks for the end of a session, once, and resolves when they have run. */
  end(): Promise<unknown>;
  leave(): void;
}

/** The part of the configuration that concerns one client. */
export interface ClientConfiguration {
  readonly welcomeMessage?: string;
  readonly defaultModel?: string;
  readonly defaultAgent?: string;
  /** Whether new chats are trusted. */
  readonly trust?: boolean;
  readonly completionModel?: string;
  readonly rewriteModel?: string;
  /** A longer file is not sent whole to the model that rewrites a part of it. */
  readonly rewriteLines?: number;
  readonly index?: FileIndexOptions;
  readonly prompts?: PromptOverrides;
  readonly agentPrompts?: { readonly [agent: string]: PromptOverrides };
  /** Present if the remote API is enabled. */
  readonly remote?: RemoteSettings;
  /** Why a file cannot be read; the last good configuration stays in effect. */
  readonly problems: readonly ConfigurationProblem[];
}

export interface ConfigurationProblem {
  readonly message: string;
  /** Set if something has no effect only until the user trusts a folder. */
  readonly untrusted?: true;
}

/** Which files of a workspace are listed, and how many. */
export interface FileIndexOptions {
  /** Includes files that the repository ignores. */
  readonly ignored?: true;
  readonly entries?: number;
  readonly entriesPerFolder?: number;
}

/** The user's prompts, in place of the built-in ones. */
export interface PromptOverrides {
  readonly init?: string;
  readonly skillCreate?: string;
  readonly completion?: string;
  readonly rewrite?: string;
}

export interface RemoteSettings {
  /** The host name that browsers use. */
  readonly host?: string;
  readonly bindHost?: string;
  readonly port?: number;
  readonly password?: string;
  readonly tls?:
    | { readonly certFile: string; readonly keyFile: string }
    | { readonly certUrl: string; readonly keyUrl: string };
  /** Origins of other sites that may use the API. */
  readonly origins?: readonly string[];
}

export interface RemoteServer {
  readonly url: string;
  readonly password: string;
  close(): void;
}

export type AboutFact = readonly [name: string, value: string];

/** A refusal with the message for the user. */
export interface PortRefusal {
  readonly refused: string;
}

export interface ConsoleAddress {
  readonly url: string;
  /** The file that holds the token. */
  readonly token: string;
}

/** Text files that a user names in a command. Relative paths start at the first folder of the workspace. */
export interface TextFiles {
  read(
    path: string,
    roots: readonly string[],
  ): Promise<{ readonly path: string; readonly text: string } | PortRefusal>;
  /** In a directory, creates a file with the given name. Never overwrites a file. */
  write(
    path: string,
    file: { readonly name: string; readonly text: string },
    roots: readonly string[],
  ): Promise<{ readonly path: string } | PortRefusal>;
}

/** One answer of a model, without tools or history. */
export interface OneShot {
  /** The first candidate that exists, else any model; undefined if there is no model. */
  model(purpose: 'completion' | 'rewrite', candidates: readonly (string | undefined)[]): string | undefined;
  ask(request: OneShotRequest): AsyncIterable<OneShotPart>;
}

export interface OneShotRequest {
  readonly model: string;
  readonly system: string;
  readonly prompt: string;
  readonly signal: AbortSignal;
}

export type OneShotPart =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'problem'; readonly message: string };

export interface EcaProviders {
  list(): readonly ProviderStatus[];
  login(provider: string, method: string | undefined): Promise<LoginStep | PortRefusal>;
  input(provider: string, data: { readonly [key: string]: string }): Promise<LoginStep | PortRefusal>;
  logout(provider: string): Promise<PortRefusal | undefined>;
  watch(changed: (provider: ProviderStatus) => void): () => void;
}

/** Plugins from marketplaces. A plugin is identified by its name, or by its name and its marketplace. */
export interface EcaPlugins {
  list(): Promise<
    | readonly { readonly ref: string; readonly description: string; readonly installed: boolean }[]
    | PortRefusal
  >;
  install(plugin: string): Promise<{ readonly ref: string } | PortRefusal>;
  uninstall(plugin: string): Promise<{ readonly ref: string } | PortRefusal>;
}

export type McpAction = 'start' | 'stop' | 'connect' | 'logout' | 'disable' | 'enable';

export interface EcaMcpServers {
  /** The servers of a workspace; empty before the first `watch`. */
  list(roots: readonly string[]): readonly McpServer[];
  add(
    name: string,
    config: McpServerConfig,
    where: { readonly root: string | undefined; readonly roots: readonly string[] },
  ): Promise<McpServer | PortRefusal>;
  update(name: string, config: McpServerConfig, roots: readonly string[]): Promise<PortRefusal | undefined>;
  remove(name: string, roots: readonly string[]): Promise<PortRefusal | undefined>;
  /** Connecting may return an address where the user has to sign in. */
  act(
    name: string,
    action: McpAction,
    roots: readonly string[],
  ): Promise<PortRefusal | { readonly visit: string } | undefined>;
  /** The text of a prompt, without its images. */
  prompt(
    request: {
      readonly server: string;
      readonly prompt: string;
      readonly arguments: { readonly [name: string]: string };
    },
    roots: readonly string[],
  ): Promise<{ readonly text: string } | PortRefusal>;
  /** The text of a resource that one of the servers offers. */
  read(uri: string, roots: readonly string[]): Promise<{ readonly text: string } | PortRefusal>;
  /** Reports every server of the workspace first, then each change. */
  watch(
    changed: (change: McpServer | { readonly removed: string }) => void,
    roots: readonly string[],
  ): () => void;
}
