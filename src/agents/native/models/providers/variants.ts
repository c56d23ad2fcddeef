// The reasoning variants of each model, by name. Each wire translates them into its own fields.

const rules: readonly (readonly [models: RegExp, variants: readonly string[]])[] = [
  [/claude-(?:opus|sonnet|haiku)-4[-.][56]/, ['low', 'medium', 'high', 'max']],
  [
    /claude-(?:opus-4[-.][78]|(?:opus|sonnet|haiku|fable|mythos)-5)/,
    ['low', 'medium', 'high', 'xhigh', 'max'],
  ],
  [/gpt-(?:5\.6|6)/, ['none', 'low', 'medium', 'high', 'xhigh', 'max']],
  [/gpt-5\.[2-5]/, ['none', 'low', 'medium', 'high', 'xhigh']],
  [/gpt-5\.1/, ['none', 'low', 'medium', 'high']],
  [/gpt-5/, ['minimal', 'low', 'medium', 'high']],
  [/(?:^|\/)o[1-9]/, ['low', 'medium', 'high']],
  [/gpt-oss/, ['low', 'medium', 'high']],
  [/gemini-(?:3|4|pro-latest|flash-latest)/, ['low', 'medium', 'high']],
  [/gemini-2\.5/, ['none', 'low', 'medium', 'high']],
  [/deepseek-v4|glm-5\.[2-9]/, ['none', 'high', 'max']],
];

/** Least effort first; empty if the model has no variants. */
export function variantsOf(model: string): readonly string[] {
  return rules.find(([models]) => models.test(model))?.[1] ?? [];
}

/** Thinking tokens for models with a token budget instead of an effort. */
export const budgets: { readonly [variant: string]: number | undefined } = {
  none: 0,
  minimal: 512,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_000,
};
