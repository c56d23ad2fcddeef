// Reports regular expressions that are never evaluated, and the effect on their rules.
import { isTooHard } from '../../host/policy/expression.ts';
import type { SettingsProblem } from '../../host/settings/settings.ts';
import type { WrittenSettings } from '../../host/settings/schema/sections.ts';

const meanings = {
  allow: 'so the rule allows nothing',
  ask: 'so every such call is asked about',
  deny: 'so every such call is refused',
} as const;

export function hardExpressions(written: WrittenSettings, file: string): readonly SettingsProblem[] {
  return [...hardRules(written, file), ...hardMatches(written, file)];
}

/** Expressions for answers and models that would match something. */
function hardMatches(
  { providers = {}, variants = {} }: WrittenSettings,
  file: string,
): readonly SettingsProblem[] {
  const retries = Object.entries(providers).flatMap(([provider, { retryRules = [] }]) =>
    retryRules.map(
      ({ pattern = '' }, at) => [`providers.${provider}.retryRules[${at}].pattern`, pattern] as const,
    ),
  );
  const models = Object.keys(variants).map((expression) => [`variants.${expression}`, expression] as const);
  return [...retries, ...models]
    .filter(([, expression]) => isTooHard(expression))
    .map(([place]): SettingsProblem => ({
      file,
      kind: 'invalid',
      message: `${file}: ${place} is too long or has back-references and is not evaluated, so it matches nothing.`,
    }));
}

function hardRules({ approvals }: WrittenSettings, file: string): readonly SettingsProblem[] {
  return (['allow', 'ask', 'deny'] as const).flatMap((effect) =>
    (approvals?.[effect] ?? []).flatMap((rule, at) => {
      const hard =
        typeof rule === 'string'
          ? []
          : Object.entries(rule.args ?? {}).filter(([, expression]) => isTooHard(expression));
      return hard.map(([name]): SettingsProblem => ({
        file,
        kind: 'invalid',
        message:
          `${file}: approvals.${effect}[${at}].args.${name} is too long or has back-references and is not ` +
          `evaluated, ${meanings[effect]}.`,
      }));
    }),
  );
}
