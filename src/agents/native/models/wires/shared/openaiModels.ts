// Differences between OpenAI's models, by name. Pure.
import type { ModelConnection } from '../wire.ts';

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

export type Effort = (typeof efforts)[number];

/** False for models of other vendors and for deployments with custom names. */
export function isReasoningModel(model: string): boolean {
  return /^o\d+(?:-|$)/.test(model) || (majorOf(model) >= 5 && !/^gpt-\d+-chat/.test(model));
}

/** Undefined if the model does not support the effort. */
export function effortOf(model: string, variant: string | undefined): Effort | undefined {
  const effort = efforts.find((each) => each === variant);
  if (majorOf(model) < 6) return effort;
  const isKnown = effort !== 'minimal' && (effort !== 'none' || answersWithoutReasoning.test(model));
  return isKnown ? effort : undefined;
}

/** Since GPT-6 the vendor decides how long caches live. */
export function retentionOf({ conventions, model }: ModelConnection): {
  readonly prompt_cache_retention?: '24h';
} {
  return conventions.cache === 'long' && majorOf(model) < 6 ? { prompt_cache_retention: '24h' } : {};
}

const answersWithoutReasoning = /^gpt-(?:6-(?:sol|luna)|6\.1-terra)$/;

function majorOf(model: string): number {
  return Number(/^gpt-(\d+)(?:\.\d+)?(?:-.+)?$/.exec(model)?.[1] ?? 0);
}
