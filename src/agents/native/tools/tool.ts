// What a tool is to the turn loop: it looks first, says what it would do, and does exactly that once it is allowed.
import type { ChatJobs } from '../../../host/tools/chatJobs.ts';
import type { Delegated, Delegation } from '../../../host/agent.ts';
import type { Ability, Editors } from '../../../host/workspace/attachedEditors.ts';
import { below } from '../../../base/paths.ts';
import type { Files, Processes } from '../../../host/ports.ts';
import type { ShellSettings } from '../../../host/settings/settings.ts';
import type { WebPages } from '../../../host/tools/webPages.ts';
import type {
  Answer,
  ChatId,
  Content,
  Json,
  Location,
  PlanEntry,
  Question,
  Remembered,
  ToolId,
  ToolKind,
  ToolResult,
} from '../../../model/event.ts';
import type { ModelUsage } from '../model.ts';
import type { Sleep } from '../turn/sleep.ts';

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of the arguments. */
  readonly parameters: Json;
  readonly kind: ToolKind;
  /** The server that lends it; absent for our own. */
  readonly server?: string;
  /** The client that lends it, and runs it. */
  readonly client?: string;
  /** What an attached editor has to know for it. */
  readonly needs?: Ability;
  /** What is shown while the arguments still arrive. */
  readonly preparing: string;
  /** Looks at the arguments and the world, and changes nothing. */
  prepare(input: Json, context: ToolContext): Promise<Prepared | Refused>;
}

export interface ToolContext {
  /** The call itself. */
  readonly tool: ToolId;
  /** The name by which the model knows one of our tools. */
  readonly named: (tool: string) => string;
  readonly roots: readonly string[];
  readonly files: Files;
  readonly processes: Processes;
  readonly signal: AbortSignal;
  readonly sleep: Sleep;
  /** After how many milliseconds a command is stopped where its call does not say. */
  readonly timeout: number;
  /** How the user wants command lines to be run and shown. */
  readonly shell?: ShellSettings | undefined;
  /** How many lines of a file are read, and how many milliseconds an editor may take, where the user has said so. */
  readonly readLines?: number | undefined;
  readonly editorTimeout?: number | undefined;
  /** What goes on in the background; absent where nothing can. */
  readonly jobs?: ChatJobs | undefined;
  /** The editors that can be asked about code; absent where there is none. */
  readonly editors?: Editors | undefined;
  /** Pages of the web; absent where it cannot be reached. */
  readonly web?: WebPages | undefined;
  /** Puts questions to the user while the call runs. */
  readonly ask?: (message: string, questions: readonly Question[]) => Promise<Answer>;
  /** The list of tasks of the conversation, as everybody sees it. */
  readonly plan?: {
    readonly entries: () => readonly PlanEntry[];
    readonly set: (entries: readonly PlanEntry[]) => void;
  };
  /** Shows what the call has come to so far, in place of what it has shown before. */
  readonly show?: (content: readonly Content[]) => void;
  /** What the chat is called that the call begins. */
  readonly chat?: () => ChatId | undefined;
  /** Gives a piece of work to a chat of its own. */
  readonly delegate?: (task: Delegation) => Promise<Delegated>;
  /** Has the user go to a page while the call runs. */
  readonly visit?: (message: string, url: string) => Promise<Answer>;
  /** Counts what the call had a model do. */
  readonly spent?: (usage: ModelUsage) => void;
}

/** A call that can be judged and then run: what was shown is what happens. */
export interface Prepared {
  readonly title: string;
  /** What people are asked where the title alone says too little to decide. */
  readonly question?: string;
  /** What kind of call this is, where its arguments say more than the tool's own kind. */
  readonly kind?: ToolKind;
  /** Every path the call touches, absolute, links resolved. */
  readonly paths: readonly string[];
  readonly locations?: readonly Location[];
  readonly preview?: readonly Content[];
  readonly command?: string;
  /** Set where the user wrote the command line and the model has only filled its places. */
  readonly written?: true;
  /** The address it goes to. */
  readonly url?: string;
  /** Stands for what the tool says of itself. */
  readonly definition?: string;
  /** What a lasting answer is narrowed to. */
  readonly remember?: Pick<Remembered, 'args'>;
  run(output: (text: string) => void, surroundings?: Surroundings): Promise<ToolResult>;
}

/** What a command finds around it that depends on who has allowed it. */
export interface Surroundings {
  readonly env?: { readonly [name: string]: string };
}

/** The call cannot be made; the words are for the model. */
export interface Refused {
  readonly refused: string;
}

export function done(text: string, ...more: readonly Content[]): ToolResult {
  return { status: 'done', content: [{ type: 'text', text }, ...more] };
}

export function failed(error: string): ToolResult {
  return { status: 'failed', content: [{ type: 'text', text: error }], error };
}

/** Resolves a path the model gave; relative ones start at the first folder of the workspace. */
export function realPath(path: string, { files, roots }: ToolContext): Promise<string> {
  return files.realPath(path, roots[0] ?? '/');
}

/** A path as people read it: from the folder of the workspace that it is in. */
export async function belowRoot(path: string, { files, roots }: ToolContext): Promise<string> {
  const real = await Promise.all(roots.map((root) => files.realPath(root, '/')));
  return real.map((root) => below(root, path)).find((rest) => rest) ?? nameOf(path);
}

export function nameOf(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== '') ?? path;
}
