// The interface between the host and its agents, native or external; implementations are in src/agents.
import type { AgentReport, Rejection } from '../model/command.ts';
import type {
  Answer,
  Ask,
  ChatId,
  Choice,
  CompactionTrigger,
  EventOf,
  Extensions,
  ItemId,
  Json,
  Outcome,
  PreparationStage,
  Question,
  SessionChanges,
  SessionId,
  ToolId,
  ToolResult,
  TurnId,
  UserMessage,
  SandboxUse,
} from '../model/event.ts';
import type { Chat, EndedTurn, State } from '../model/state.ts';
import type { Confinement, NotPossible } from './ports.ts';
import type { ClientTool } from './tools/clientTools.ts';
import type { ToolIntent, ToolRequest } from './policy/toolRequest.ts';
import type { RevertResult } from './workspace/revertEdits.ts';
import type { ChatJobs } from './tools/chatJobs.ts';
import type { Editors } from './workspace/attachedEditors.ts';
import type { HiddenFile, Ruling } from './policy/policy.ts';
import type { ToolServer, Workbench } from './workspace/workbench.ts';

export interface Agent {
  readonly info: AgentInfo;
  /** Resumes the conversation `ref`, or starts a new one. Throws if the agent cannot be started. */
  open(where: ConversationSetup): Promise<Conversation>;
  /** The info for a workspace, as far as it is known now; absent if it is the same everywhere. */
  at?(roots: readonly string[]): AgentInfo;
  /** A session with this agent was created: an agent that does not know its offers yet finds them out. */
  explore?(roots: readonly string[]): void;
  /**
   * Set if it continues a turn whose question was open when the last host ended: it makes the calls that have
   * not ended again, or gets the answer and asks again, which then counts as answered.
   */
  readonly continuesAsks?: true;
  /** Set if it makes a call again whose subagent waited for an answer; the subagent goes on in its chat. */
  readonly continuesSubagents?: true;
  /** How long it may take to end a stopped turn before it is ended itself, in milliseconds. */
  readonly stopsWithin?: number;
  /** Whether it takes a model that its info does not list; absent if it takes none. */
  takesModel?(model: string): boolean;
  /** Calls back when `info` has changed, for example because models were found. */
  watch?(changed: () => void): () => void;
}

export interface AgentInfo {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly models: readonly ModelInfo[];
  readonly modes?: readonly ModeInfo[];
  /** The mode and model of a new conversation if nobody chose; absent as long as they are not known. */
  readonly usual?: { readonly mode?: string; readonly model?: string };
  /** `systemPrompt` says whether clients may append to the agent's system prompt, or also override it. */
  readonly accepts?: {
    readonly images?: boolean;
    readonly audio?: boolean;
    readonly systemPrompt?: 'append' | 'override';
  };
  /** The slash commands. Clients that offer a `spare` command in another way need not list it. */
  readonly commands?: readonly {
    readonly name: string;
    readonly description: string;
    readonly hint?: string;
    readonly spare?: true;
    /** Set if the host carries it out. */
    readonly byHost?: true;
  }[];
  /** The options besides model and mode; the chosen values are the options of the session. */
  readonly options?: readonly AgentOption[];
  /** Set if it uses the tool servers of the settings. */
  readonly usesServers?: true;
  /** Set if it can delete what it has stored for a conversation. */
  readonly forgets?: boolean;
}

/** A mode of working; `model` and `variant` are its defaults. */
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
  /** The default value. */
  readonly value: string | boolean;
  /** Absent for a boolean option. */
  readonly choices?: readonly Choice[];
}

export interface ModelInfo {
  readonly id: string;
  readonly name: string;
  readonly context?: number;
  readonly output?: number;
  /** The levels of reasoning effort, lowest first; chosen with the session's option `variant`. */
  readonly variants?: readonly string[];
}

export interface ConversationSetup {
  readonly session: SessionId;
  readonly chat: ChatId;
  readonly roots: readonly string[];
  /** The reference of an earlier conversation of this chat. */
  readonly ref: string | undefined;
  /** The conversation of the chat that this chat was forked from, if both have the same turns. */
  readonly forkOf: string | undefined;
  /** The agent that worked in this chat before. */
  readonly from: string | undefined;
  /** What the client attached when it created the session. */
  readonly extensions?: Extensions | undefined;
  /** The tool servers that clients want for this session. */
  readonly servers?: () => readonly ToolServer[];
  readonly aside: SessionReporter;
  /** Whether a client follows the session. */
  readonly isAttached?: () => boolean;
}

/** Facts that agents and the hooks around them record. */
export type AgentFact = EventOf<
  'hook.ran' | 'input.resolved' | 'turns.reverted' | 'images.refused' | 'prompt.pinned'
>;

/** What a conversation may report to its session at any time, also between turns. */
export interface SessionReporter {
  /** Stores the reference that `open` resumes the conversation with. */
  bind(ref: string): void;
  /** The agent has changed a setting. A title by a human stays. */
  change(changes: Pick<SessionChanges, 'title' | 'model' | 'mode' | 'options'>): void;
  /** Records a fact in the log. */
  record(fact: AgentFact): void;
  /**
   * Starts a turn without a message of the user. False if a turn is running, or messages are held; the agent
   * should report in that one, or in the next, then.
   */
  wake(text: string, work: TurnWork): boolean;
  /** As in a turn. */
  room(): Promise<void> | undefined;
}

/** The work of an agent in a turn that it started; never throws. */
export type TurnWork = (turn: TurnContext) => Promise<Outcome>;

export interface Conversation {
  /** Opaque; `open` resumes the conversation with it. Undefined while there is none yet. */
  readonly ref: string | undefined;
  /** Set if the conversation reports a handover itself; otherwise the host does. */
  readonly tellsHandover?: true | undefined;
  /** Set if the conversation enforces the limit of steps; otherwise the host counts its calls. */
  readonly countsSteps?: true | undefined;
  /** Works on one message until it is done; never throws. Reports after `signal` has aborted are ignored. */
  prompt(turn: TurnContext): Promise<Outcome>;
  /** Adds a message to the running turn; an agent without it gets the message as the next turn. */
  readonly steer?: ((message: UserMessage) => void) | undefined;
  truncate?(after: TurnId | undefined): Promise<void>;
  /** Applies the new settings of the session. */
  configure?(chosen: ChosenSettings): void;
  /** The session was deleted: the agent may delete what it stored for it. */
  forget?(): Promise<void>;
  close(): Promise<void>;
}

export interface ChosenSettings {
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
   * Applies policy first, then asks the user. Resolves when the decision is durable: an allowed tool is
   * already running in the log. `withdrawn` aborts when the agent withdraws its question.
   */
  approve(request: ToolRequest, withdrawn?: AbortSignal): Promise<Verdict>;
  /**
   * What policy says about an intent. Runs, asks and stores nothing; for what an agent does beside the
   * calls it asked about.
   */
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

export interface RecoveredAnswer {
  readonly ask: Ask;
  readonly answer: Answer;
}

/** What a turn stores in the session besides its reports. */
export interface TurnLog {
  /** The calls that waited for an answer when the last host ended; no host has run them since. */
  readonly recovered: readonly ToolId[];
  /**
   * Resolves with the answers to the questions that were open when the last host ended, as soon as there
   * are all. A stop of the turn answers them, too.
   */
  recoveredAnswers(): Promise<readonly RecoveredAnswer[]>;
  /** Records how far the hooks before the agent are; resolves when that is stored and shown. */
  prepared(stage: PreparationStage): Promise<void>;
  /**
   * Resolves when everything reported so far is stored and shown, or lost. A fast stream may batch
   * its reports meanwhile.
   */
  stored(): Promise<void>;
  /**
   * Undefined if the agent may go on. Otherwise the store is behind: the agent reads no more of its stream
   * until this resolves.
   */
  room(): Promise<void> | undefined;
  /** Takes the messages that wait to steer this turn; they become part of it. */
  takeSteering(): readonly UserMessage[];
  /**
   * Puts a summary in place of everything up to an item of this turn, for later requests;
   * the log keeps all of it.
   */
  compact(summary: string, item: ItemId, trigger: CompactionTrigger): void;
  /** Saves a text that is too long for the log. The tools of this session can read the returned path. */
  saveOutput(name: string, text: string): Promise<string | undefined>;
  /**
   * Names the conversation, also after the turn, until the conversation is closed. A title by a human stays.
   */
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
  /** Finds the files that a search or a listing must leave out: rules or the list of secrets protect them. */
  hiddenFiles(intent: ToolIntent): (path: string) => HiddenFile | undefined;
  /** The result of a call that a client runs; it is in the log already. */
  clientResult(tool: ToolId): Promise<ToolResult>;
  /**
   * The limits of programs that need no approval because they are confined: set in the permission mode auto,
   * or `always`. Refused if they must be confined and cannot be. `who` asks for names on the network.
   */
  limits(when: 'auto' | 'always', who?: string): Promise<Confinement | NotPossible | undefined>;
  /** What the log says of calls that an agent runs itself while it is not confined. */
  outside(): SandboxUse;
  /**
   * Reverts the file edits of this chat after a turn; undefined means all of them. `all` includes those that
   * the user may have made.
   */
  undo(after: TurnId | undefined, options?: { readonly all?: boolean }): Promise<RevertResult>;
  /** Redoes the turn of this chat that was reverted last; undefined if there is none. */
  redo(): Promise<RevertResult | undefined>;
}

/** How a turn delegates work to chats of their own. */
export interface TurnSubagents {
  /** The id of the chat that a call of this turn starts; available before it starts. */
  chatFor(tool: ToolId): ChatId;
  /** Starts a task in a chat of its own, which ends with this turn at the latest. */
  delegate(task: Delegation): Promise<DelegationResult>;
}

export type Verdict =
  /** `safeGit`: a rule allowed git, which must not run programs that the repository configures. */
  | {
      readonly allowed: true;
      readonly option?: string;
      readonly input?: Json;
      readonly safeGit?: true;
      /** The command line changes no file, as long as git does not run those programs. */
      readonly onlyReads?: true;
      /** The call must run so; absent if it runs with the rights of the user. */
      readonly confined?: Confinement;
    }
  /** `stop`: the user, or a rule of theirs, ends the turn here, to say what to do instead. */
  | { readonly allowed: false; readonly option?: string; readonly reason: string; readonly stop?: true };

export type NewQuestion =
  | {
      readonly kind: 'question';
      readonly tool?: ToolId;
      readonly message: string;
      readonly questions: readonly Question[];
    }
  | { readonly kind: 'signin'; readonly message: string; readonly url: string };

/** A task for a chat of its own. */
export interface Delegation {
  /** The call that delegates the task. */
  readonly tool: ToolId;
  readonly title: string;
  readonly text: string;
  readonly model?: string;
  /** An earlier chat of a subagent that continues; absent for a new one. */
  readonly chat?: ChatId;
  /** Called with the chat when it starts, and after each change except added text. */
  readonly watch?: (chat: Chat) => void;
}

export type DelegationResult = { readonly chat: ChatId; readonly turn: EndedTurn } | Rejection;
