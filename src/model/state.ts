// The state of a session at one point of its log: plain immutable data with lookups.
import type {
  Autonomy,
  SandboxUse,
  Answer,
  Ask,
  AskId,
  AskOption,
  Basis,
  ChatId,
  CompactionTrigger,
  ChatOrigin,
  Content,
  Draft,
  AmendedEdit,
  EditRef,
  Extensions,
  ItemId,
  Json,
  Location,
  MessageId,
  NoteOwner,
  Origin,
  Outcome,
  PinnedPrompt,
  PlanEntry,
  Preparation,
  Problem,
  ResolvedInput,
  Retry,
  Rule,
  RunResult,
  SessionId,
  SystemPrompt,
  ToolId,
  ToolKind,
  ToolResult,
  ToolSource,
  TurnId,
  Usage,
  UserMessage,
  WebSource,
} from './event.ts';
import type { SessionClient } from './sessionClient.ts';
import type { ToolStatus } from './toolCall.ts';
import type { SpentUsage } from './usage.ts';

/** The settings of an agent, for when it comes back. */
export interface FormerSettings {
  readonly model: string | undefined;
  readonly mode: string | undefined;
  readonly options: { readonly [key: string]: Json };
}

/** The form of stored states. It grows whenever `reduce` makes another state of the same entries. */
export const stateFormat = 1;

export interface State {
  readonly id: SessionId;
  /** The sequence number of the last folded entry; 0 before the first. */
  readonly seq: number;
  readonly pos: number;
  readonly createdAt: number;
  readonly modifiedAt: number;
  readonly title: string;
  readonly titleBy: Origin['kind'] | 'nobody';
  readonly agent: string;
  /** The agent it was created with, for protocols in which the agent never changes. */
  readonly firstAgent: string;
  readonly model: string | undefined;
  readonly mode: string | undefined;
  /** The permission mode, and who chose it; undefined means `ask`. */
  readonly autonomy: { readonly level: Autonomy; readonly by: Origin } | undefined;
  readonly roots: readonly string[];
  readonly options: { readonly [key: string]: Json };
  /** What was chosen for agents that worked in the session before. */
  readonly former?: { readonly [agent: string]: FormerSettings };
  /** Settings that clients share and no agent offers. */
  readonly clientOptions: { readonly [key: string]: Json };
  readonly rules: readonly Rule[];
  readonly archived: boolean;
  readonly read: boolean;
  /** Whether a question to the user was ever opened here. */
  readonly asked: boolean;
  readonly chats: { readonly [id: ChatId]: Chat };
  /** Chat ids in order of creation or in the user's order; the first is the default chat. */
  readonly order: readonly ChatId[];
  /** The connected clients, in the order in which they joined. */
  readonly clients: readonly SessionClient[];
  /** What clients have attached for the agent. */
  readonly extensions: Extensions | undefined;
  readonly systemPrompt: SystemPrompt | undefined;
  /** The ids of everything that is disabled in this session. */
  readonly disabledFeatures: readonly string[];
  readonly revertedEdits: readonly EditRef[];
  /** Edits that were reverted or redone in part; the last one of an edit counts. Only grows. */
  readonly amendedEdits: readonly AmendedEdit[];
  /** Progress of the hooks before each turn; no entry for a turn without hooks. */
  readonly preparations: { readonly [turn: TurnId]: Preparation };
  readonly inputs: { readonly [message: MessageId]: ResolvedInput };
  /** Private facts of doors, by owner; read through `notesOf` by the owner alone. */
  readonly notes: { readonly [owner in NoteOwner]?: Notes };
}

export interface Notes {
  readonly [key: string]: Json;
}

export interface Chat {
  readonly id: ChatId;
  readonly title: string;
  /** The title it was created with, for protocols that cannot rename a chat. */
  readonly firstTitle: string;
  readonly origin: ChatOrigin;
  readonly read: boolean;
  readonly archived: boolean;
  readonly createdAt: number;
  readonly modifiedAt: number;
  /**
   * When a turn last started or ended, and whether it failed; truncating the chat clears the
   * failure and keeps the time.
   */
  readonly lately: { readonly at: number; readonly failed: boolean };
  readonly turns: readonly EndedTurn[];
  readonly active: Turn | undefined;
  /** Says that the agent has not stopped the turn before yet. */
  readonly stopping?: string | null;
  readonly queue: readonly UserMessage[];
  readonly steering: readonly UserMessage[];
  /** The limits of devices whose messages were queued, by message: a queued message starts as the host's. */
  readonly limits?: { readonly [message: MessageId]: Autonomy };
  /** After a failed, interrupted or held turn the queue waits until the user continues. */
  readonly held: boolean;
  readonly asks: { readonly [id: AskId]: OpenAsk };
  readonly plan: readonly PlanEntry[];
  readonly bound: { readonly agent: string; readonly ref: string } | undefined;
  readonly compaction: Compaction | undefined;
  readonly draft: Draft | undefined;
  /** Files that users have reverted since turn `after`; outdated after a later turn has ended. */
  readonly restored: RestoredFiles | undefined;
  /** What turns used that were rolled back. */
  readonly rolledBack?: SpentUsage;
  /** The turns that the undo command has reverted. */
  readonly revertedTurns: readonly TurnId[];
  /** By model: the turn up to which it gets no images again, because its provider refused one. */
  readonly refusedImages: { readonly [model: string]: TurnId };
  readonly pinnedPrompt: PinnedPrompt | undefined;
}

export interface RestoredFiles {
  readonly after: TurnId | null;
  readonly restored: readonly string[];
  readonly left: readonly string[];
  /** The files that users have redone instead: they have the agent's changes again. */
  readonly redone?: readonly string[];
}

/** The summary that replaces the beginning of a chat; `before` applies again if this one is rolled back. */
export interface Compaction {
  readonly summary: string;
  readonly after: TurnId;
  readonly item?: ItemId;
  readonly trigger?: CompactionTrigger;
  readonly earlier?: Compaction;
}

export interface OpenAsk {
  readonly turn: TurnId;
  readonly ask: Ask;
  readonly at: number;
  /** The sequence number of the entry that opened it; orders questions of different chats. */
  readonly seq: number;
}

export interface Turn {
  readonly id: TurnId;
  readonly message: UserMessage;
  readonly by: Origin;
  /** The model of the session when the turn started; the message may have chosen another. */
  readonly model?: string;
  readonly startedAt: number;
  readonly items: readonly Item[];
  readonly usage: Usage | undefined;
}

export interface EndedTurn extends Turn {
  readonly outcome: Outcome;
  readonly endedAt: number;
}

export type Item = TextItem | ImageItem | ToolItem | AskItem | MessageItem | NoticeItem;

export interface TextItem {
  readonly type: 'text';
  readonly id: ItemId;
  readonly at: number;
  readonly channel: 'answer' | 'reasoning';
  readonly text: string;
  readonly sources?: readonly WebSource[];
  readonly meta?: Json;
}

export interface ImageItem {
  readonly type: 'image';
  readonly id: ItemId;
  readonly at: number;
  readonly mediaType: string;
  readonly data: string;
  readonly meta?: Json;
}

export interface ToolItem {
  readonly type: 'tool';
  readonly id: ToolId;
  readonly at: number;
  readonly name: string;
  readonly title: string;
  readonly toolKind: ToolKind;
  readonly source: ToolSource;
  readonly server: string | undefined;
  readonly status: ToolStatus;
  /** The streamed argument text; kept after the arguments are parsed. */
  readonly inputText: string;
  readonly input: Json | undefined;
  /** What the agent had asked for, if a user changed it. */
  readonly original?: { readonly title: string; readonly input?: Json };
  readonly locations: readonly Location[];
  readonly preview: readonly Content[];
  readonly meta?: Json;
  readonly basis: Basis | undefined;
  /** Set for a call that runs a program. */
  readonly sandbox?: SandboxUse;
  /** The last answer to a question about this call; `option` is the chosen option. */
  readonly approval:
    | {
        readonly ask: AskId;
        readonly answer: Answer;
        readonly by: Origin;
        readonly option: AskOption | undefined;
      }
    | undefined;
  readonly runningAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly output: string;
  readonly content: readonly Content[];
  /** The result that the tool's client reported; a user accepts or refuses it. */
  readonly held?: RunResult;
  readonly result: ToolResult | { readonly status: 'cancelled' | 'interrupted' } | undefined;
}

export interface AskItem {
  readonly type: 'ask';
  readonly id: AskId;
  readonly at: number;
  readonly ask: Ask;
  readonly answered: { readonly answer: Answer; readonly by: Origin } | undefined;
}

export interface MessageItem {
  readonly type: 'message';
  readonly id: string;
  readonly at: number;
  readonly message: UserMessage;
}

export interface NoticeItem {
  readonly type: 'notice';
  readonly id: string;
  readonly at: number;
  readonly level: 'info' | 'warning' | 'error';
  readonly text: string;
  /** Set if it only reports a wait. */
  readonly waits?: true;
  readonly retry?: Retry;
  /** The hook that stopped the turn. */
  readonly stoppedBy?: string;
  /** Set where the turn had ended here and went on later. */
  readonly broke?: Problem;
}

export function emptyState(id: SessionId): State {
  return {
    id,
    seq: 0,
    pos: 0,
    createdAt: 0,
    modifiedAt: 0,
    title: '',
    titleBy: 'nobody',
    agent: '',
    firstAgent: '',
    model: undefined,
    mode: undefined,
    autonomy: undefined,
    roots: [],
    options: {},
    clientOptions: {},
    rules: [],
    archived: false,
    read: true,
    asked: false,
    chats: {},
    order: [],
    clients: [],
    extensions: undefined,
    systemPrompt: undefined,
    disabledFeatures: [],
    revertedEdits: [],
    amendedEdits: [],
    preparations: {},
    inputs: {},
    notes: {},
  };
}

/** The private notes of one door. */
export function notesOf({ notes }: Pick<State, 'notes'>, owner: NoteOwner): Notes {
  return notes[owner] ?? {};
}

export function findItem(turn: Turn | undefined, id: string): Item | undefined {
  return turn?.items.findLast((item) => item.id === id);
}

export function findTool(turn: Turn | undefined, id: ToolId): ToolItem | undefined {
  const item = findItem(turn, id);
  return item?.type === 'tool' ? item : undefined;
}

/** The turn with that id, running or ended. */
export function findTurn(chat: Chat, id: TurnId): Turn | EndedTurn | undefined {
  return chat.active?.id === id ? chat.active : chat.turns.findLast((turn) => turn.id === id);
}
