// Chats that tools of a chat have begun, as the sub-agents of its session: announced there, with what each is doing; pure. They are open to the client unasked.
import type { Step } from '../../../host/session/session.ts';
import type { ChatId, EventKind, Outcome } from '../../../model/event.ts';
import type { Chat, State } from '../../../model/state.ts';
import type { SubagentUpdate } from '../../../protocols/acp/v1/messages.ts';
import { rpcCodes } from '../../../rpc/rpcError.ts';
import { stopReasonOf } from '../inbound/waitingPrompts.ts';

export interface Subagent {
  readonly kind: 'subagent';
  /** The chat whose tool began it. */
  readonly chat: ChatId;
  readonly update: SubagentUpdate;
}

/** What an entry changes about a chat that a tool has begun. */
export function subagentChanges({ entry: { event }, after }: Step): readonly Subagent[] {
  if (!telling.has(event.kind) || !('chat' in event)) return [];
  const chat = after.chats[event.chat];
  return chat ? announced(chat, event.kind === 'turn.ended' ? event.outcome : undefined) : [];
}

/** Those of a chat that are at work, for a client that comes later. */
export function runningSubagents({ chats }: State, parent: ChatId): readonly Subagent[] {
  return Object.values(chats)
    .filter(({ origin, active }) => active && origin.type === 'tool' && origin.chat === parent)
    .flatMap((chat) => announced(chat));
}

const telling: ReadonlySet<EventKind> = new Set<EventKind>([
  'chat.created',
  'chat.changed',
  'turn.started',
  'turn.ended',
  'ask.opened',
  'ask.answered',
]);

/** Each announcement says everything, so it does not matter which one a client hears first. */
function announced(chat: Chat, outcome?: Outcome): readonly Subagent[] {
  const { id, title, origin } = chat;
  if (origin.type !== 'tool') return [];
  return [
    {
      kind: 'subagent',
      chat: origin.chat,
      update: {
        sessionUpdate: 'subagent_update',
        sessionId: id,
        title: title || null,
        capabilities: { cancel: {} },
        state: stateOf(chat, outcome),
      },
    },
  ];
}

function stateOf({ active, asks }: Chat, outcome: Outcome | undefined): NonNullable<SubagentUpdate['state']> {
  if (active) return { state: Object.keys(asks).length > 0 ? 'requires_action' : 'running' };
  if (!outcome) return { state: 'idle' };
  return outcome.kind === 'failed' || outcome.kind === 'interrupted'
    ? {
        state: 'idle',
        stopReason: 'error',
        error: {
          code: rpcCodes.internalError,
          message: outcome.kind === 'failed' ? outcome.problem.message : 'The work was interrupted.',
        },
      }
    : { state: 'idle', stopReason: stopReasonOf(outcome) };
}
