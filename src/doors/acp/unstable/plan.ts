// Plan operations for clients that support them: an update names its plan, and an empty plan is removed.
import type { ChatId } from '../../../model/event.ts';
import type { PlanEntry, SessionUpdate } from '../../../protocols/acp/v1/messages.ts';

/** Sends the plan id under both member names that the specification has had. */
export function planOperation(chat: ChatId, entries: readonly PlanEntry[]): SessionUpdate {
  const name = { planId: chat, id: chat };
  return entries.length === 0
    ? { sessionUpdate: 'plan_removed', ...name }
    : { sessionUpdate: 'plan_update', plan: { type: 'items', ...name, entries } };
}
