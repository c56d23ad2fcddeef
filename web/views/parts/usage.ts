// Adds up tokens and cost, and reads how full the context is. Pure.
import { isRecord } from '../../../src/base/isRecord.ts';
import type { UsageInfo } from '../../../src/protocols/ahp/v1_0/content.ts';

/** A figure is absent if the host reported none. */
export interface Totals {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly cached: number | undefined;
  /** In dollars. */
  readonly cost: number | undefined;
}

export function totalOf(usages: readonly UsageInfo[]): Totals {
  return {
    input: sum(usages, ({ inputTokens }) => inputTokens),
    output: sum(usages, ({ outputTokens }) => outputTokens),
    cached: sum(usages, ({ cacheReadTokens }) => cacheReadTokens),
    cost: sum(usages, ({ _meta }) => (typeof _meta?.['cost'] === 'number' ? _meta['cost'] : undefined)),
  };
}

function sum(
  usages: readonly UsageInfo[],
  pick: (usage: UsageInfo) => number | undefined,
): number | undefined {
  const known = usages.map(pick).filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0);
}

export interface ContextUse {
  readonly used: number;
  readonly size: number;
  readonly percent: number;
}

export function contextOf(usage: UsageInfo | undefined): ContextUse | undefined {
  const context = usage?._meta?.['context'];
  if (!isRecord(context)) return undefined;
  const { used, size } = context;
  if (typeof used !== 'number' || typeof size !== 'number' || size <= 0) return undefined;
  return { used, size, percent: Math.round((100 * used) / size) };
}
