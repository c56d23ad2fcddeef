// Tokens and cost of a chat in ECA's words. Pure.
import type { Usage } from '../../model/event.ts';
import type { Chat } from '../../model/state.ts';
import type { UsageContent } from '../../protocols/eca/messages.ts';

/** What the newest turn that reported anything says, with the cost of all turns. */
export function usageOf(chat: Chat | undefined): UsageContent | undefined {
  const latest = chat?.active?.usage ?? chat?.turns.findLast((turn) => turn.usage)?.usage;
  if (!chat || !latest) return undefined;
  const turns = chat.active ? [...chat.turns, chat.active] : chat.turns;
  const costs = turns.flatMap(({ usage }) => usage?.cost ?? []);
  return {
    type: 'usage',
    sessionTokens: latest.context?.used ?? tokens(latest),
    ...(latest.cost === undefined ? {} : { lastMessageCost: latest.cost.toFixed(2) }),
    ...(costs.length === 0 ? {} : { sessionCost: costs.reduce((sum, cost) => sum + cost, 0).toFixed(2) }),
    ...(latest.context ? { limit: { context: latest.context.size } } : {}),
  };
}

function tokens({ input = 0, output = 0, cacheRead = 0, cacheWrite = 0 }: Usage): number {
  return input + output + cacheRead + cacheWrite;
}
