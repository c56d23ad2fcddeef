// What the pickers of a composer offer: agent, model, mode, effort and other choices of the agent. Pure.
import { isRecord } from '../../../src/base/isRecord.ts';
import type { ConfigPropertySchema } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { AgentInfo, SessionModelInfo } from '../../../src/protocols/ahp/v1_0/state.ts';
import { formatTokens } from '../../text/format.ts';
import type { IconName } from '../parts/Icon.tsx';

export interface PickerOption {
  readonly id: string;
  readonly label: string;
  readonly note?: string | undefined;
  /** At the end of the row, such as a price. */
  readonly end?: string | undefined;
  readonly disabled?: boolean;
}

export interface Picker {
  readonly name: string;
  readonly icon: IconName;
  readonly chosen: string | undefined;
  /** Who chose it, where that is known. */
  readonly by?: string;
  /** The key that goes to the next option. */
  readonly keys?: string;
  readonly groups: readonly { readonly title: string; readonly options: readonly PickerOption[] }[];
  /** Absent where the choice is fixed. */
  readonly choose?: (id: string) => void;
}

/** Without a choice the picker says so, by name, since several of them stand side by side. */
export function chosenLabel({ name, groups, chosen }: Picker): string {
  const options = groups.flatMap((group) => group.options);
  return options.find(({ id }) => id === chosen)?.label ?? chosen ?? `Default ${name.toLowerCase()}`;
}

/** The option after the chosen one; the first after the last. */
export function nextOption({ groups, chosen }: Picker): string | undefined {
  const options = groups.flatMap((group) => group.options).filter(({ disabled }) => disabled !== true);
  return options[(options.findIndex(({ id }) => id === chosen) + 1) % Math.max(1, options.length)]?.id;
}

export function agentPicker(
  agents: readonly AgentInfo[],
  chosen: string | undefined,
  choose?: (provider: string) => void,
): Picker {
  const options = agents.map(({ provider, displayName, description }) => ({
    id: provider,
    label: displayName,
    note: description,
  }));
  const picker = { name: 'Agent', icon: 'spark' as const, chosen, groups: [{ title: 'Agent', options }] };
  return choose ? { ...picker, choose } : picker;
}

/** Models are grouped by the part of their id before the first slash, which names the provider. */
export function modelPicker(
  models: readonly SessionModelInfo[],
  chosen: string | undefined,
  choose: (model: string) => void,
): Picker {
  const known = models.some(({ id }) => id === chosen) || chosen === undefined;
  const listed = known ? models : [{ id: chosen, provider: '', name: chosen }, ...models];
  const groups = new Map<string, PickerOption[]>();
  for (const each of listed) {
    const title = providerOf(each);
    groups.set(title, [...(groups.get(title) ?? []), modelOption(each)]);
  }
  return {
    name: 'Model',
    icon: 'chip',
    chosen,
    groups: [...groups].map(([title, options]) => ({ title, options })),
    choose,
  };
}

function providerOf({ id, provider }: SessionModelInfo): string {
  return id.includes('/') ? id.slice(0, id.indexOf('/')) : provider;
}

function modelOption(model: SessionModelInfo): PickerOption {
  const { id, name, policyState, maxContextWindow } = model;
  const context = maxContextWindow === undefined ? [] : [formatTokens(maxContextWindow)];
  const end = [...context, ...priceOf(model)].join(' · ');
  return { id, label: name, end: end === '' ? undefined : end, disabled: policyState === 'disabled' };
}

/** Our host reports the price of a million tokens. */
function priceOf({ _meta: ours }: SessionModelInfo): readonly string[] {
  const price = ours?.['price'];
  if (!isRecord(price) || typeof price['input'] !== 'number' || typeof price['output'] !== 'number')
    return [];
  return price['input'] + price['output'] === 0 ? ['free'] : [`$${price['input']} / $${price['output']}`];
}

const icons: ReadonlyMap<string, IconName> = new Map([
  ['mode', 'plan'],
  ['permissions', 'hand'],
  ['variant', 'gauge'],
]);

/** One picker for each setting with a list of values. */
export function configPickers(
  properties: Readonly<Record<string, ConfigPropertySchema>>,
  values: Readonly<Record<string, unknown>>,
  change: (values: Readonly<Record<string, unknown>>) => void,
): readonly Picker[] {
  return Object.entries(properties).flatMap(([name, property]): readonly Picker[] => {
    const { enum: choices, enumLabels = [], enumDescriptions = [], title, readOnly = false } = property;
    if (choices === undefined || readOnly) return [];
    const options = choices.map((choice, index) => ({
      id: String(choice),
      label: withoutMark(enumLabels[index] ?? String(choice)),
      note: enumDescriptions[index],
    }));
    const value = values[name] ?? property.default;
    const picker: Picker = {
      name: title,
      icon: icons.get(name) ?? 'sliders',
      chosen: choices.map(String).find((_, index) => choices[index] === value),
      groups: [{ title, options }],
      choose: (id) => change({ [name]: choices.find((choice) => String(choice) === id) }),
    };
    return [name === 'mode' ? { ...picker, keys: 'Shift Tab' } : picker];
  });
}

/** Labels may begin with a mark for clients without colours; a picker has an icon and a colour. */
function withoutMark(label: string): string {
  return label.replace(/^\p{Extended_Pictographic}\s*/u, '');
}

/** The pickers with who chose the permission mode, as our host tells it in `_meta`. */
export function withChooser(pickers: readonly Picker[], by: unknown): readonly Picker[] {
  if (typeof by !== 'string') return pickers;
  return pickers.map((picker) => (picker.name === permissionsName ? { ...picker, by } : picker));
}

/** The title that our host gives the permission modes. */
export const permissionsName = 'Permissions';

export function isPicked({ enum: choices, readOnly = false }: ConfigPropertySchema): boolean {
  return choices !== undefined && !readOnly;
}
