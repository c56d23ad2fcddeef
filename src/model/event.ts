// The facts a session is made of, in our own words; knows no protocol, no clock and no storage.

import type { SessionClient } from './sessionClient.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type SessionId = string;
export type ChatId = string;
export type TurnId = string;
export type ItemId = string;
export type ToolId = string;
export type AskId = string;
export type MessageId = string;

/** Who caused an entry. A client is named by its door and its own id; `mark` is whatever it numbers its wishes with. */
export type Origin =
  | {
      readonly kind: 'client';
      readonly door: string;
      readonly client: string;
      readonly name?: string;
      readonly mark?: number;
    }
  | { readonly kind: 'agent'; readonly agent: string }
  | { readonly kind: 'host' };

/** One line of the log. `seq` is dense within its session, `pos` grows over all sessions of a host. */
export interface Entry {
  readonly seq: number;
  readonly pos: number;
  readonly at: number;
  readonly by: Origin;
  readonly event: Event;
}

export type Attachment =
  | {
      readonly type: 'file';
      readonly path: string;
      readonly lines?: { readonly start: number; readonly end: number };
    }
  | { readonly type: 'directory'; readonly path: string }
  | { readonly type: 'cursor'; readonly path: string; readonly line: number; readonly character: number }
  | { readonly type: 'text'; readonly label: string; readonly text: string; readonly uri?: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'audio'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'link'; readonly uri: string; readonly name?: string; readonly mediaType?: string };

/** What a user is writing and has not sent yet. */
export interface Draft {
  readonly text: string;
  readonly attachments?: readonly Attachment[];
  /** The model the user chose for this message; absent means the session's. */
  readonly model?: string;
  /** Set where nobody wrote it: the agent went on by itself, and the text says so. */
  readonly from?: 'agent';
  readonly meta?: Json;
}

export interface UserMessage extends Draft {
  readonly id: MessageId;
}

/** A text or a picture that a model reads with a message. */
export type ResolvedPart =
  | string
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string };

/** What a model is given for a message, as it was when the message came: the files, links and commands it names, read once. */
export interface ResolvedInput {
  /** Read in place of the user's text, where a hook or the host has changed it. */
  readonly text?: string;
  /** One per attachment of the message; null leaves the attachment as it is. */
  readonly attachments: readonly (ResolvedPart | null)[];
  readonly added: readonly ResolvedPart[];
}

/** Which hooks run next before a turn: those that open a chat, those that see its message, or none, and the agent begins. */
export type PreparationStage = 'opening' | 'message' | 'agent';

/** How far the hooks before a turn have come. */
export interface Preparation {
  readonly stage: PreparationStage;
  /** How many items of the turn came before its message was taken up. */
  readonly early: number;
}

/** One edit of a file, by the tool result that records it. */
export interface EditRef {
  readonly turn: TurnId;
  readonly tool: ToolId;
  /** Its place in the content of the result. */
  readonly index: number;
}

/** A system prompt from a client: added to the agent's own, or in its place. */
export interface SystemPrompt {
  readonly mode: 'append' | 'override';
  readonly text: string;
}

export const noteOwners = ['doors/ahp', 'doors/eca', 'agents/acp', 'agents/native'] as const;

/** The folder whose code alone reads a private note. */
export type NoteOwner = (typeof noteOwners)[number];

export type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string }
  | {
      readonly type: 'edit';
      readonly path: string;
      readonly before: string | null;
      readonly after: string | null;
    }
  | { readonly type: 'terminal'; readonly terminal: string; readonly title: string }
  /** A chat inside a call: who works in it, on what, and with how many steps at most. */
  | {
      readonly type: 'chat';
      readonly chat: ChatId;
      readonly title: string;
      readonly agent?: string;
      readonly description?: string;
      readonly maxSteps?: number;
    }
  | { readonly type: 'link'; readonly uri: string; readonly name?: string; readonly mediaType?: string }
  | { readonly type: 'data'; readonly value: Json };

/** Who has a tool: nobody where an agent has called what does not exist. What a model's provider runs itself has run before anybody hears of it: nobody approves it, and nobody else runs it. */
export type ToolSource = 'native' | 'mcp' | 'agent' | 'client' | 'provider' | 'nobody';

export type ToolKind =
  | 'read'
  | 'edit'
  | 'delete'
  | 'move'
  | 'search'
  | 'execute'
  | 'think'
  | 'fetch'
  | 'other';

export interface Location {
  readonly path: string;
  readonly line?: number;
}

/** Why a tool was let run: a host rule, a human's answer, or the agent's own judgement. */
export type Basis =
  | { readonly how: 'rule'; readonly rule: string }
  | { readonly how: 'ask'; readonly ask: AskId; readonly option: string }
  | { readonly how: 'agent' };

export type ToolResult =
  | { readonly status: 'done'; readonly content: readonly Content[]; readonly raw?: Json }
  | {
      readonly status: 'failed';
      readonly content: readonly Content[];
      readonly error: string;
      readonly raw?: Json;
    }
  /** `hook` names the hook that refused the call. */
  | {
      readonly status: 'denied';
      readonly reason: string;
      readonly rule?: string;
      readonly hook?: string;
      readonly ask?: AskId;
    };

/** How a tool ended that has run. */
export type RunResult = Exclude<ToolResult, { readonly status: 'denied' }>;

export type ToolOutput = { readonly append: string } | { readonly replace: readonly Content[] };

export interface AskOption {
  readonly id: string;
  readonly label: string;
  readonly effect: 'allow' | 'allow-session' | 'allow-always' | 'deny' | 'deny-always';
}

export interface Choice {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
}

export interface Question {
  readonly id: string;
  readonly message: string;
  readonly title?: string;
  readonly required?: boolean;
  readonly answer:
    | { readonly type: 'text' | 'number' | 'integer' | 'boolean' }
    | { readonly type: 'one' | 'many'; readonly choices: readonly Choice[]; readonly freeform?: boolean };
}

/** How a hook's program ended. */
export interface HookResult {
  readonly status: number;
  readonly output: string;
  readonly error: string | null;
}

/** Something only a human can decide. */
export type Ask =
  | {
      readonly kind: 'approval';
      readonly id: AskId;
      readonly tool: ToolId;
      readonly title: string;
      readonly options: readonly AskOption[];
      readonly editable?: boolean;
      /** What a lasting answer is remembered as; absent means the call as it stands. */
      readonly remember?: readonly Remembered[];
    }
  | {
      readonly kind: 'question';
      readonly id: AskId;
      readonly tool?: ToolId;
      readonly message: string;
      readonly questions: readonly Question[];
    }
  | { readonly kind: 'signin'; readonly id: AskId; readonly message: string; readonly url: string };

/** `stop` asks an agent to end its turn with the refusal: the human will say what to do instead. */
export type Answer =
  | {
      readonly kind: 'option';
      readonly option: string;
      readonly reason?: string;
      readonly input?: Json;
      readonly stop?: true;
    }
  | { readonly kind: 'fields'; readonly values: { readonly [question: string]: Json } }
  | { readonly kind: 'declined'; readonly reason?: string }
  | { readonly kind: 'withdrawn'; readonly why: string };

export interface Problem {
  readonly code: string;
  readonly message: string;
}

/** Another attempt at what has failed. */
export interface Retry {
  readonly problem: Problem;
  /** Which of how many attempts more it is. */
  readonly attempt: number;
  readonly of: number;
  /** In how many milliseconds it is made, and whether it was the other side that asked for the wait. */
  readonly wait: number;
  readonly asked?: true;
}

/** How a turn ended. `stop` says why a completed turn stopped when it was not simply finished. */
export type Outcome =
  | { readonly kind: 'completed'; readonly stop?: 'length' | 'steps' | 'refusal' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly problem: Problem }
  | { readonly kind: 'interrupted' };

export interface Usage {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly model?: string;
  readonly cost?: number;
  /** How often the provider of the model searched the web. */
  readonly searches?: number;
  readonly context?: { readonly used: number; readonly size: number };
}

export interface PlanEntry {
  readonly text: string;
  readonly status: 'pending' | 'active' | 'done';
  readonly priority: 'high' | 'medium' | 'low';
  /** What the agent calls it by; absent where it has no name but its place. */
  readonly id?: number;
  readonly description?: string;
  /** The ids of those that have to be done before. */
  readonly blockedBy?: readonly number[];
  /** What is being done about it now. */
  readonly doing?: string;
}

export type ChatOrigin =
  | { readonly type: 'user' }
  | { readonly type: 'fork'; readonly chat: ChatId; readonly turn: TurnId }
  /** A conversation about another one, which it knows up to a turn; `about` is what of it was pointed at. */
  | {
      readonly type: 'side';
      readonly chat: ChatId;
      readonly turn: TurnId;
      readonly about?: { readonly text: string; readonly item?: string };
    }
  | { readonly type: 'tool'; readonly chat: ChatId; readonly tool: ToolId };

/** What a human decided beyond one call. Everything but the tool narrows the rule; narrowings add up. */
export interface Rule {
  readonly id: string;
  readonly effect: 'allow' | 'ask' | 'deny';
  /** A tool's name, in which `*` stands for anything, or a kind of tool such as `@edit`. */
  readonly tool: string;
  /** One exact command line. */
  readonly match?: string;
  /** The words of a command; a last `*` stands for any further words. */
  readonly command?: readonly string[];
  /** Patterns of real paths, absolute or below a workspace folder. */
  readonly paths?: readonly string[];
  /** Regular expressions that whole arguments must match, by name. */
  readonly args?: { readonly [name: string]: string };
  /** What the tool said of itself when it was allowed; once it says something else, the rule allows it no longer. */
  readonly definition?: string;
  /** Where it stands, where it is not a session's own. */
  readonly source?: string;
  /** The hook that made the rule for one call. */
  readonly hook?: string;
  /** What it denies ends the turn, for the user to say what to do instead; without it the agent goes on with the refusal as an answer. */
  readonly ends?: true;
}

/** What a lasting answer about a call would add to the rules. */
export type Remembered = Pick<Rule, 'tool' | 'match' | 'command' | 'args' | 'definition'>;

export interface SessionChanges {
  readonly title?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly mode?: string;
  readonly roots?: readonly string[];
  readonly archived?: boolean;
  readonly read?: boolean;
  readonly rules?: readonly Rule[];
  readonly options?: { readonly [key: string]: Json };
}

/** What is changed about one chat; the marks say something about its reader. */
export interface ChatChanges {
  readonly title?: string;
  readonly read?: boolean;
  readonly archived?: boolean;
}

interface InChat {
  readonly chat: ChatId;
}

interface InTurn extends InChat {
  readonly turn: TurnId;
}

interface OfTool extends InTurn {
  readonly tool: ToolId;
}

export type Event =
  | ({
      readonly kind: 'session.created';
      readonly session: SessionId;
      readonly agent: string;
      readonly roots: readonly string[];
    } & Pick<SessionChanges, 'title' | 'model' | 'mode' | 'options'>)
  | { readonly kind: 'session.changed'; readonly changes: SessionChanges }
  | ({ readonly kind: 'agent.bound'; readonly agent: string; readonly ref: string } & InChat)
  | ({ readonly kind: 'chat.created'; readonly origin: ChatOrigin; readonly title?: string } & InChat)
  | ({ readonly kind: 'chat.changed' } & ChatChanges & InChat)
  /** The chats of a session in another order; the default chat stays the first. */
  | { readonly kind: 'chats.ordered'; readonly order: readonly ChatId[] }
  | ({ readonly kind: 'chat.removed' } & InChat)
  | ({ readonly kind: 'chat.truncated'; readonly after?: TurnId } & InChat)
  /** A summary stands for everything up to the end of that turn, or up to one of its items. What it stands for stays in the log. */
  | ({
      readonly kind: 'chat.compacted';
      readonly summary: string;
      readonly after: TurnId;
      readonly item?: ItemId;
    } & InChat)
  | ({
      readonly kind: 'message.queued';
      readonly lane: 'queue' | 'steer';
      readonly message: UserMessage;
    } & InChat)
  | ({ readonly kind: 'message.removed'; readonly message: MessageId } & InChat)
  | ({ readonly kind: 'message.reordered'; readonly order: readonly MessageId[] } & InChat)
  | ({ readonly kind: 'message.steered'; readonly message: UserMessage } & InTurn)
  | ({ readonly kind: 'turn.started'; readonly message: UserMessage; readonly queued: boolean } & InTurn)
  /** Stands in front of the start of a turn that hooks come before, and each time they have come further. */
  | ({ readonly kind: 'turn.prepared'; readonly turn: TurnId } & Preparation)
  | ({ readonly kind: 'turn.ended'; readonly outcome: Outcome } & InTurn)
  /** The last turn, which had failed or was interrupted, goes on. */
  | ({ readonly kind: 'turn.resumed' } & InTurn)
  | ({ readonly kind: 'usage.reported'; readonly usage: Usage } & InTurn)
  /** `meta` is the agent's own and opaque, such as a signature its provider wants back; the newest one of an item counts. */
  | ({
      readonly kind: 'text.added';
      readonly item: ItemId;
      readonly channel: 'answer' | 'reasoning';
      readonly text: string;
      readonly meta?: Json;
    } & InTurn)
  /** A picture in the answer, whole; `meta` as with words. */
  | ({
      readonly kind: 'image.added';
      readonly item: ItemId;
      readonly mediaType: string;
      readonly data: string;
      readonly meta?: Json;
    } & InTurn)
  | ({ readonly kind: 'plan.set'; readonly entries: readonly PlanEntry[] } & InTurn)
  /** `waits` is set where it only says what is waited for, and the turn goes on by itself; `retry` where that is another attempt. */
  | ({
      readonly kind: 'notice.added';
      readonly level: 'info' | 'warning' | 'error';
      readonly text: string;
      readonly waits?: true;
      readonly retry?: Retry;
      /** The hook that stopped the turn, which this notice is about. */
      readonly stoppedBy?: string;
    } & InTurn)
  | ({
      readonly kind: 'tool.started';
      readonly name: string;
      readonly title: string;
      readonly toolKind: ToolKind;
      readonly source: ToolSource;
      readonly server?: string;
    } & OfTool)
  | ({ readonly kind: 'tool.input'; readonly text: string } & OfTool)
  | ({
      readonly kind: 'tool.ready';
      readonly input: Json;
      readonly title: string;
      readonly toolKind: ToolKind;
      readonly locations?: readonly Location[];
      readonly preview?: readonly Content[];
      readonly meta?: Json;
    } & OfTool)
  | ({ readonly kind: 'tool.running'; readonly basis: Basis; readonly input?: Json } & OfTool)
  | ({ readonly kind: 'tool.output'; readonly output: ToolOutput } & OfTool)
  /** A client says how its tool ended, and a human has to accept that before the call ends with it. */
  | ({ readonly kind: 'tool.held'; readonly result: RunResult } & OfTool)
  | ({ readonly kind: 'tool.ended'; readonly result: ToolResult; readonly meta?: Json } & OfTool)
  | ({ readonly kind: 'ask.opened'; readonly ask: Ask } & InTurn)
  | ({ readonly kind: 'ask.answered'; readonly ask: AskId; readonly answer: Answer } & InTurn)
  /** A hook began, or has ended where it has a `result`; `call` is the tool call it is about. */
  | ({
      readonly kind: 'hook.ran';
      readonly id: string;
      readonly name: string;
      readonly result?: HookResult;
      readonly call?: ToolId;
    } & InChat)
  /** Edits that do not count any more: their files are as they were before. */
  | { readonly kind: 'edits.reverted'; readonly edits: readonly EditRef[] }
  /** A user had files put back that this chat has changed; its agent is told before it works on. `left` were changed since and stay. */
  | ({
      readonly kind: 'files.restored';
      readonly after: TurnId | null;
      readonly restored: readonly string[];
      readonly left: readonly string[];
    } & InChat)
  | { readonly kind: 'input.resolved'; readonly message: MessageId; readonly input: ResolvedInput }
  /** What a client attaches to a session for its agent: opaque data, or a system prompt. */
  | { readonly kind: 'session.instructed'; readonly meta?: Json; readonly prompt?: SystemPrompt }
  /** All tool servers, rules, skills, commands and agents that are switched off in this session, by id. */
  | { readonly kind: 'features.disabled'; readonly ids: readonly string[] }
  | ({ readonly kind: 'draft.set'; readonly draft: Draft | null } & InChat)
  /** A client takes part in the session, or lends something else than before. */
  | { readonly kind: 'client.joined'; readonly client: SessionClient }
  | { readonly kind: 'client.left'; readonly client: string }
  /** A private fact of one folder, read by its owner alone; null removes it. */
  | { readonly kind: 'note'; readonly owner: NoteOwner; readonly key: string; readonly value: Json }
  /** An entry of an older format that means nothing any more; it only keeps the numbers of the log dense. */
  | { readonly kind: 'retired'; readonly was: string };

export type EventKind = Event['kind'];
export type EventOf<K extends EventKind> = Extract<Event, { readonly kind: K }>;
