// What the ECA door is given from outside: facts it cannot know and services it does not do itself. What is absent is not offered, or refused in words.
import type { State } from '../../model/state.ts';
import type { FoundFile, ToolInfo } from '../../protocols/eca/messages.ts';
import type { LoginStep, McpServer, ProviderStatus } from '../../protocols/eca/serviceMessages.ts';
import type { McpServerConfig } from '../../protocols/eca/services.ts';
import type { Limits } from '../../rpc/transports/transport.ts';
import type { Remote } from './remote/remote.ts';

export interface EcaDoorOptions {
  readonly version: string;
  /** Called when the client says `exit`, after the connection was told to end. */
  readonly exit?: (code: number) => void;
  readonly limits?: Partial<Limits>;
  /** Calls back once when a process has ended; the returned function ends the watch. */
  readonly watchProcess?: (pid: number, ended: () => void) => () => void;
  /** The native agent's tools, for clients to show, and which of them it does not have in a way to work. */
  readonly tools?: (place: Pick<State, 'roots' | 'mode'>) => readonly ToolInfo[];
  readonly findFiles?: (
    query: string,
    roots: readonly string[],
    index?: IndexWishes,
  ) => Promise<readonly FoundFile[]>;
  /** All files below the folders as one tree. */
  readonly repoMap?: (roots: readonly string[], index?: IndexWishes) => Promise<string>;
  /** What the model of a session with our own agent is told beforehand. */
  readonly systemPrompt?: (
    session: Pick<State, 'roots' | 'mode' | 'model' | 'notes' | 'agent'>,
    chat?: string,
  ) => string;
  /** Where a browser reaches this host; nothing where it listens nowhere. */
  readonly web?: () => ConsolePlace | undefined;
  /** What helps to find out why something does not work: name and value. Holds no secret. */
  readonly facts?: () => readonly Fact[];
  /** What is set for a workspace, and who says so. Holds no secret. */
  readonly settings?: (roots: readonly string[]) => readonly {
    readonly key: string;
    readonly value: string | number | boolean | null;
    readonly source: string;
  }[];
  /** What a folder is a part of, so that linked work trees of one repository have their chats in common; the folder itself where it is nothing more. */
  readonly homeOf?: (root: string) => string;
  readonly files?: TextFiles;
  /** A file that is a picture; nothing where it is none, or cannot be read. */
  readonly picture?: (
    path: string,
  ) => Promise<{ readonly mediaType: string; readonly base64: string } | undefined>;
  /** Reads the user's ECA configuration, soon and after each change of it, until it is left. */
  readonly configure?: (sources: ConfigSources, changed: (now: Configured) => void) => Following;
  readonly oneShot?: OneShot;
  /** Lets browsers reach the remote API of one client. */
  readonly serveRemote?: (remote: Remote, settings: RemoteSettings) => Promise<RemoteServed | Refused>;
  readonly providers?: Providers;
  readonly mcp?: McpServers;
  readonly plugins?: Plugins;
}

export interface ConfigSources {
  readonly roots: readonly string[];
  /** What the client sent with `initialize`. */
  readonly initial: { readonly [key: string]: unknown };
}

export interface Following {
  /** The workspace is another now. */
  move(roots: readonly string[]): void;
  /** Resolves once the model servers that the user has named have said what they have; absent where there are none. */
  readonly servers?: Promise<void>;
  /** The client is about to go: runs what its user wants to happen then, once, and resolves when that is over. */
  end(): Promise<unknown>;
  leave(): void;
}

/** What the configuration says about one client. */
export interface Configured {
  readonly welcomeMessage?: string;
  readonly defaultModel?: string;
  readonly defaultAgent?: string;
  /** Whether new chats are trusted. */
  readonly trust?: boolean;
  readonly completionModel?: string;
  readonly rewriteModel?: string;
  /** How many lines a file may have to be shown whole to who rewrites a part of it. */
  readonly rewriteLines?: number;
  readonly index?: IndexWishes;
  /** Words of the user in place of ours. */
  readonly prompts?: OwnPrompts;
  /** The same for single agents. */
  readonly agentPrompts?: { readonly [agent: string]: OwnPrompts };
  /** Present where browsers may come in. */
  readonly remote?: RemoteSettings;
  /** What cannot be read; the last good configuration holds meanwhile. */
  readonly problems: readonly string[];
}

/** Which files of a workspace count, and how long a list of them may be. */
export interface IndexWishes {
  /** Set where files count that the repository ignores. */
  readonly ignored?: true;
  readonly entries?: number;
  readonly entriesPerFolder?: number;
}

export interface OwnPrompts {
  readonly init?: string;
  readonly skillCreate?: string;
  readonly completion?: string;
  readonly rewrite?: string;
}

export interface RemoteSettings {
  /** What the address is called from outside. */
  readonly host?: string;
  readonly bindHost?: string;
  readonly port?: number;
  readonly password?: string;
  readonly tls?:
    | { readonly certFile: string; readonly keyFile: string }
    | { readonly certUrl: string; readonly keyUrl: string };
  /** Pages of other sites that may use it. */
  readonly origins?: readonly string[];
}

export interface RemoteServed {
  readonly url: string;
  readonly password: string;
  close(): void;
}

export type Fact = readonly [name: string, value: string];

/** Words are for the user. */
export interface Refused {
  readonly refused: string;
}

export interface ConsolePlace {
  readonly url: string;
  /** The file that holds the token. */
  readonly token: string;
}

/** Files that a user names in a command; relative paths start at the first folder of the workspace. */
export interface TextFiles {
  read(
    path: string,
    roots: readonly string[],
  ): Promise<{ readonly path: string; readonly text: string } | Refused>;
  /** A directory gets a file with the given name. What is there already is left alone. */
  write(
    path: string,
    file: { readonly name: string; readonly text: string },
    roots: readonly string[],
  ): Promise<{ readonly path: string } | Refused>;
}

/** One answer of a model without tools or memory. */
export interface OneShot {
  /** The model that answers a purpose: the first wished one that there is, else any; nothing where there is none. */
  model(purpose: 'completion' | 'rewrite', wishes: readonly (string | undefined)[]): string | undefined;
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

export interface Providers {
  list(): readonly ProviderStatus[];
  login(provider: string, method: string | undefined): Promise<LoginStep | Refused>;
  input(provider: string, data: { readonly [key: string]: string }): Promise<LoginStep | Refused>;
  logout(provider: string): Promise<Refused | undefined>;
  watch(changed: (provider: ProviderStatus) => void): () => void;
}

/** Collections of what others have written for agents. A plugin is named by its name, or by its name and its collection. */
export interface Plugins {
  list(): Promise<
    readonly { readonly ref: string; readonly description: string; readonly installed: boolean }[] | Refused
  >;
  install(wanted: string): Promise<{ readonly ref: string } | Refused>;
  uninstall(wanted: string): Promise<{ readonly ref: string } | Refused>;
}

export type McpAction = 'start' | 'stop' | 'connect' | 'logout' | 'disable' | 'enable';

export interface McpServers {
  /** The servers of a workspace; none before somebody watches it. */
  list(roots: readonly string[]): readonly McpServer[];
  add(
    name: string,
    config: McpServerConfig,
    where: { readonly root: string | undefined; readonly roots: readonly string[] },
  ): Promise<McpServer | Refused>;
  update(name: string, config: McpServerConfig, roots: readonly string[]): Promise<Refused | undefined>;
  remove(name: string, roots: readonly string[]): Promise<Refused | undefined>;
  /** Connecting may mean that the user has to sign in at an address. */
  act(
    name: string,
    action: McpAction,
    roots: readonly string[],
  ): Promise<Refused | { readonly visit: string } | undefined>;
  /** What a server makes of one of its prompts, as one text; pictures are left out. */
  prompt(
    wish: {
      readonly server: string;
      readonly prompt: string;
      readonly arguments: { readonly [name: string]: string };
    },
    roots: readonly string[],
  ): Promise<{ readonly text: string } | Refused>;
  /** What stands at an address that one of the servers offers. */
  read(uri: string, roots: readonly string[]): Promise<{ readonly text: string } | Refused>;
  /** Tells of every server of a workspace first, and then of what changes. */
  watch(
    changed: (change: McpServer | { readonly removed: string }) => void,
    roots: readonly string[],
  ): () => void;
}
