// Tokens, cost and time of turns, in words. Pure.
import { isRecord } from '../../../base/isRecord.ts';
import type { UsageInfo } from '../../../protocols/ahp/v1_0/content.ts';
import type { ChatState, Turn } from '../../../protocols/ahp/v1_0/state.ts';
import { safe } from '../../say.ts';

/** Time, model, tokens and cost of a turn that has ended. */
export function usageText({ duration, usage }: Turn): string {
  const facts = [
    duration === undefined || (duration < 1_000 && !usage) ? '' : timeText(duration),
    usage?.model === undefined ? '' : safe(usage.model),
    tokensText(usage),
    costText(costOf(usage)),
  ];
  return facts.filter((fact) => fact !== '').join(' · ');
}

function timeText(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

function tokensText(usage: UsageInfo | undefined): string {
  if (usage?.inputTokens === undefined && usage?.outputTokens === undefined) return '';
  return `${shortCount(usage.inputTokens ?? 0)} in, ${shortCount(usage.outputTokens ?? 0)} out`;
}

function shortCount(count: number): string {
  return count < 1_000 ? String(count) : `${Math.round(count / 1_000)}k`;
}

function costOf(usage: UsageInfo | undefined): number | undefined {
  const { _meta: ours } = usage ?? {};
  const cost = ours?.['cost'];
  return typeof cost === 'number' ? cost : undefined;
}

function costText(cost: number | undefined): string {
  return cost === undefined ? '' : `$${cost.toFixed(2)}`;
}

/** How full the context is after the last turn, and what the chat has cost. */
export function chatFigures({ turns, activeTurn }: ChatState): readonly string[] {
  const usages = [...turns, ...(activeTurn ? [activeTurn] : [])].flatMap(({ usage }) => usage ?? []);
  const context = usages.map(({ _meta: ours }) => ours?.['context']).findLast(isRecord);
  const costs = usages.flatMap((usage) => costOf(usage) ?? []);
  return [
    ...(isRecord(context) ? contextText(context) : []),
    ...(costs.length === 0 ? [] : [costText(costs.reduce((sum, cost) => sum + cost, 0))]),
  ];
}

function contextText({
  used,
  size,
}: {
  readonly used?: unknown;
  readonly size?: unknown;
}): readonly string[] {
  if (typeof used !== 'number' || typeof size !== 'number' || size <= 0) return [];
  return [`${Math.round((100 * used) / size)}% context`];
}

/** The model that answers next, as far as the chat tells. */
export function modelOf({ turns, activeTurn }: ChatState): string | undefined {
  const last = activeTurn ?? turns.at(-1);
  return last?.message.model?.id ?? last?.usage?.model;
}
