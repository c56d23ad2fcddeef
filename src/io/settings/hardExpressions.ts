// Tells the user which expressions of rules are never tried, and what that means.
import { isTooHard } from '../../host/policy/expression.ts';
import type { SettingsProblem } from '../../host/settings/settings.ts';
import type { Written } from './schema.ts';

const meanings = {
  allow: 'so the rule allows nothing',
  ask: 'so every such call is asked about',
  deny: 'so every such call is refused',
} as const;

export function hardExpressions({ approvals }: Written, file: string): readonly SettingsProblem[] {
  return (['allow', 'ask', 'deny'] as const).flatMap((effect) =>
    (approvals?.[effect] ?? []).flatMap((rule, at) => {
      const hard =
        typeof rule === 'string'
          ? []
          : Object.entries(rule.args ?? {}).filter(([, expression]) => isTooHard(expression));
      return hard.map(([name]): SettingsProblem => ({
        file,
        kind: 'invalid',
        message: `${file}: approvals.${effect}[${at}].args.${name} is too long or refers back to what it has matched, which cannot be tried in limited time, ${meanings[effect]}.`,
      }));
    }),
  );
}
