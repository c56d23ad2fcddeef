// The servers that lend tools to agents: what they offer, how a tool of theirs is called, and who keeps them running. How they are reached is somebody else's business.
import type { Answer, Json, Question, ToolResult } from '../model/event.ts';
import type { ToolServer } from './workbench.ts';

export interface ToolServers {
  /** Starts what is set up for a workspace, in the background. Places that ask for the same share it; it ends when all have let go. */
  open(place: ServerPlace): OpenServers;
  /** Every server of every open place. */
  list(): readonly ServerView[];
  /** Calls back after anything about any server has changed. */
  watch(changed: () => void): () => void;
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
  close(): void;
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
  /** What the server says about its use: a stranger's words. */
  readonly instructions?: string;
}

export interface ServerTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** A JSON Schema of the arguments. */
  readonly parameters: Json;
}

export interface ServerPrompt {
  readonly name: string;
  readonly description?: string;
  readonly arguments: readonly { readonly name: string; readonly description?: string; readonly required: boolean }[];
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
}

export type ServerResult = Extract<ToolResult, { status: 'done' | 'failed' }>;
