// What the host asks of whoever does the work, native or external; implementations live under agents.
import type { AgentReport } from '../model/command.ts';
import type {
  Answer,
  AskOption,
  ChatId,
  Choice,
  EventOf,
  ItemId,
  Json,
  NoteOwner,
  Outcome,
  PreparationStage,
  Question,
  Remembered,
  Rule,
  SessionChanges,
  SessionId,
  ToolId,
  ToolKind,
  ToolResult,
  TurnId,
  UserMessage,
} from '../model/event.ts';
import type { EndedTurn, State } from '../model/state.ts';
import type { ClientTool } from './tools/clientTools.ts';
import type { CommandLine } from './policy/commandLine.ts';
import type { Delegated, Delegation } from './turns/subagents.ts';
import type { Undone } from './workspace/revertEdits.ts';
import type { ChatJobs } from './tools/chatJobs.ts';
import type { Editors } from './workspace/attachedEditors.ts';
import type { Ruling } from './policy/policy.ts';
import type { ToolServer, Workbench } from './workspace/workbench.ts';

export interface Agent {
  readonly info: AgentInfo;
  /** Finds the conversation `ref` again, or starts a new one. Throws where the agent cannot be started at all. */
  open(where: Where): Promise<Conversation>;
  /** What it is in a workspace, as far as that is known by now, where that is more than it is everywhere. */
  at?(roots: readonly string[]): AgentInfo;
  /** Somebody has made a session with it: an agent that does not know yet what it offers finds out. */
  explore?(roots: readonly string[]): void;
  /** Tells when `info` has changed, for example because models were found. */
  watch?(changed: () => void): () => void;
}

export interface AgentInfo {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly models: readonly ModelInfo[];
  readonly modes?: readonly ModeInfo[];
  /** `systemPrompt` says whether instructions of clients come beside the agent's own or also instead of them. */
  readonly accepts?: {
    readonly images?: boolean;
    readonly audio?: boolean;
    readonly systemPrompt?: 'append' | 'override';
  };
  /** What a message may begin with, after a slash. Clients that have other means to do what is `spare` need not list it. */
  readonly commands?: readonly {
    readonly name: string;
    readonly description: string;
    readonly hint?: string;
    readonly spare?: true;
  }[];
  /** What a session with this agent can be set to besides model and mode; the chosen values are the options of the session. */
  readonly options?: readonly AgentOption[];
  /** It uses the servers of tools that the settings name. */
  readonly usesServers?: true;
}

/** A way to work; the model and the variant are those it works with where nobody chose others. */
export interface ModeInfo {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly model?: string;
  readonly variant?: string;
}

export interface AgentOption {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly category?: string;
  /** What it is where nobody chose. */
  readonly value: string | boolean;
  /** Absent where it is simply on or off. */
  readonly choices?: readonly Choice[];
}

export interface ModelInfo {
  readonly id: string;
  readonly name: string;
  readonly context?: number;
  readonly output?: number;
  /** How hard it can be told to think, least first; chosen with the session's option `variant`. */
  readonly variants?: readonly string[];
}

export interface Where {
  readonly session: SessionId;
  readonly chat: ChatId;
  readonly roots: readonly string[];
  /** What an earlier conversation of this chat called itself. */
  readonly ref: string | undefined;
  /** The conversation of the chat that this chat was forked from, where both begin with the same turns. */
  readonly forkOf: string | undefined;
  /** The agent that worked in this chat before. */
  readonly from: string | undefined;
  /** What the client that made the session has attached to it; opaque. */
  readonly meta?: Json | undefined;
  /** The servers of tools that clients want this session to have. */
  readonly servers?: () => readonly ToolServer[];
  readonly aside: Aside;
}

/** Facts that agents and the hooks around them record. */
export type AgentFact = EventOf<'hook.ran' | 'input.resolved'>;

export type AgentOwner = Extract<NoteOwner, `agents/${string}`>;

/** What a conversation may tell its session at any time, also between turns. */
export interface Aside {
  /** The conversation is found again by this name from now on. */
  bind(ref: string): void;
  /** The agent has changed a setting by itself. A title that a human gave stays. */
  change(changes: Pick<SessionChanges, 'title' | 'model' | 'mode' | 'options'>): void;
  /** Keeps a fact in the log that others read, too. */
  record(fact: AgentFact): void;
  /** Keeps a private fact of the agent in the log; its key begins with the agent's id. */
  note(owner: AgentOwner, key: string, value: Json): void;
  /** Begins a turn that no message asked for. False where one is running already; what is to be told belongs there then. */
  wake(text: string, work: Work): boolean;
}

/** What an agent does in a turn that it began by itself; never throws. */
export type Work = (turn: TurnContext) => Promise<Outcome>;

export interface Conversation {
  /** Opaque; lets open() find this conversation again. Undefined while it has no name yet. */
  readonly ref: string | undefined;
  /** Set where the conversation says itself what it was given of the turns before it; otherwise it was given all of them. */
  readonly tellsHandover?: true | undefined;
  /** Set where the conversation itself keeps to the limit of steps; otherwise the host counts its calls. */
  readonly countsSteps?: true | undefined;
  /** Works on one message until it is done; never throws. Whatever happens after `signal` aborts is ignored. */
  prompt(turn: TurnContext): Promise<Outcome>;
  /** Takes a message into the running turn; an agent without it gets the message as the next turn. */
  readonly steer?: ((message: UserMessage) => void) | undefined;
  truncate?(after: TurnId | undefined): Promise<void>;
  /** Somebody has chosen other settings; they hold from now on. */
  configure?(chosen: Chosen): void;
  /** The session is removed for good: what the agent itself has kept of it may go too. */
  forget?(): Promise<void>;
  close(): Promise<void>;
}

export interface Chosen {
  readonly model: string | undefined;
  readonly mode: string | undefined;
  readonly options: { readonly [key: string]: Json };
}

/** What an agent gets for one turn: the facts of the turn, and everything it may ask of the host. */
export interface TurnContext {
  readonly session: TurnSession;
  readonly message: UserMessage;
  /** The earlier turns of the chat. */
  readonly history: readonly EndedTurn[];
  /** Aborts when the turn is stopped. */
  readonly signal: AbortSignal;
  /** The current state of the session. */
  state(): State;
  /** Adds to the log. A report that does not fit the turn is refused and counted, never thrown. */
  report(report: AgentReport): void;
  /**
   * Applies policy first, then asks the user. Resolves when the decision is durable: an allowed tool is already running in the log.
   * `withdrawn` aborts when the agent withdraws its question.
   */
  approve(request: ToolRequest, withdrawn?: AbortSignal): Promise<Verdict>;
  /** What policy says about an intent. Runs, asks and stores nothing; for what an agent does beside the calls it asked about. */
  judge(intent: ToolIntent): Promise<Ruling>;
  ask(question: NewQuestion, withdrawn?: AbortSignal): Promise<Answer>;
  readonly log: TurnLog;
  readonly workspace: TurnWorkspace;
  readonly subagents: TurnSubagents;
}

/** Where a turn runs, and what the session was set to when it started. */
export interface TurnSession {
  readonly id: SessionId;
  readonly chat: ChatId;
  readonly turn: TurnId;
  readonly roots: readonly string[];
  readonly model: string | undefined;
  readonly mode: string | undefined;
}

/** What a turn stores in the session besides its reports. */
export interface TurnLog {
  /** Records how far the hooks before the agent are; resolves when that is stored and shown. */
  prepared(stage: PreparationStage): Promise<void>;
  /** Resolves when everything reported so far is stored and shown, or lost. A fast stream may batch its reports meanwhile. */
  stored(): Promise<void>;
  /** Takes the messages that wait to steer this turn; they become part of it. */
  takeSteering(): readonly UserMessage[];
  /** Puts a summary in place of everything up to an item of this turn, for later requests; the log keeps all of it. */
  compact(summary: string, item: ItemId): void;
  /** Saves a text that is too long for the log. The tools of this session can read the returned path. */
  saveOutput(name: string, text: string): Promise<string | undefined>;
  /** Names the conversation, also after the turn, until the conversation is closed. A title by a human stays. */
  title(text: string): void;
}

/** What a turn can use besides the files and processes of the host. */
export interface TurnWorkspace {
  /** What the client that wrote the message provides while it waits for the turn. */
  workbench(): Workbench | undefined;
  /** The editors that can be asked about code. */
  readonly editors: Editors;
  /** The background jobs of this session. */
  readonly jobs: ChatJobs;
  /** The tools that clients provide to the session now. */
  clientTools(): readonly ClientTool[];
  /** The result of a call that a client runs; it is in the log already. */
  clientResult(tool: ToolId): Promise<ToolResult>;
  /** Reverts the file edits of this chat after a turn; undefined means all of them. */
  undo(after: TurnId | undefined): Promise<Undone>;
}

/** How a turn delegates work to chats of their own. */
export interface TurnSubagents {
  /** The id of the chat that a call of this turn starts; available before it starts. */
  chatFor(tool: ToolId): ChatId;
  /** Starts a task in a chat of its own, which ends with this turn at the latest. */
  delegate(task: Delegation): Promise<Delegated>;
}

/** What a call would do, as far as policy needs to know it. */
export interface ToolIntent {
  readonly name: string;
  readonly toolKind: ToolKind;
  readonly input: Json;
  /** Every path the call touches, absolute, links resolved. */
  readonly paths: readonly string[];
  readonly command?: string;
  /** Set if the user wrote the command line in the settings and the caller only filled in its parameters. */
  readonly written?: true;
  /** The URL that the call requests. */
  readonly url?: string;
  /** A fingerprint of a third party's tool definition; a lasting answer is valid while it stays the same. */
  readonly definition?: string;
  /** The rules that the agent's profile adds to those of the user. */
  readonly rules?: readonly Rule[];
  /** Set if the call must not change anything. */
  readonly readOnly?: boolean;
}

/** A call that needs approval. */
export interface ToolRequest extends ToolIntent {
  readonly tool: ToolId;
  readonly title: string;
  /** What a lasting answer is narrowed to, beside the tool. */
  readonly remember?: Pick<Remembered, 'args'>;
  /** The parsed command. The host sets it and ignores what an agent says here. */
  readonly line?: CommandLine;
  /** The options of an external agent; absent means ours. */
  readonly options?: readonly AskOption[];
  readonly editable?: boolean;
}

export type Verdict =
  /** `safeGit`: a rule has allowed git, which must run without programs that a repository names. */
  | { readonly allowed: true; readonly option?: string; readonly input?: Json; readonly safeGit?: true }
  /** `stop`: the human, or a rule of theirs, wants the turn to end here, to say what to do instead. */
  | { readonly allowed: false; readonly option?: string; readonly reason: string; readonly stop?: true };

export type NewQuestion =
  | {
      readonly kind: 'question';
      readonly tool?: ToolId;
      readonly message: string;
      readonly questions: readonly Question[];
    }
  | { readonly kind: 'signin'; readonly message: string; readonly url: string };
