// The public types of the client library. They stand alone: this file is also the declaration file of the
// package, so it imports nothing and declares only types.

export interface ConnectOptions {
  /** The address of the host, such as `http://127.0.0.1:4517`. Node finds the host of this machine itself. */
  readonly url?: string;
  /** What `parley token` prints, or the token of a device. Needed with `url`. */
  readonly token?: string;
  /** The path of the host's private socket; Node only. */
  readonly socket?: string;
  /** The name that other clients see. Default: `parley/client`. */
  readonly name?: string;
  /** How long the first connection may take, in milliseconds. Default: 10000. */
  readonly timeout?: number;
}

export interface AgentInfo {
  readonly id: string;
  readonly name: string;
  readonly models: readonly { readonly id: string; readonly name: string }[];
}

export type SessionStatus = 'idle' | 'working' | 'waiting' | 'error';

export interface SessionInfo {
  readonly id: string;
  readonly title: string;
  readonly agent: string;
  /** The first folder of the session. */
  readonly folder: string | undefined;
  readonly status: SessionStatus;
  readonly archived: boolean;
  /** ISO 8601. */
  readonly modified: string;
}

export interface NewSession {
  /** An absolute path on the host's machine. Default: the host's own choice. */
  readonly folder?: string;
  readonly agent?: string;
  /** `provider/model`. */
  readonly model?: string;
  /** The permission mode: plan, ask, edits, auto or full. */
  readonly permissions?: string;
}

export interface Found {
  readonly id: string;
  readonly title: string;
  readonly lines: readonly string[];
}

export type ConnectionStatus = 'connecting' | 'online' | 'reconnecting' | 'refused' | 'incompatible';

/** Ends a listener. */
export type Unsubscribe = () => void;

/** A connection to a host. It reconnects by itself and loses no event. */
export interface Parley {
  agents(): readonly AgentInfo[];
  /** The newest first. */
  sessions(): readonly SessionInfo[];
  create(options?: NewSession): Promise<Session>;
  open(id: string): Promise<Session>;
  /** Searches the text of all sessions. */
  search(words: string, limit?: number): Promise<readonly Found[]>;
  delete(id: string): Promise<void>;
  onSessions(listener: (sessions: readonly SessionInfo[]) => void): Unsubscribe;
  onConnection(listener: (status: ConnectionStatus) => void): Unsubscribe;
  /** Sessions go on; only this connection ends. */
  close(): void;
}

/** One session, followed live. */
export interface Session {
  readonly id: string;
  info(): SessionInfo | undefined;
  /** Finished turns, and the one that runs at the end. */
  turns(): readonly TurnRecord[];
  /** What waits for a person, from any client. */
  waiting(): readonly (Approval | Question)[];
  /** Starts a turn. Rejects if one runs already; use `queue` or `steer` then. */
  prompt(text: string): Turn;
  /** The message starts a turn when the current one has ended. */
  queue(text: string): Promise<void>;
  /** The agent gets the message in the middle of its turn. */
  steer(text: string): Promise<void>;
  /** Stops the turn that runs; does nothing otherwise. */
  stop(): Promise<void>;
  setPermissions(mode: string): Promise<void>;
  /** Called after every change. */
  onChange(listener: () => void): Unsubscribe;
  /** Stops following. The session goes on. */
  close(): void;
}

export interface Usage {
  readonly input: number | undefined;
  readonly output: number | undefined;
  /** In USD, where the price is known. */
  readonly cost: number | undefined;
}

export type TurnState = 'running' | 'complete' | 'cancelled' | 'error';

export interface TurnRecord {
  readonly id: string;
  readonly state: TurnState;
  readonly prompt: string;
  /** The answer, without reasoning and tool calls. */
  readonly text: string;
  readonly usage: Usage;
  /** Why it failed. */
  readonly error: string | undefined;
}

/** A turn that this client has started: iterate it for its events, or await `result`. */
export interface Turn extends AsyncIterable<TurnEvent> {
  readonly id: string;
  /** Rejects if the host refuses the prompt. A turn that fails is a result with the state `error`. */
  readonly result: Promise<TurnRecord>;
}

export interface ToolCall {
  readonly id: string;
  readonly tool: string;
  /** What it does, as clients show it. */
  readonly title: string;
  readonly status: 'preparing' | 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';
}

export interface Approval {
  readonly type: 'approval';
  readonly id: string;
  readonly title: string;
  /** The arguments, as the agent wrote them. */
  readonly input: string | undefined;
  /** What can be chosen instead of allowing once, such as for the session. */
  readonly options: readonly { readonly id: string; readonly label: string }[];
  /** Allows the call once, or as an option says. */
  allow(option?: string): Promise<void>;
  /** The agent reads the reason. */
  deny(reason?: string): Promise<void>;
}

export interface QuestionField {
  readonly id: string;
  readonly message: string;
  readonly type: 'text' | 'number' | 'integer' | 'boolean' | 'single-select' | 'multi-select';
  readonly required: boolean;
  readonly options: readonly { readonly id: string; readonly label: string }[];
}

export interface Question {
  readonly type: 'question';
  readonly id: string;
  readonly message: string | undefined;
  readonly fields: readonly QuestionField[];
  /** By the id of the field; options by their id. */
  answer(values: Readonly<Record<string, string | number | boolean | readonly string[]>>): Promise<void>;
  decline(): Promise<void>;
}

export type TurnEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'tool'; readonly call: ToolCall }
  | { readonly type: 'notice'; readonly text: string }
  | { readonly type: 'error'; readonly message: string }
  | Approval
  | Question;
