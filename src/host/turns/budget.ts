// The budget of turns and sessions. Pure: compares the state of the log with the limits, and
// describes what was exceeded.
import type { ChatId, Problem } from '../../model/event.ts';
import type { Chat, State, Turn } from '../../model/state.ts';
import { sumUsage } from '../../model/usage.ts';
import { rootOf } from './subagents.ts';
import type { LimitSettings } from '../settings/settings.ts';

export interface BudgetUse {
  readonly tokens: number;
  readonly money: number;
  /** Tool calls. */
  readonly steps: number;
}

/**
 * The limit that the running turn of a chat, or its session, has exceeded; the usage of subagents
 * counts for their turn.
 */
export function overBudget(
  state: State,
  chat: ChatId,
  { limits, counts }: { readonly limits: LimitSettings; readonly counts: 'steps' | 'no steps' },
): Problem | undefined {
  const root = state.chats[rootOf(state, chat)];
  const turn = root?.active && spentBy(state, root, root.active);
  const { steps, tokens, money, session } = limits;
  return (
    (turn && exceeded('turn', turn, { tokens, money, ...(counts === 'steps' ? { steps } : {}) })) ??
    (session && exceeded('session', spentIn(state), session))
  );
}

type Limits = { readonly [K in keyof BudgetUse]?: number | undefined };

function exceeded(what: 'turn' | 'session', spent: BudgetUse, limits: Limits): Problem | undefined {
  const names = { tokens: 'tokens', money: '', steps: 'tool calls' } as const;
  const over = (['tokens', 'money', 'steps'] as const).find(
    (key) => limits[key] !== undefined && spent[key] > limits[key],
  );
  const limit = over && limits[over];
  if (over === undefined || limit === undefined) return undefined;
  const digits = limit < 0.1 ? 4 : 2;
  const amount = (value: number) =>
    over === 'money' ? `$${value.toFixed(digits)}` : String(Math.round(value));
  const setting = what === 'turn' ? `limits.${over}` : `limits.session.${over}`;
  return {
    code: 'budget',
    message:
      `The ${what} used ${`${amount(spent[over])} ${names[over]}`.trim()}; the limit is ${amount(limit)}. ` +
      `Raise ${setting} in the settings to continue.`,
  };
}

function spentIn(state: State): BudgetUse {
  const chats = state.order.flatMap((id) => state.chats[id] ?? []);
  const spent = total(chats.flatMap((chat) => turnsOf(chat)));
  const { input = 0, output = 0, cost = 0 } = sumUsage(chats.map(({ rolledBack }) => rolledBack)) ?? {};
  return { ...spent, tokens: spent.tokens + input + output, money: spent.money + cost };
}

function spentBy(state: State, chat: Chat, turn: Turn): BudgetUse {
  const calls = new Set(turn.items.flatMap((item) => (item.type === 'tool' ? [item.id] : [])));
  const within = state.order.filter((id) => {
    const origin = state.chats[id]?.origin;
    return origin?.type === 'tool' && origin.chat === chat.id && calls.has(origin.tool);
  });
  return total([turn, ...within.flatMap((id) => turnsOf(state.chats[id]))]);
}

function turnsOf(chat: Chat | undefined): readonly Turn[] {
  return chat ? [...chat.turns, ...(chat.active ? [chat.active] : [])] : [];
}

function total(turns: readonly Turn[]): BudgetUse {
  return turns.reduce<BudgetUse>(
    ({ tokens, money, steps }, { usage, items }) => ({
      tokens: tokens + (usage?.input ?? 0) + (usage?.output ?? 0),
      money: money + (usage?.cost ?? 0),
      steps: steps + items.filter(({ type }) => type === 'tool').length,
    }),
    { tokens: 0, money: 0, steps: 0 },
  );
}
