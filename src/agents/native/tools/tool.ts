// The interface of a tool: `prepare` describes what the call would do, and `run` does
// exactly that after approval.
import type { ChatJobs } from '../../../host/tools/chatJobs.ts';
import type { DelegationResult, Delegation } from '../../../host/agent.ts';
import type { Ability, Editors } from '../../../host/workspace/attachedEditors.ts';
import { below } from '../../../base/paths.ts';
import type { Confinement, Files, Processes } from '../../../host/ports.ts';
import type { ShellSettings } from '../../../host/settings/settings.ts';
import type { HiddenFile } from '../../../host/policy/policy.ts';
import type { WebPages } from '../../../host/tools/webPages.ts';
import type {
  Answer,
  ChatId,
  Content,
  Json,
  Location,
  PlanEntry,
  Question,
  RuleProposal,
  ToolId,
  ToolKind,
  ToolResult,
} from '../../../model/event.ts';
import type { ModelUsage } from '../model.ts';
import type { Sleep } from '../../../base/waiting.ts';

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of the arguments. */
  readonly parameters: Json;
  readonly kind: ToolKind;
  /** The server that provides it; absent for our own tools. */
  readonly server?: string;
  /** The client that provides and runs it. */
  readonly client?: string;
  /** The ability that an attached editor must have. */
  readonly needs?: Ability;
  /** The title while the arguments are still arriving. */
  readonly preparing: string;
  /** Checks the arguments and reads what it needs; changes nothing. */
  prepare(input: Json, context: ToolContext): Promise<PreparedCall | ToolRefusal>;
}

export interface ToolContext {
  /** The id of the call. */
  readonly tool: ToolId;
  /** The name that the model knows one of our tools by. */
  readonly requestName: (tool: string) => string;
  readonly roots: readonly string[];
  readonly files: Files;
  readonly processes: Processes;
  readonly signal: AbortSignal;
  readonly sleep: Sleep;
  readonly settings: ToolSettings;
  /** What tools use outside the workspace. */
  readonly services?: ToolServices;
  readonly user?: ToolUser;
  readonly chat?: ToolChat;
}

/** The user's settings for tools. */
export interface ToolSettings {
  /** The time limit of a command whose call sets none, in milliseconds. */
  readonly commandTimeout: number;
  readonly shell?: ShellSettings | undefined;
  /** How many lines of a file are read if the call does not say. */
  readonly readLines?: number | undefined;
  /** How long an editor may take to answer, in milliseconds. */
  readonly editorTimeout?: number | undefined;
}

export interface ToolServices {
  readonly jobs?: ChatJobs | undefined;
  /** The editors that can be asked about code. */
  readonly editors?: Editors | undefined;
  readonly web?: WebPages | undefined;
}

/** Asks the user while the call runs. */
export interface ToolUser {
  ask(message: string, questions: readonly Question[]): Promise<Answer>;
  /** Asks the user to open a page. */
  visit(message: string, url: string): Promise<Answer>;
}

/** What a call can do in the chat it belongs to. */
export interface ToolChat {
  /** The task list of the chat. */
  readonly plan: {
    readonly entries: () => readonly PlanEntry[];
    readonly set: (entries: readonly PlanEntry[]) => void;
  };
  /** Replaces what the call has shown so far. */
  show(content: readonly Content[]): void;
  /** The id of the chat that this call starts. */
  subagentChat(): ChatId;
  /** Starts a task in a chat of its own. */
  delegate(task: Delegation): Promise<DelegationResult>;
  /** Counts the model requests that the call made. */
  onUsage(usage: ModelUsage): void;
}

/** A call that policy can judge and that can then run; it does what it has shown. */
export interface PreparedCall {
  readonly title: string;
  /** The question to the user if the title says too little for a decision. */
  readonly question?: string;
  /** The kind of this call, if the arguments are more specific than the tool. */
  readonly kind?: ToolKind;
  /** Every path the call touches, absolute, links resolved. */
  readonly paths: readonly string[];
  readonly locations?: readonly Location[];
  readonly preview?: readonly Content[];
  readonly command?: string;
  /** The URL that the call requests. */
  readonly url?: string;
  /**
   * Set if the host runs the command itself, and so can confine it. `written`: the user wrote the line in
   * the settings and the model only filled in its parameters. `outside`: why the model wants to leave the
   * sandbox.
   */
  readonly runs?: { readonly written?: true; readonly outside?: string };
  /** A fingerprint of a third party's tool definition. */
  readonly definition?: string;
  /** What a lasting answer is narrowed to. */
  readonly remember?: Pick<RuleProposal, 'args'>;
  run(output: (text: string) => void, surroundings?: CommandEnvironment): Promise<ToolResult>;
}

/** What a call may use, which depends on policy and on who approved it. */
export interface CommandEnvironment {
  /** Additional environment of a command. */
  readonly env?: { readonly [name: string]: string };
  /** The limits of a command that runs in the sandbox. */
  readonly confined?: Confinement;
  /** Why a search or a listing must leave a file out. */
  readonly hides?: (path: string) => HiddenFile | undefined;
}

/** The call is not possible; the text is for the model. */
export interface ToolRefusal {
  readonly refused: string;
  /** The file whose content the text tells something about, absolute, links resolved. */
  readonly reveals?: string;
}

export function doneResult(text: string, ...more: readonly Content[]): ToolResult {
  return { status: 'done', content: [{ type: 'text', text }, ...more] };
}

export function failed(error: string): ToolResult {
  return { status: 'failed', content: [{ type: 'text', text: error }], error };
}

/** Resolves a path of the model; relative paths start at the first folder of the workspace. */
export function realPath(path: string, { files, roots }: ToolContext): Promise<string> {
  return files.realPath(path, roots[0] ?? '/');
}

/** A path for people to judge: relative in the workspace, whole outside of it; a root by its name. */
export async function shownPath(path: string, { files, roots }: ToolContext): Promise<string> {
  const real = await Promise.all(roots.map((root) => files.realPath(root, '/')));
  if (real.includes(path)) return fileName(path);
  return real.map((root) => below(root, path)).find((rest) => rest) ?? path;
}

export function fileName(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== '') ?? path;
}
