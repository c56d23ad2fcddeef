// The commands that clients, agents and the host give to a session. `decide` turns each into
// events or refuses it.
import type {
  SandboxUse,
  Answer,
  Ask,
  AskId,
  ChatChanges,
  ChatId,
  CompactionTrigger,
  ChatOrigin,
  Event,
  EventOf,
  ItemId,
  MessageId,
  Outcome,
  SessionChanges,
  SessionId,
  ToolId,
  TurnId,
  UserMessage,
} from './event.ts';

/** What an agent reports about its running turn; the session adds chat and turn. */
export type AgentReport = WithoutPlace<
  Extract<
    Event,
    {
      readonly kind:
        | 'text.added'
        | 'image.added'
        | 'plan.set'
        | 'notice.added'
        | 'usage.reported'
        | 'tool.started'
        | 'tool.input'
        | 'tool.ready'
        | 'tool.running'
        | 'tool.output'
        | 'tool.held'
        | 'tool.ended';
    }
  >
>;

type WithoutPlace<E> = E extends unknown ? Omit<E, 'chat' | 'turn'> : never;

export type Command =
  | ({
      readonly kind: 'createSession';
      readonly session: SessionId;
      readonly agent: string;
      readonly roots: readonly string[];
      /** Where the permission mode comes from if nobody chose it. */
      readonly autonomyFrom?: 'settings';
    } & Pick<SessionChanges, 'title' | 'model' | 'mode' | 'autonomy' | 'options' | 'clientOptions'>)
  | { readonly kind: 'changeSession'; readonly changes: SessionChanges }
  | {
      readonly kind: 'createChat';
      readonly chat: ChatId;
      readonly origin: ChatOrigin;
      readonly title?: string;
    }
  | ({ readonly kind: 'changeChat'; readonly chat: ChatId } & ChatChanges)
  /** Every chat of the session, the default one first. */
  | { readonly kind: 'orderChats'; readonly order: readonly ChatId[] }
  | { readonly kind: 'removeChat'; readonly chat: ChatId }
  | { readonly kind: 'truncateChat'; readonly chat: ChatId; readonly after?: TurnId }
  | {
      readonly kind: 'compactChat';
      readonly chat: ChatId;
      readonly summary: string;
      readonly after: TurnId;
      readonly item?: ItemId;
      readonly trigger?: CompactionTrigger;
    }
  | { readonly kind: 'bindAgent'; readonly chat: ChatId; readonly agent: string; readonly ref: string }
  | {
      readonly kind: 'startTurn';
      readonly chat: ChatId;
      readonly turn: TurnId;
      readonly message: UserMessage;
      /** The chat first goes back to before this turn. */
      readonly replaces?: TurnId;
      /** Queues the message in a chat that is busy. Whoever gives the command may know an older state. */
      readonly orQueue?: true;
    }
  /**
   * Queues a message: a new id is appended, an existing id replaced. An idle chat whose queue is not held
   * starts it immediately as `turn`.
   */
  | {
      readonly kind: 'queueMessage';
      readonly chat: ChatId;
      readonly lane: 'queue' | 'steer';
      readonly message: UserMessage;
      readonly turn: TurnId;
    }
  | { readonly kind: 'withdrawMessage'; readonly chat: ChatId; readonly message: MessageId }
  | { readonly kind: 'reorderQueue'; readonly chat: ChatId; readonly order: readonly MessageId[] }
  /** The agent takes all queued steering messages of its turn. */
  | { readonly kind: 'takeSteering'; readonly chat: ChatId; readonly turn: TurnId }
  | {
      readonly kind: 'stopTurn';
      readonly chat: ChatId;
      readonly turn?: TurnId;
      readonly next: TurnId;
      /** Queued messages wait for the user instead of starting immediately. */
      readonly holds?: boolean;
    }
  | {
      readonly kind: 'endTurn';
      readonly chat: ChatId;
      readonly turn: TurnId;
      readonly outcome: Outcome;
      readonly next: TurnId;
      /** As in `stopTurn`. */
      readonly holds?: boolean;
    }
  /** Continues the last turn after it failed or was interrupted. */
  | { readonly kind: 'resumeTurn'; readonly chat: ChatId; readonly turn: TurnId }
  | { readonly kind: 'report'; readonly chat: ChatId; readonly turn: TurnId; readonly report: AgentReport }
  | {
      readonly kind: 'allowTool';
      readonly chat: ChatId;
      readonly turn: TurnId;
      readonly tool: ToolId;
      readonly rule: string;
      readonly sandbox?: SandboxUse;
    }
  | {
      readonly kind: 'denyTool';
      readonly chat: ChatId;
      readonly turn: TurnId;
      readonly tool: ToolId;
      readonly reason: string;
      readonly rule: string;
      readonly hook?: string;
    }
  | { readonly kind: 'openAsk'; readonly chat: ChatId; readonly turn: TurnId; readonly ask: Ask }
  | {
      readonly kind: 'answer';
      readonly chat: ChatId;
      readonly ask: AskId;
      readonly answer: Answer;
      /** Set if the client may not make rules that outlive the session. */
      readonly withinSession?: boolean;
    }
  /** Facts that are accepted if their chat or client exists. */
  | { readonly kind: 'record'; readonly fact: RecordableFact };

export type RecordableFact = EventOf<
  | 'turn.prepared'
  | 'hook.ran'
  | 'job.written'
  | 'edits.reverted'
  | 'edits.redone'
  | 'files.restored'
  | 'turns.reverted'
  | 'images.refused'
  | 'prompt.pinned'
  | 'input.resolved'
  | 'session.instructed'
  | 'features.disabled'
  | 'draft.set'
  | 'client.joined'
  | 'client.left'
  | 'note'
>;

/** What clients say about themselves. Other facts tell what was done to files or by agents. */
export const clientFacts: ReadonlySet<RecordableFact['kind']> = new Set<RecordableFact['kind']>([
  'session.instructed',
  'features.disabled',
  'draft.set',
  'client.joined',
  'client.left',
  'note',
]);

export type RejectionCode =
  | 'already-exists'
  | 'not-found'
  | 'unknown-chat'
  | 'unknown-turn'
  | 'unknown-message'
  | 'unknown-tool'
  | 'unknown-ask'
  | 'already-answered'
  | 'turn-active'
  | 'no-turn'
  | 'wrong-state'
  | 'invalid'
  | 'unknown-agent'
  | 'damaged'
  | 'newer'
  /** Another host owns the session. */
  | 'elsewhere'
  /** The database that has the session does not answer. */
  | 'unavailable';

/** An expected refusal. Nothing was changed. */
export interface Rejection {
  readonly rejected: RejectionCode;
  readonly message: string;
}

export function reject(code: RejectionCode, message: string): Rejection {
  return { rejected: code, message };
}

export function isRejection(value: unknown): value is Rejection {
  return typeof value === 'object' && value !== null && 'rejected' in value;
}
