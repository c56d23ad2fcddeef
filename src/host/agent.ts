// What the host asks of whoever does the work, native or external; implementations live under agents.
import type { AgentReport } from '../model/command.ts';
import type { Answer, AskOption, ChatId, Json, Outcome, Question, SessionId, ToolId, ToolKind, TurnId, UserMessage } from '../model/event.ts';
import type { EndedTurn, State } from '../model/state.ts';

export interface Agent {
  readonly info: AgentInfo;
  /** Finds the conversation `ref` again, or starts a new one. Throws where the agent cannot be started at all. */
  open(where: Where): Promise<Conversation>;
  /** Tells when `info` has changed, for example because models were found. */
  watch?(changed: () => void): () => void;
}

export interface AgentInfo {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly models: readonly ModelInfo[];
  readonly modes?: readonly { readonly id: string; readonly name: string; readonly description?: string }[];
  readonly accepts?: { readonly images?: boolean; readonly audio?: boolean };
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
}

export interface Conversation {
  /** Opaque; lets open() find this conversation again. */
  readonly ref: string;
  /** Works on one message until it is done; never throws. Whatever happens after `signal` aborts is ignored. */
  prompt(turn: TurnContext): Promise<Outcome>;
  /** Takes a message into the running turn; an agent without it gets the message as the next turn. */
  steer?(message: UserMessage): void;
  truncate?(after: TurnId | undefined): Promise<void>;
  close(): Promise<void>;
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
  /** Policy first, then any human. Resolves once the decision is durable: an allowed tool is already running in the log. */
  approve(request: ToolRequest): Promise<Verdict>;
  ask(question: NewQuestion): Promise<Answer>;
  /** Takes the messages that wait to steer this turn; they become part of it. */
  steering(): readonly UserMessage[];
  /** Names the conversation, also after the turn, until the conversation is closed. A name that a human gave stays. */
  title(text: string): void;
}

export interface ToolRequest {
  readonly tool: ToolId;
  readonly name: string;
  readonly toolKind: ToolKind;
  readonly title: string;
  readonly input: Json;
  /** Every path the call touches, absolute, links resolved. */
  readonly paths: readonly string[];
  readonly command?: string;
  /** The options an external agent offers; absent means ours. */
  readonly options?: readonly AskOption[];
  readonly editable?: boolean;
}

export type Verdict =
  | { readonly allowed: true; readonly option?: string; readonly input?: Json }
  | { readonly allowed: false; readonly option?: string; readonly reason: string };

export type NewQuestion =
  | { readonly kind: 'question'; readonly tool?: ToolId; readonly message: string; readonly questions: readonly Question[] }
  | { readonly kind: 'signin'; readonly message: string; readonly url: string };
