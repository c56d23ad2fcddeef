// Sub-agents: chats that tools have started are announced in their session with their status, and opened
// for the client. Pure.
import type { Step } from '../../../host/session/session.ts';
import type { ChatId, EventKind, Outcome } from '../../../model/event.ts';
import type { Chat, State } from '../../../model/state.ts';
import type { SubagentUpdate } from '../../../protocols/acp/v1/messages.ts';
import { rpcCodes } from '../../../rpc/rpcError.ts';
import { stopReasonOf } from '../inbound/waitingPrompts.ts';

export interface Subagent {
  readonly kind: 'subagent';
  /** The chat whose tool started it. */
  readonly chat: ChatId;
  readonly update: SubagentUpdate;
}

/** The announcements that follow from one entry. */
export function subagentChanges({ entry: { event }, after }: Step): readonly Subagent[] {
  if (!telling.has(event.kind) || !('chat' in event)) return [];
  const chat = after.chats[event.chat];
  return chat ? announced(chat, event.kind === 'turn.ended' ? event.outcome : undefined) : [];
}

/** The running sub-agents of a chat, for a client that opens it. */
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

/** Every announcement is complete, so a client may start with any of them. */
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
          message: outcome.kind === 'failed' ? outcome.problem.message : 'The sub-agent was interrupted.',
        },
      }
    : { state: 'idle', stopReason: stopReasonOf(outcome) };
}
