// What the host asks of whoever does the work, native or external; implementations live under agents.
import type { AgentReport, Rejection } from '../model/command.ts';
import type {
  Answer,
  ChatId,
  Choice,
  EventOf,
  ItemId,
  Json,
  NoteOwner,
  Outcome,
  PreparationStage,
  Question,
  SessionChanges,
  SessionId,
  ToolId,
  ToolResult,
  TurnId,
  UserMessage,
} from '../model/event.ts';
import type { Chat, EndedTurn, State } from '../model/state.ts';
import type { ClientTool } from './tools/clientTools.ts';
import type { ToolIntent, ToolRequest } from './policy/toolRequest.ts';
import type { RevertResult } from './workspace/revertEdits.ts';
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
  readonly tellsHandover?: true;
  /** Set where the conversation itself keeps to the limit of steps; otherwise the host counts its calls. */
  readonly countsSteps?: true;
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

export interface TurnContext {
  readonly session: SessionId;
  readonly chat: ChatId;
  readonly turn: TurnId;
  readonly message: UserMessage;
  readonly history: readonly EndedTurn[];
  readonly roots: readonly string[];
  readonly model: string | undefined;
  readonly mode: string | undefined;
  readonly signal: AbortSignal;
  /** The session as it stands now. */
  state(): State;
  /** Adds to the log; what does not fit the turn is refused and counted, never thrown. */
  report(report: AgentReport): void;
  /** Says that what the user runs before the agent begins has come this far; resolves when that is stored and shown. */
  prepared?(stage: PreparationStage): Promise<void>;
  /** Resolves when everything reported so far is stored and shown, or lost. Whoever has more to say than is stored may gather it meanwhile. */
  stored?(): Promise<void>;
  /**
   * Policy first, then any human. Resolves once the decision is durable: an allowed tool is already running in the log.
   * `withdrawn` aborts when the agent takes its question back.
   */
  approve(request: ToolRequest, withdrawn?: AbortSignal): Promise<Verdict>;
  ask(question: NewQuestion, withdrawn?: AbortSignal): Promise<Answer>;
  /** Takes the messages that wait to steer this turn; they become part of it. */
  steering(): readonly UserMessage[];
  /** Puts a summary in place of everything up to an item of this turn, for whoever works on later; the log keeps it all. */
  compact(summary: string, item: ItemId): void;
  /** Takes back what was done to files in this chat after a turn; undefined means all of it. */
  undo(after: TurnId | undefined): Promise<RevertResult>;
  /** What the chat is called that a call of this turn begins, known before it does. */
  chatFor?(tool: ToolId): ChatId;
  /** Gives a piece of work to a chat of its own, which ends with this turn at the latest. */
  delegate(task: Delegation): Promise<Delegated>;
  /** What the client that wrote the message lends while it waits for the turn. */
  workbench?(): Workbench | undefined;
  /** What policy says of something, without doing, asking or storing anything; for what an agent does beside the calls it asked about. */
  judge(deed: ToolIntent): Promise<Ruling>;
  /** What goes on in the background of this session. */
  readonly jobs?: ChatJobs;
  /** The tools that clients lend to the session now. */
  clientTools?(): readonly ClientTool[];
  /** What came of a call that somebody else runs, such as the client that lends its tool; in the log already. */
  result?(tool: ToolId): Promise<ToolResult>;
  /** The editors that can be asked about code. */
  readonly editors?: Editors;
  /** Keeps a text that is too long to be told; the path can be read by the tools of this session. */
  keep(name: string, text: string): Promise<string | undefined>;
  /** Names the conversation, also after the turn, until the conversation is closed. A name that a human gave stays. */
  title(text: string): void;
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

/** A piece of work for a chat of its own. */
export interface Delegation {
  /** The call that gives it. */
  readonly tool: ToolId;
  readonly title: string;
  readonly text: string;
  readonly model?: string;
  /** An earlier chat of this kind that goes on; absent for a new one. */
  readonly chat?: ChatId;
  /** Calls back with the chat as it begins, and whenever something but words has been added to it. */
  readonly watch?: (chat: Chat) => void;
}

export type Delegated = { readonly chat: ChatId; readonly turn: EndedTurn } | Rejection;
