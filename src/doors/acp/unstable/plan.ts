// Plans as operations, for clients that know them: an update names its plan, and an empty plan is removed.
import type { ChatId } from '../../../model/event.ts';
import type { PlanEntry, SessionUpdate } from '../../../protocols/acp/v1/messages.ts';

/** The plan is named by both members that the specification has had for it. */
export function planOperation(chat: ChatId, entries: readonly PlanEntry[]): SessionUpdate {
  const name = { planId: chat, id: chat };
  return entries.length === 0
    ? { sessionUpdate: 'plan_removed', ...name }
    : { sessionUpdate: 'plan_update', plan: { type: 'items', ...name, entries } };
}
