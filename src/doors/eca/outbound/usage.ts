// Converts token usage, cost and context use of a chat to ECA. Pure.
import { present } from '../../../base/present.ts';
import type { AgentInfo, ModelInfo } from '../../../host/agent.ts';
import type { Chat, State } from '../../../model/state.ts';
import { countedTokens, spentIn } from '../../../model/usage.ts';
import type { UsageContent } from '../../../protocols/eca/messages.ts';
import { breakdown } from './contextBreakdown.ts';
import type { Preamble } from './contextBreakdown.ts';

/** The usage of the newest turn that reported any, with the cost of all turns. */
export function chatUsage(chat: Chat | undefined): UsageContent | undefined {
  const latest = chat?.active?.usage ?? chat?.turns.findLast((turn) => turn.usage)?.usage;
  if (!chat || !latest) return undefined;
  return {
    type: 'usage',
    sessionTokens: latest.context?.used ?? countedTokens(latest).total,
    ...(latest.cost === undefined ? {} : { lastMessageCost: latest.cost.toFixed(2) }),
    ...sessionCost(chat),
    ...(latest.context ? { limit: { context: latest.context.size } } : {}),
  };
}

/** What all turns cost, those that were taken back included. */
export function sessionCost(chat: Chat | undefined): Pick<UsageContent, 'sessionCost'> {
  return present({ sessionCost: chat && spentIn(chat).cost?.toFixed(2) });
}

export interface UsageFacts {
  readonly agents: readonly AgentInfo[];
  readonly preamble: Preamble;
  /** The context use in percent at which the chat is compacted; absent if it never is. */
  readonly compactAt: number | undefined;
}

export function wholeUsage(
  state: State,
  chat: string,
  { agents, preamble, compactAt }: UsageFacts,
): UsageContent {
  const { context, output } = modelOf(state, agents) ?? {};
  const usage = chatUsage(state.chats[chat]);
  const size = usage?.limit?.context ?? context;
  const contextBreakdown = breakdown(state, chat, { preamble, size });
  return {
    ...(usage ?? {
      type: 'usage',
      sessionTokens: contextBreakdown.usedTokens,
      ...sessionCost(state.chats[chat]),
    }),
    ...(size === undefined ? {} : { limit: { context: size, ...(output === undefined ? {} : { output }) } }),
    contextBreakdown,
    ...(compactAt === undefined ? {} : { autoCompactPercentage: compactAt }),
  };
}

function modelOf({ agent, model }: State, agents: readonly AgentInfo[]): ModelInfo | undefined {
  const { models = [], usual } = agents.find(({ id }) => id === agent) ?? {};
  return models.find(({ id }) => id === (model ?? usual?.model));
}
