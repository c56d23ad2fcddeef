// The port to tool servers: what they offer, how their tools are called, and their life cycle.
// Implemented under io.
import type { Answer, Content, Json, Question, ToolResult } from '../../model/event.ts';
import type { NotPossible } from '../ports.ts';
import type { ToolServer } from '../workspace/workbench.ts';

export interface ToolServers {
  /**
   * Starts the servers of a workspace in the background. Equal requests share them; they end when all
   * users have closed them.
   */
  open(place: ServerPlace): OpenServers;
  /** All open servers. */
  list(): readonly ServerView[];
  /** Calls back when any server has changed. */
  watch(changed: () => void): () => void;
  /** Retries servers that need a sign-in: it may have happened elsewhere. */
  refresh(): void;
  /**
   * Uses a token that a client got for a protected resource; in memory only. Resolves when the servers have
   * accepted or refused it.
   */
  authenticate(resource: string, token: LentToken): Promise<'unknown' | 'refused' | 'taken'>;
  /** Resolves when all servers have ended. */
  close(): Promise<void>;
}

export interface ServerPlace {
  readonly roots: readonly string[];
  /** Servers that clients add to those of the settings; on equal names the client's wins. */
  readonly given?: (() => readonly ToolServer[]) | undefined;
}

export interface OpenServers {
  /** The current servers, by name; follows the settings and the clients. */
  list(): readonly ServerView[];
  /** Resolves when no server is starting for the first time, or after the timeout in milliseconds. */
  settled(timeout: number): Promise<void>;
  /** Never throws: a failure is a result with text for the model. */
  call(call: ServerCall): Promise<ServerResult>;
  /** Starts a server that is stopped or failed; false if there is none of that name. */
  start(server: string): boolean;
  stop(server: string): boolean;
  /** The messages of a server's prompt. */
  prompt(wish: PromptWish): Promise<readonly PromptMessage[] | NotPossible>;
  /** The content of a server's resource. */
  read(wish: ResourceWish): Promise<readonly Content[] | NotPossible>;
  /** Changes when the resource may have changed. */
  revision(of: Pick<ResourceWish, 'server' | 'uri'>): number;
  /** Starts a sign-in. The server starts when it succeeds. */
  signIn(server: string): Promise<SignIn | NotPossible>;
  /** Removes the stored sign-in of a server; false if there was none. */
  signOut(server: string): boolean;
  close(): void;
}

/** `expiresIn` is in seconds. */
export interface LentToken {
  readonly token: string;
  readonly expiresIn?: number | undefined;
}

/** The sign-in that a server requires. It stays set after a sign-in, so that a token can be renewed. */
export interface SignInNeed {
  readonly resource: {
    readonly resource: string;
    readonly name?: string;
    readonly authorizationServers?: readonly string[];
    readonly scopes?: readonly string[];
    readonly bearerMethods?: readonly string[];
    readonly documentation?: string;
  };
  /** Whether a sign-in is missing or has expired. */
  readonly reason: 'required' | 'expired';
  /** The scopes that the server names. */
  readonly scopes?: readonly string[];
}

export interface SignIn {
  /** The page that the user must open in a browser. */
  readonly url: string;
  /** Resolves when the sign-in has ended; undefined if it succeeded. */
  readonly done: Promise<NotPossible | undefined>;
  cancel(): void;
}

export interface PromptWish {
  readonly server: string;
  readonly prompt: string;
  readonly arguments: { readonly [name: string]: string };
  readonly signal: AbortSignal;
}

export interface PromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content: Content;
}

export interface ResourceWish {
  readonly server: string;
  readonly uri: string;
  readonly signal: AbortSignal;
}

/** Writes servers to the settings files, which take effect immediately. A refusal has changed nothing. */
export interface ServerEditor {
  add(name: string, server: ServerWish, place: SettingsTarget): NotPossible | undefined;
  /** Changes only the members that are set. */
  update(name: string, server: ServerWish, place: SettingsTarget): NotPossible | undefined;
  remove(name: string, place: SettingsTarget): NotPossible | undefined;
}

/** `root` is the folder whose settings file is changed; without it, the user's. */
export interface SettingsTarget {
  readonly roots: readonly string[];
  readonly root?: string | undefined;
}

/** Secrets are stored outside the settings. */
export interface ServerWish {
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: { readonly [name: string]: string } | undefined;
  readonly url?: string | undefined;
  readonly headers?: { readonly [name: string]: string } | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly callbackPort?: number | undefined;
  readonly scope?: string | undefined;
  readonly disabled?: boolean | undefined;
}

export interface ServerView {
  readonly name: string;
  readonly status: 'starting' | 'running' | 'failed' | 'stopped' | 'disabled' | 'requires-auth';
  /** Why it does not run, if that is known. */
  readonly problem?: string;
  readonly reach: { readonly command: string; readonly args: readonly string[] } | { readonly url: string };
  /** A server that restarts keeps its tools meanwhile. */
  readonly tools: readonly ServerTool[];
  readonly prompts: readonly ServerPrompt[];
  readonly resources: readonly ServerResource[];
  /** Resource templates such as `file:///{path}`. */
  readonly templates?: readonly ServerResource[];
  /** The server's instructions: untrusted text. */
  readonly instructions?: string;
  /** The user is signed in. */
  readonly signedIn?: true;
  readonly signIn?: SignInNeed;
}

export interface ServerTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** A JSON Schema of the arguments. */
  readonly parameters: Json;
  /** A fingerprint of the tool's definition; it changes when the server changes the tool. */
  readonly definition?: string;
  /** The settings disable it for agents. */
  readonly disabled?: true;
}

export interface ServerPrompt {
  readonly name: string;
  readonly description?: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required: boolean;
  }[];
}

export interface ServerResource {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mediaType?: string;
}

export interface ServerCall {
  readonly server: string;
  readonly tool: string;
  readonly input: Json;
  readonly signal: AbortSignal;
  /** Progress messages of the server. */
  readonly progress?: (text: string) => void;
  /**
   * Asks the user the server's questions; without it they are declined. The user's time does not
   * count as the server's.
   */
  readonly ask?: (message: string, questions: readonly Question[]) => Promise<Answer>;
  /** Asks the user to open a URL for the server. */
  readonly visit?: (message: string, url: string) => Promise<Answer>;
  /** Asks a model for the server, if the user agrees. */
  readonly sample?: (wish: SampleWish) => Promise<Sample | NotPossible>;
}

/** A server's question to a model; the server sees nothing of the conversation. */
export interface SampleWish {
  readonly system: string | undefined;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: readonly Content[] }[];
  readonly maxTokens: number;
}

export interface Sample {
  readonly model: string;
  readonly text: string;
  readonly stop: 'endTurn' | 'maxTokens';
}

export type ServerResult = Extract<ToolResult, { status: 'done' | 'failed' }>;
