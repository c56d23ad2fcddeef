// How Claude is told to think, in the fields of its own requests. Pure.
import type { MessageCreateParamsBase } from '@anthropic-ai/sdk/resources/messages';

/** Models that decide for themselves how long to think, and can be told how much effort to make. */
const adaptive = /claude-(?:opus-4[-.][678]|sonnet-4[-.]6|(?:opus|sonnet|haiku|fable|mythos)-5)/;

/** Models that are given a number of tokens to think with. */
const budgeted = /claude-(?:opus|sonnet|haiku)-4|claude-3[-.]7/;

const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

type Thinking = Pick<MessageCreateParamsBase, 'thinking' | 'output_config'>;

export function thinkingOf(
  model: string,
  variant: string | undefined,
  budgets: { readonly [variant: string]: number | undefined },
): Thinking {
  if (variant === 'none') return { thinking: { type: 'disabled' } };
  if (adaptive.test(model)) {
    const effort = efforts.find((each) => each === variant);
    return {
      thinking: { type: 'adaptive', display: 'summarized' },
      ...(effort === undefined ? {} : { output_config: { effort } }),
    };
  }
  const budget = variant === undefined ? undefined : budgets[variant];
  if (!budgeted.test(model) || budget === undefined) return {};
  return { thinking: { type: 'enabled', budget_tokens: Math.max(1_024, budget) } };
}
