// How Claude is told to think, in the fields of its own requests. Pure.

/** Models that decide for themselves how long to think, and can be told how much effort to make. */
export const adaptive = /claude-(?:opus-4[-.][678]|sonnet-4[-.]6|(?:opus|sonnet|haiku|fable|mythos)-5)/;

/** Models that are given a number of tokens to think with. */
export const budgeted = /claude-(?:opus|sonnet|haiku)-4|claude-3[-.]7/;

export function thinkingOf(
  model: string,
  variant: string | undefined,
  budgets: { readonly [variant: string]: number | undefined },
): object {
  if (variant === 'none') return { thinking: { type: 'disabled' } };
  if (adaptive.test(model))
    return {
      thinking: { type: 'adaptive', display: 'summarized' },
      ...(variant === undefined ? {} : { output_config: { effort: variant } }),
    };
  const budget = variant === undefined ? undefined : budgets[variant];
  return budgeted.test(model) && budget !== undefined
    ? { thinking: { type: 'enabled', budget_tokens: Math.max(1_024, budget) } }
    : {};
}
