// The servers that lend tools to agents: what they offer, how a tool of theirs is called, and who keeps them running. How they are reached is somebody else's business.
import type { Answer, Content, Json, Question, ToolResult } from '../../model/event.ts';
import type { NotPossible } from '../ports.ts';
import type { ToolServer } from '../workspace/workbench.ts';

export interface ToolServers {
  /** Starts what is set up for a workspace, in the background. Places that ask for the same share it; it ends when all have let go. */
  open(place: ServerPlace): OpenServers;
  /** Every server of every open place. */
  list(): readonly ServerView[];
  /** Calls back after anything about any server has changed. */
  watch(changed: () => void): () => void;
  /** Tries those again that wait for somebody to sign in: it may have happened elsewhere. */
  refresh(): void;
  /** Takes a token that a client got for a resource that servers want to know people by; in memory only. Resolves when they have said what they think of it. */
  authenticate(resource: string, token: LentToken): Promise<'unknown' | 'refused' | 'taken'>;
  /** Resolves when none of them is left. */
  close(): Promise<void>;
}

export interface ServerPlace {
  readonly roots: readonly string[];
  /** What clients want besides what the settings say; a name that both have is the client's. */
  readonly given?: (() => readonly ToolServer[]) | undefined;
}

export interface OpenServers {
  /** As they stand now, by name; follows the settings and the wishes of clients. */
  list(): readonly ServerView[];
  /** Resolves when no server is on its first way up any more, after so many milliseconds at the latest. */
  settled(patience: number): Promise<void>;
  /** Never throws: whatever goes wrong is a result in words for the model. */
  call(call: ServerCall): Promise<ServerResult>;
  /** Starts a server that has stopped, failed or been stopped; false where there is none of that name. */
  start(server: string): boolean;
  stop(server: string): boolean;
  /** What a server makes of one of its prompts. */
  prompt(wish: PromptWish): Promise<readonly PromptMessage[] | NotPossible>;
  /** What stands at an address that a server offers. */
  read(wish: ResourceWish): Promise<readonly Content[] | NotPossible>;
  /** Another number after what was read at an address may have changed there. */
  revision(of: Pick<ResourceWish, 'server' | 'uri'>): number;
  /** Begins to sign in. The server starts when that has worked. */
  signIn(server: string): Promise<SignIn | NotPossible>;
  /** Forgets who we are for a server; false where it did not know. */
  signOut(server: string): boolean;
  close(): void;
}

/** `expiresIn` is in seconds. */
export interface LentToken {
  readonly token: string;
  readonly expiresIn?: number | undefined;
}

/** What a server wants to know people by. It stays known after somebody has signed in, so that a token can be renewed. */
export interface SignInNeed {
  readonly resource: {
    readonly resource: string;
    readonly name?: string;
    readonly authorizationServers?: readonly string[];
    readonly scopes?: readonly string[];
    readonly bearerMethods?: readonly string[];
    readonly documentation?: string;
  };
  /** Whether nobody has signed in yet, or does not count any more. */
  readonly reason: 'required' | 'expired';
  /** What it wants permission for, where it says so. */
  readonly scopes?: readonly string[];
}

export interface SignIn {
  /** Where the user has to go with a browser. */
  readonly url: string;
  /** Resolves when the user has come back, or will not any more; undefined where all went well. */
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

/** Writes servers into the settings files, where they are followed at once. What is refused has changed nothing. */
export interface ServerEditor {
  add(name: string, server: ServerWish, place: EditPlace): NotPossible | undefined;
  /** Changes what the wish names and leaves the rest. */
  update(name: string, server: ServerWish, place: EditPlace): NotPossible | undefined;
  remove(name: string, place: EditPlace): NotPossible | undefined;
}

/** `root` is the folder whose own file is meant; the user's file otherwise. */
export interface EditPlace {
  readonly roots: readonly string[];
  readonly root?: string | undefined;
}

/** Secrets among these are kept apart from the settings. */
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
  /** Why it does not run, where that is known. */
  readonly problem?: string;
  readonly reach: { readonly command: string; readonly args: readonly string[] } | { readonly url: string };
  /** A server that is on its way up again still has the tools it had. */
  readonly tools: readonly ServerTool[];
  readonly prompts: readonly ServerPrompt[];
  readonly resources: readonly ServerResource[];
  /** Resources by a pattern of their addresses, such as `file:///{path}`. */
  readonly templates?: readonly ServerResource[];
  /** What the server says about its use: a stranger's words. */
  readonly instructions?: string;
  /** Somebody has signed in to it. */
  readonly signedIn?: true;
  readonly signIn?: SignInNeed;
}

export interface ServerTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** A JSON Schema of the arguments. */
  readonly parameters: Json;
  /** Stands for all that the server says of it, and is another one once it says something else. */
  readonly definition?: string;
  /** The settings say that agents are not offered it. */
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
  /** What the server says while it works. */
  readonly progress?: (text: string) => void;
  /** Puts questions of the server to a human; without it they are declined. The time a human takes does not count. */
  readonly ask?: (message: string, questions: readonly Question[]) => Promise<Answer>;
  /** Has a human go to an address on the server's behalf. */
  readonly visit?: (message: string, url: string) => Promise<Answer>;
  /** Has a model answer on the server's behalf, if a human agrees. */
  readonly sample?: (wish: SampleWish) => Promise<Sample | NotPossible>;
}

/** What a server wants to ask a model; it sees nothing of the conversation. */
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
