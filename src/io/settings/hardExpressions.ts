// Reports regular expressions that are never evaluated, and the effect on their rules.
import { isTooHard } from '../../host/policy/expression.ts';
import type { SettingsProblem } from '../../host/settings/settings.ts';
import type { WrittenSettings } from './schema.ts';

const meanings = {
  allow: 'so the rule allows nothing',
  ask: 'so every such call is asked about',
  deny: 'so every such call is refused',
} as const;

export function hardExpressions({ approvals }: WrittenSettings, file: string): readonly SettingsProblem[] {
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
