// The thinking fields of requests to Claude. Pure.
import type { MessageCreateParamsBase } from '@anthropic-ai/sdk/resources/messages';

/** Models with adaptive thinking and an effort. */
const adaptive = /claude-(?:opus-4[-.][678]|sonnet-4[-.]6|(?:opus|sonnet|haiku|fable|mythos)-5)/;

/** Models with a budget of thinking tokens. */
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
