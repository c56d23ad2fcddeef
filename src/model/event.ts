// The events of a session log, independent of any protocol, clock or storage.

import type { SessionClient } from './sessionClient.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type SessionId = string;
export type ChatId = string;
export type TurnId = string;
export type ItemId = string;
export type ToolId = string;
export type AskId = string;
export type MessageId = string;

/**
 * Who caused an entry. A client is named by its door and its own id; `mark` is the client's own
 * number for the command.
 */
export type Origin =
  | {
      readonly kind: 'client';
      readonly door: string;
      readonly client: string;
      readonly name?: string;
      /** The signed-in device that the client runs on, by its name; absent on this machine. */
      readonly device?: string;
      /** The permission mode with most freedom that the device may choose; absent means any. */
      readonly most?: Autonomy;
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
  /** `isCommand`: the text of the command that the message names, which the door has looked up. */
  | {
      readonly type: 'text';
      readonly label: string;
      readonly text: string;
      readonly uri?: string;
      readonly isCommand?: true;
    }
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'audio'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'link'; readonly uri: string; readonly name?: string; readonly mediaType?: string };

/**
 * Opaque values, by name, that a client attached for its peers, which know their meaning. The host stores
 * them as they came, up to a size that the door sets, gives them back unchanged, and never interprets them.
 */
export interface Extensions {
  readonly [name: string]: Json;
}

/** A message that a user is writing and has not sent yet. */
export interface Draft {
  readonly text: string;
  readonly attachments?: readonly Attachment[];
  /** The model the user chose for this message; absent means the session's. */
  readonly model?: string;
  /** Set if no user wrote it: the agent continued on its own, and the text says so. */
  readonly from?: 'agent';
  /** For clients that speak the same protocol as the writer. */
  readonly extensions?: Extensions;
  /** What a client says about it to other clients; its door alone reads it, by a schema. */
  readonly details?: Json;
}

export interface UserMessage extends Draft {
  readonly id: MessageId;
}

/** A text or an image that a model reads with a message. */
export type ResolvedPart =
  | string
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string };

/**
 * The resolved input of a message: the files, links and commands that it names, read once
 * when the message arrived.
 */
export interface ResolvedInput {
  /** Replaces the user's text if a hook or the host has changed it. */
  readonly text?: string;
  /** One per attachment of the message; null leaves the attachment as it is. */
  readonly attachments: readonly (ResolvedPart | null)[];
  readonly added: readonly ResolvedPart[];
}

/**
 * Which hooks run next before a turn: those for a new chat, those for the message, or none,
 * and the agent starts.
 */
export type PreparationStage = 'opening' | 'message' | 'agent';

/** Progress of the hooks that run before a turn. */
export interface Preparation {
  readonly stage: PreparationStage;
  /** How many items the turn had before its message was processed. */
  readonly early: number;
}

/** One edit of a file, by the tool result that records it. */
export interface EditRef {
  readonly turn: TurnId;
  readonly tool: ToolId;
  /** Its place in the content of the result. */
  readonly index: number;
}

/** An edit of which a user took back some lines: the text that its file has instead. */
export interface AmendedEdit {
  readonly edit: EditRef;
  readonly text: string;
}

/** A system prompt from a client: appended to the agent's own, or replacing it. */
export interface SystemPrompt {
  readonly mode: 'append' | 'override';
  readonly text: string;
}

/**
 * The system prompt that the native agent pinned for a chat. `madeFor` identifies the user's choices: the
 * agent, the model, the folders.
 */
export interface PinnedPrompt {
  readonly text: string;
  readonly madeFor: string;
  /** Set once the user was told that the project's instructions have changed since. */
  readonly changeTold?: true;
}

export const noteOwners = ['doors/ahp', 'doors/eca'] as const;

/** The folder of the door that owns a private note; no other code reads it. */
export type NoteOwner = (typeof noteOwners)[number];

export type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string }
  /** Other binary data, such as a recording. */
  | { readonly type: 'blob'; readonly mediaType: string; readonly data: string }
  | {
      readonly type: 'edit';
      readonly path: string;
      readonly before: string | null;
      readonly after: string | null;
      /**
       * Set if the host itself saw the file before and after. Without it the edit of an external agent is
       * only what the agent reports, and `before: null` does not mean that there was no file.
       */
      readonly observed?: true;
      /**
       * Set if no report of the agent explains what the host saw, so that the user or another program may
       * have made the change; no undo reverts it.
       */
      readonly unattributed?: true;
      /** The permission bits before the edit, if it changed them or removed the file. */
      readonly mode?: number;
      /** The permission bits after the edit, if it changed them or made the file with unusual ones. */
      readonly modeAfter?: number;
      /** Set if of the permissions before only the one to execute was known. */
      readonly modeGuessed?: true;
      /** The topmost folder that came with a new file, or went with one that was removed. */
      readonly folder?: string;
    }
  /** A file that has changed although no texts of it are kept, and why; an undo leaves it alone. */
  | { readonly type: 'untracked'; readonly path: string; readonly why: string }
  | { readonly type: 'terminal'; readonly terminal: string; readonly title: string }
  /** The chat of a sub-agent that a tool call started: its agent, its task and its step limit. */
  | {
      readonly type: 'chat';
      readonly chat: ChatId;
      readonly title: string;
      readonly agent?: string;
      readonly description?: string;
      readonly maxSteps?: number;
    }
  | { readonly type: 'link'; readonly uri: string; readonly name?: string; readonly mediaType?: string }
  /** What a client's tool produced and the model has no content for; its door alone reads it, by a schema. */
  | { readonly type: 'data'; readonly value: Json };

/**
 * Who provides the tool; `nobody` for a call to an unknown tool. Tools of a `provider` have already run when
 * they are reported, so they need no approval.
 */
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

/** Why a tool was allowed to run: a host rule, a user's answer, or the agent's own decision. */
export type Basis =
  | { readonly how: 'rule'; readonly rule: string }
  | { readonly how: 'ask'; readonly ask: AskId; readonly option: string }
  | { readonly how: 'agent' };

interface Returned {
  readonly content: readonly Content[];
  readonly raw?: Json;
  /** The same as data, from a client's tool that describes its output. */
  readonly structured?: Json;
  /**
   * What a client says about the result of its tool to other clients; its door alone reads it, by a schema.
   */
  readonly details?: Json;
  /** The limit in milliseconds that has ended the command of the call. */
  readonly timeLimit?: number;
}

export type ToolResult =
  | ({ readonly status: 'done' } & Returned)
  | ({ readonly status: 'failed'; readonly error: string } & Returned)
  /** `hook` names the hook that refused the call. */
  | {
      readonly status: 'denied';
      readonly reason: string;
      readonly rule?: string;
      readonly hook?: string;
      readonly ask?: AskId;
    };

/** The result of a tool that has run. */
export type RunResult = Exclude<ToolResult, { readonly status: 'denied' }>;

export type ToolOutput = { readonly append: string } | { readonly replace: readonly Content[] };

export interface AskOption {
  readonly id: string;
  readonly label: string;
  readonly effect: 'allow' | 'allow-session' | 'allow-folder' | 'allow-always' | 'deny' | 'deny-always';
  /** What is not asked about again, in words; of options that hold for more than one call. */
  readonly rule?: string;
  /** The consequence of the answer in whole sentences: what holds, where, and for how long. */
  readonly says?: string;
}

/** Whether the option lets the call run; any other one refuses it. */
export function allows({ effect }: Pick<AskOption, 'effect'>): boolean {
  return effect.startsWith('allow');
}

export interface Choice {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  /** Set if only clients that may control the host can choose it. */
  readonly needs?: 'control';
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

/** A question that only a user can decide. */
export type Ask =
  | {
      readonly kind: 'approval';
      readonly id: AskId;
      readonly tool: ToolId;
      readonly title: string;
      /** Why the policy asks, where the call does not show it; the title says it, too. */
      readonly reason?: string;
      readonly options: readonly AskOption[];
      readonly editable?: boolean;
      /** The rule that a lasting answer adds; absent means a rule for exactly this call. */
      readonly remember?: readonly RuleProposal[];
      /** How the call runs if it is allowed. */
      readonly sandbox?: SandboxUse;
    }
  | {
      readonly kind: 'question';
      readonly id: AskId;
      readonly tool?: ToolId;
      readonly message: string;
      readonly questions: readonly Question[];
      /** Set if the host asks, and not the agent: which role answers. */
      readonly needs?: 'approve' | 'control';
      /** What a question of the host decides; absent for questions of agents. */
      readonly about?: 'trust' | 'network' | 'leaving';
      /** What the choices `session` and `always` of a question about the network remember. */
      readonly remember?: readonly RuleProposal[];
    }
  | { readonly kind: 'signin'; readonly id: AskId; readonly message: string; readonly url: string };

/** `stop` asks an agent to end its turn after the refusal: the user will say what to do instead. */
export type Answer =
  | {
      readonly kind: 'option';
      readonly option: string;
      readonly reason?: string;
      /** The arguments as the user changed them, and what the call is called with them. */
      readonly input?: Json;
      readonly title?: string;
      readonly stop?: true;
    }
  | { readonly kind: 'fields'; readonly values: { readonly [question: string]: Json } }
  | { readonly kind: 'declined'; readonly reason?: string }
  | { readonly kind: 'withdrawn'; readonly why: string };

export interface Problem {
  readonly code: string;
  readonly message: string;
}

/** A retry of a failed request. */
export interface Retry {
  readonly problem: Problem;
  /** The number of this retry, and the maximum. */
  readonly attempt: number;
  readonly of: number;
  /** The delay in milliseconds, and whether the provider asked for it. */
  readonly wait: number;
  readonly asked?: true;
}

/** Who wanted a compaction: the user with a command, or the agent. */
export type CompactionTrigger = 'command' | 'automatic';

/** A web page that an answer cites. */
export interface WebSource {
  readonly title: string;
  readonly url: string;
}

/** How a turn ended. `stop` says why a completed turn ended early. */
export type Outcome =
  | { readonly kind: 'completed'; readonly stop?: 'length' | 'steps' | 'refusal' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly problem: Problem }
  | { readonly kind: 'interrupted' };

export interface Usage {
  /** All tokens of the input, with those that were read from the cache or written to it. */
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly model?: string;
  readonly cost?: number;
  /** How often the model's provider searched the web. */
  readonly searches?: number;
  readonly context?: { readonly used: number; readonly size: number };
}

export interface PlanEntry {
  readonly text: string;
  readonly status: 'pending' | 'active' | 'done';
  readonly priority: 'high' | 'medium' | 'low';
  /** The agent's own id for it; absent if it has none. */
  readonly id?: number;
  readonly description?: string;
  /** The ids of entries that must be done first. */
  readonly blockedBy?: readonly number[];
  /** What the agent is doing for it now. */
  readonly doing?: string;
}

export type ChatOrigin =
  | { readonly type: 'user' }
  | { readonly type: 'fork'; readonly chat: ChatId; readonly turn: TurnId }
  /**
   * A side chat about another chat, whose turns it knows up to one turn; `about` is the part
   * that the user selected.
   */
  | {
      readonly type: 'side';
      readonly chat: ChatId;
      readonly turn: TurnId;
      readonly about?: { readonly text: string; readonly item?: string };
    }
  | { readonly type: 'tool'; readonly chat: ChatId; readonly tool: ToolId };

/** A user's decision for more than one call. Every field besides the tool limits the rule further. */
export interface Rule {
  readonly id: string;
  readonly effect: 'allow' | 'ask' | 'deny';
  /** A tool's name with `*` as wildcard, or a kind of tool such as `@edit`. */
  readonly tool: string;
  /** One exact command line. */
  readonly match?: string;
  /** The words of a command; a final `*` matches any further words. */
  readonly command?: readonly string[];
  /** Patterns of real paths, absolute or below a workspace folder. */
  readonly paths?: readonly string[];
  /** Regular expressions that whole arguments must match, by name. */
  readonly args?: { readonly [name: string]: string };
  /** A name with its port that confined programs may connect to; such a rule is about no call. */
  readonly host?: string;
  /** The tool's description when it was allowed; after a change the rule does not allow it any more. */
  readonly definition?: string;
  /** The rule holds only in sessions whose folders are all inside these; paths are relative to them. */
  readonly folders?: readonly string[];
  /** Who answered so that the rule was made, and when. A rule that no user has answered has none. */
  readonly made?: RuleOrigin;
  /** Where the rule comes from, if it is not the session's own. */
  readonly source?: string;
  /** The hook that made the rule for one call. */
  readonly hook?: string;
  /**
   * A denied call ends the turn, so that the user can say what to do instead; otherwise the agent continues
   * with the refusal as the result.
   */
  readonly ends?: true;
}

/** Where a rule comes from that an answer has made. */
export interface RuleOrigin {
  readonly by: Origin;
  readonly at: number;
  /** The session in which it was asked, if it holds in others, too. */
  readonly session?: SessionId;
}

/** The rule that a lasting answer about a call would add. */
export type RuleProposal = Pick<
  Rule,
  'tool' | 'match' | 'command' | 'paths' | 'args' | 'host' | 'definition'
>;

/** The permission modes: what agents may do without asking, from least to most. */
export const autonomyLevels = ['plan', 'ask', 'edits', 'auto', 'full'] as const;

export type Autonomy = (typeof autonomyLevels)[number];

/** What a confined program reaches: nothing, names that a user has allowed, or everything. */
export type SandboxNetwork = 'off' | 'ask' | 'on';

/** How a call runs that runs a program: inside the sandbox, or outside because a user let it or `because`. */
export type SandboxUse =
  | { readonly confined: true; readonly network: SandboxNetwork }
  | { readonly confined: false; readonly because?: OutsideReason };

/**
 * Why a program runs outside the sandbox though no user let it out: the permission mode confines none, this
 * machine has no sandbox, the settings switch it off for this agent, or it is a tool server.
 */
export const outsideReasons = ['plan', 'ask', 'edits', 'full', 'unavailable', 'off', 'server'] as const;

export type OutsideReason = (typeof outsideReasons)[number];

export interface SessionChanges {
  readonly title?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly mode?: string;
  readonly autonomy?: Autonomy;
  readonly roots?: readonly string[];
  readonly archived?: boolean;
  readonly read?: boolean;
  readonly rules?: readonly Rule[];
  readonly options?: { readonly [key: string]: Json };
  /** Settings that clients share and no agent offers; the host only stores them. */
  readonly clientOptions?: { readonly [key: string]: Json };
}

/** Changes to one chat; `read` and `archived` are about its reader. */
export interface ChatChanges {
  readonly title?: string;
  readonly read?: boolean;
  readonly archived?: boolean;
  /** Says that the agent has not stopped a turn that has ended; null once it has, or was ended. */
  readonly stopping?: string | null;
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
      /** Where the permission mode comes from if nobody chose it. */
      readonly autonomyFrom?: 'settings';
    } & Pick<SessionChanges, 'title' | 'model' | 'mode' | 'autonomy' | 'options' | 'clientOptions'>)
  | { readonly kind: 'session.changed'; readonly changes: SessionChanges }
  | ({ readonly kind: 'agent.bound'; readonly agent: string; readonly ref: string } & InChat)
  | ({ readonly kind: 'chat.created'; readonly origin: ChatOrigin; readonly title?: string } & InChat)
  | ({ readonly kind: 'chat.changed' } & ChatChanges & InChat)
  /** The chats of a session in a new order; the default chat stays first. */
  | { readonly kind: 'chats.ordered'; readonly order: readonly ChatId[] }
  | ({ readonly kind: 'chat.removed' } & InChat)
  | ({ readonly kind: 'chat.truncated'; readonly after?: TurnId } & InChat)
  /**
   * A summary replaces everything up to the end of that turn, or up to one of its items, for the model. The
   * log keeps the replaced part.
   */
  | ({
      readonly kind: 'chat.compacted';
      readonly summary: string;
      readonly after: TurnId;
      readonly item?: ItemId;
      readonly trigger?: CompactionTrigger;
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
  /** Precedes the start of a turn that has hooks, and reports each step of their progress. */
  | ({ readonly kind: 'turn.prepared'; readonly turn: TurnId } & Preparation)
  | ({ readonly kind: 'turn.ended'; readonly outcome: Outcome } & InTurn)
  /** The last turn, which had failed or was interrupted, continues. */
  | ({ readonly kind: 'turn.resumed' } & InTurn)
  | ({ readonly kind: 'usage.reported'; readonly usage: Usage } & InTurn)
  /**
   * `meta` is opaque and private to the native agent: what the model's provider wants back with this part,
   * such as a signature. The newest one of an item counts.
   */
  | ({
      readonly kind: 'text.added';
      readonly item: ItemId;
      readonly channel: 'answer' | 'reasoning';
      readonly text: string;
      /** Set if the text is a list of these sources, which clients may show in their own way. */
      readonly sources?: readonly WebSource[];
      readonly meta?: Json;
    } & InTurn)
  /** A complete image in the answer; `meta` as for text. */
  | ({
      readonly kind: 'image.added';
      readonly item: ItemId;
      readonly mediaType: string;
      readonly data: string;
      readonly meta?: Json;
    } & InTurn)
  | ({ readonly kind: 'plan.set'; readonly entries: readonly PlanEntry[] } & InTurn)
  /** `waits` is set if the turn only waits and continues automatically; `retry` if it waits for a retry. */
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
  | ({
      readonly kind: 'tool.running';
      readonly basis: Basis;
      /** The arguments as a user changed them, and the title of the call with them. */
      readonly input?: Json;
      readonly title?: string;
      readonly sandbox?: SandboxUse;
    } & OfTool)
  | ({ readonly kind: 'tool.output'; readonly output: ToolOutput } & OfTool)
  /** A client reports the result of its tool, and a user must accept the result before the call ends. */
  | ({ readonly kind: 'tool.held'; readonly result: RunResult } & OfTool)
  | ({ readonly kind: 'tool.ended'; readonly result: ToolResult; readonly meta?: Json } & OfTool)
  | ({ readonly kind: 'ask.opened'; readonly ask: Ask } & InTurn)
  | ({ readonly kind: 'ask.answered'; readonly ask: AskId; readonly answer: Answer } & InTurn)
  /** A hook started, or ended if `result` is set; `call` is its tool call. */
  | ({
      readonly kind: 'hook.ran';
      readonly id: string;
      readonly name: string;
      readonly result?: HookResult;
      readonly call?: ToolId;
    } & InChat)
  /**
   * A client wrote to the input of a background job, or ended it. The text itself may be secret and is not
   * stored.
   */
  | ({
      readonly kind: 'job.written';
      readonly job: string;
      /** The call that started the job. */
      readonly tool: ToolId;
      readonly characters: number;
      readonly ended?: true;
    } & InChat)
  /**
   * Reverted edits: their files have the content from before again. Of `amended` edits only some lines were
   * reverted, or redone.
   */
  | {
      readonly kind: 'edits.reverted';
      readonly edits: readonly EditRef[];
      readonly amended?: readonly AmendedEdit[];
    }
  /** Reverted edits that are in their files again. */
  | { readonly kind: 'edits.redone'; readonly edits: readonly EditRef[] }
  /**
   * A user reverted files that this chat has changed; its agent is informed before it continues. `left` had
   * been changed since and were not reverted. With `redone` the files have the agent's changes again.
   */
  | ({
      readonly kind: 'files.restored';
      readonly after: TurnId | null;
      readonly restored: readonly string[];
      readonly left: readonly string[];
      readonly redone?: true;
    } & InChat)
  /** The undo command has reverted these turns; using it again reverts an earlier one. */
  | ({ readonly kind: 'turns.reverted'; readonly turns: readonly TurnId[] } & InChat)
  /** Providers refused images: each model gets no image up to the end of its turn again. */
  | ({ readonly kind: 'images.refused'; readonly upTo: { readonly [model: string]: TurnId } } & InChat)
  /** The system prompt of later turns; null lets the next turn make a new one. */
  | ({ readonly kind: 'prompt.pinned'; readonly prompt: PinnedPrompt | null } & InChat)
  | { readonly kind: 'input.resolved'; readonly message: MessageId; readonly input: ResolvedInput }
  /** Data that a client attaches to a session for its agent: extensions, or a system prompt. */
  | { readonly kind: 'session.instructed'; readonly extensions?: Extensions; readonly prompt?: SystemPrompt }
  /** The ids of all tool servers, rules, skills, commands and agents that are disabled in this session. */
  | { readonly kind: 'features.disabled'; readonly ids: readonly string[] }
  | ({ readonly kind: 'draft.set'; readonly draft: Draft | null } & InChat)
  /** A client joined the session, or changed what it lends. */
  | { readonly kind: 'client.joined'; readonly client: SessionClient }
  | { readonly kind: 'client.left'; readonly client: string }
  /** A private fact of one door, read only by its owner; null removes it. */
  | { readonly kind: 'note'; readonly owner: NoteOwner; readonly key: string; readonly value: Json }
  /** An entry of an older format without a meaning today; it keeps the sequence numbers dense. */
  | { readonly kind: 'retired'; readonly was: string };

export type EventKind = Event['kind'];
export type EventOf<K extends EventKind> = Extract<Event, { readonly kind: K }>;
