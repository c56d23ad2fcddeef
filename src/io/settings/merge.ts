// Merges the layers of settings and records the source of every value. Pure.
import { isRecord } from '../../base/isRecord.ts';
import type { ModeSettings, SettingsValues } from '../../host/settings/settings.ts';
import { parseRule, patternWords } from '../../host/policy/ruleText.ts';
import type { Rule } from '../../model/event.ts';
import { defaults } from '../../host/settings/schema/sections.ts';
import type { WrittenSettings } from '../../host/settings/schema/sections.ts';

export interface Layer {
  /** A file, `environment`, `flags` or `built-in`. */
  readonly source: string;
  readonly values: WrittenSettings;
}

/** One value and its source. */
export interface SourcedValue {
  readonly key: string;
  readonly value: string | number | boolean | null;
  readonly source: string;
}

export const builtIn: Layer = { source: 'built-in', values: defaults };

/** The effective settings. Maps are merged by name, lists are joined; the last layer sets a single value. */
export function merge(layers: readonly Layer[]): SettingsValues {
  // Layers were checked by the schema, and the first one has all that is required.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const whole = layers.reduce<unknown>((below, { values }) => over(below, values), {}) as Omit<
    SettingsValues,
    'modes'
  > &
    Pick<WrittenSettings, 'modes'>;
  return { ...whole, approvals: layers.flatMap(rulesOf), modes: modesOf(whole.modes) };
}

/** Every single value with its source, lists and maps taken apart. */
export function sourcedValues(layers: readonly Layer[]): readonly SourcedValue[] {
  const found = new Map<string, SourcedValue>();
  const lengths = new Map<string, number>();
  const put = (key: string, value: unknown, source: string): void => {
    if (Array.isArray(value)) {
      const from = lengths.get(key) ?? 0;
      lengths.set(key, from + value.length);
      value.forEach((inner, at) => put(`${key}[${from + at}]`, inner, source));
    } else if (typeof value === 'object' && value !== null)
      Object.entries(value).forEach(([name, inner]) =>
        put(key === '' ? name : `${key}.${name}`, inner, source),
      );
    else if (isSingle(value)) found.set(key, { key, value, source });
  };
  for (const { values, source } of layers) put('', values, source);
  return [...found.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

function over(below: unknown, above: unknown): unknown {
  if (Array.isArray(below) && Array.isArray(above))
    return [...(below as readonly unknown[]), ...(above as readonly unknown[])];
  if (!isRecord(below) || !isRecord(above)) return above;
  return Object.entries(above).reduce<{ [key: string]: unknown }>(
    (all, [key, value]) => ({ ...all, [key]: Object.hasOwn(below, key) ? over(below[key], value) : value }),
    { ...below },
  );
}

function rulesOf({ source, values }: Layer): readonly Rule[] {
  return rulesIn(values.approvals, source);
}

function rulesIn(written: WrittenSettings['approvals'], source: string): readonly Rule[] {
  return (['allow', 'ask', 'deny'] as const).flatMap((effect) =>
    (written?.[effect] ?? []).flatMap((given, at): Rule[] => {
      const base = { id: `${source}#${effect}[${at}]`, effect, source };
      if (typeof given === 'string') {
        const parsed = parseRule(given);
        return parsed ? [{ ...base, ...parsed }] : [];
      }
      const { tool = '*', command, paths, args } = given;
      const ends = 'ends' in given && given.ends === true ? { ends: true as const } : {};
      return [
        {
          ...base,
          tool,
          ...(command === undefined ? {} : { command: patternWords(command) }),
          ...(paths ? { paths } : {}),
          ...(args ? { args } : {}),
          ...ends,
        },
      ];
    }),
  );
}

/** The approvals of a mode become rules like all others. */
function modesOf(written: WrittenSettings['modes'] = {}): SettingsValues['modes'] {
  return Object.fromEntries(
    Object.entries(written).map(([name, { approvals, ...mode }]): [string, ModeSettings] => {
      const rules = approvals ? { approvals: rulesIn(approvals, `mode ${name}`) } : {};
      return [name, { ...mode, ...rules }];
    }),
  );
}

function isSingle(value: unknown): value is SourcedValue['value'] {
  return (
    value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  );
}
