// The settings of a session for ACP clients: config options, and the older modes and models that mirror them.
import type { AgentInfo, AgentOption, ModelInfo } from '../../../host/agent.ts';
import { autonomyLabel, autonomyTexts, isAutonomy } from '../../../host/settings/autonomy.ts';
import { autonomyLevels } from '../../../model/event.ts';
import type { Json, SessionChanges } from '../../../model/event.ts';
import { modeChooser } from '../../../model/howItRan.ts';
import type { State } from '../../../model/state.ts';
import type {
  ConfigOption,
  SelectOption,
  SessionModels,
  SessionModes,
  SessionSettings,
} from '../../../protocols/acp/v1/messages.ts';

export type SelectedSettings = Pick<State, 'agent' | 'model' | 'mode' | 'options'> &
  Partial<Pick<State, 'autonomy'>>;

/** True if the client supports boolean options; other clients get a choice of on and off. */
export type Switches = 'boolean' | 'select';

/** The settings in the responses of session/new, session/load and session/resume. */
export function sessionSettings(
  agents: readonly AgentInfo[],
  chosen: SelectedSettings,
  switches: Switches,
): Omit<SessionSettings, 'models'> {
  const configOptions = configOptionsOf(agents, chosen, switches);
  const modes = modesOf(agents, chosen);
  return { ...(modes && { modes }), ...(configOptions.length > 0 && { configOptions }) };
}

/** The complete list, most important first: clients always get all options. */
export function configOptionsOf(
  agents: readonly AgentInfo[],
  chosen: SelectedSettings,
  switches: Switches,
): readonly ConfigOption[] {
  const agent = selectedAgent(agents, chosen);
  const listed: readonly (ConfigOption | undefined)[] = [
    modeOption(modesOf(agents, chosen)),
    permissionsOption(agent, chosen),
    modelOption(modelsOf(agents, chosen)),
    thoughtOption(agent, chosen),
    agentOption(agents, chosen),
    ...(agent?.options ?? []).map((option) => ownOption(option, chosen, switches)),
  ];
  return listed.filter((option) => option !== undefined);
}

/** The change that sets an option to a value; undefined if the value is not allowed. */
export function changesFor(
  option: ConfigOption,
  value: string | boolean,
  chosen: SelectedSettings,
): SessionChanges | undefined {
  const known =
    option.type === 'boolean'
      ? typeof value === 'boolean'
      : choicesOf(option).some((choice) => choice.value === value);
  if (!known) return undefined;
  if (option.id === 'mode' || option.id === 'model' || option.id === 'agent') return { [option.id]: value };
  if (option.id === permissionsId) return isAutonomy(value) ? { autonomy: value } : undefined;
  const { [option.id]: _, ...others } = chosen.options;
  if (option.id === 'variant' && value === usual) return { options: others };
  return {
    options: {
      ...others,
      [option.id]: option.type === 'select' && option.options === onOff ? value === 'on' : value,
    },
  };
}

export function choicesOf(
  option: Extract<ConfigOption, { readonly type: 'select' }>,
): readonly SelectOption[] {
  return option.options.flatMap((each) => ('group' in each ? each.options : [each]));
}

export function modesOf(agents: readonly AgentInfo[], chosen: SelectedSettings): SessionModes | undefined {
  const { modes = [], usual } = selectedAgent(agents, chosen) ?? {};
  const current = chosen.mode ?? usual?.mode;
  if (modes.length === 0 || current === undefined) return undefined;
  return { currentModeId: current, availableModes: withCurrent(modes, current) };
}

/** A current model that is no longer offered is listed too. */
export function modelsOf(agents: readonly AgentInfo[], chosen: SelectedSettings): SessionModels | undefined {
  const { models = [], usual } = selectedAgent(agents, chosen) ?? {};
  const current = chosen.model ?? usual?.model;
  if (current === undefined) return undefined;
  return {
    currentModelId: current,
    availableModels: withCurrent(models, current).map(({ id, name }) => ({ modelId: id, name })),
  };
}

/** A boolean option for clients that only support choices. */
const onOff: readonly SelectOption[] = [
  { value: 'on', name: 'On' },
  { value: 'off', name: 'Off' },
];

/** The value that leaves the choice to the agent. */
const usual = 'default';

function modeOption(modes: SessionModes | undefined): ConfigOption | undefined {
  return (
    modes && {
      type: 'select',
      id: 'mode',
      name: 'Mode',
      category: 'mode',
      currentValue: modes.currentModeId,
      options: modes.availableModes.map(({ id, ...rest }) => ({ value: id, ...rest })),
    }
  );
}

const permissionsId = 'permissions';

/** The host's permission modes stand beside the modes of the agent and hide none of them. */
function permissionsOption(
  agent: AgentInfo | undefined,
  { autonomy }: SelectedSettings,
): ConfigOption | undefined {
  const isOffered = agent?.commands?.some(({ name, byHost }) => byHost && name === permissionsId);
  if (!isOffered || agent?.options?.some(({ id }) => id === permissionsId)) return undefined;
  return {
    type: 'select',
    id: permissionsId,
    name: 'Permissions',
    description: autonomy
      ? `What runs without asking. Chosen by ${modeChooser(autonomy)}.`
      : 'What runs without asking.',
    category: '_permissions',
    currentValue: autonomy?.level ?? 'ask',
    options: autonomyLevels.map((level) => ({
      value: level,
      name: autonomyLabel(level),
      description: autonomyTexts[level].meaning,
    })),
  };
}

function modelOption(models: SessionModels | undefined): ConfigOption | undefined {
  return (
    models && {
      type: 'select',
      id: 'model',
      name: 'Model',
      category: 'model',
      currentValue: models.currentModelId,
      options: grouped(models.availableModels.map(({ modelId, name }) => ({ value: modelId, name }))),
    }
  );
}

/** Groups the models by provider if there are several providers. */
function grouped(
  options: readonly SelectOption[],
): Extract<ConfigOption, { readonly type: 'select' }>['options'] {
  const providerOf = ({ value }: SelectOption) => value.split('/', 1)[0] ?? '';
  const groups = [...new Set(options.map(providerOf))];
  if (groups.length < 2 || groups.length === options.length) return options;
  return groups.map((group) => ({
    group,
    name: group,
    options: options.filter((option) => providerOf(option) === group),
  }));
}

function thoughtOption(agent: AgentInfo | undefined, chosen: SelectedSettings): ConfigOption | undefined {
  const model: ModelInfo | undefined = agent?.models.find(
    ({ id }) => id === (chosen.model ?? agent.usual?.model),
  );
  if (!model?.variants || model.variants.length === 0) return undefined;
  const { variant } = chosen.options;
  const current = typeof variant === 'string' && model.variants.includes(variant) ? variant : usual;
  const options = [
    { value: usual, name: 'Default' },
    ...model.variants.map((each) => ({ value: each, name: each })),
  ];
  return {
    type: 'select',
    id: 'variant',
    name: 'Thinking',
    category: 'thought_level',
    currentValue: current,
    options,
  };
}

function agentOption(agents: readonly AgentInfo[], { agent }: SelectedSettings): ConfigOption | undefined {
  if (agents.length < 2) return undefined;
  const options = agents.map(({ id, name, description }) => ({ value: id, name, description }));
  return { type: 'select', id: 'agent', name: 'Agent', category: '_agent', currentValue: agent, options };
}

function ownOption(
  { id, name, description, category, value, choices }: AgentOption,
  { options }: SelectedSettings,
  switches: Switches,
): ConfigOption | undefined {
  const described = {
    id,
    name,
    ...(description !== undefined && { description }),
    ...(category !== undefined && { category }),
  };
  const current = valueOr(options[id], value);
  if (typeof current === 'boolean') {
    if (switches === 'boolean') return { type: 'boolean', ...described, currentValue: current };
    return { type: 'select', ...described, currentValue: current ? 'on' : 'off', options: onOff };
  }
  if (!choices || choices.length === 0) return undefined;
  const listed = choices.map((choice) => ({
    value: choice.id,
    name: choice.label,
    ...(choice.description !== undefined && { description: choice.description }),
  }));
  return { type: 'select', ...described, currentValue: current, options: listed };
}

/** Ignores a stored value of the wrong type, which comes from an older version of the option. */
function valueOr(stored: Json | undefined, value: string | boolean): string | boolean {
  return typeof stored === typeof value && (typeof stored === 'string' || typeof stored === 'boolean')
    ? stored
    : value;
}

function withCurrent<T extends { readonly id: string; readonly name: string }>(
  list: readonly T[],
  current: string,
): readonly (T | { id: string; name: string })[] {
  return list.some(({ id }) => id === current) ? list : [{ id: current, name: current }, ...list];
}

export function selectedAgent(
  agents: readonly AgentInfo[],
  { agent }: Pick<SelectedSettings, 'agent'>,
): AgentInfo | undefined {
  return agents.find(({ id }) => id === agent);
}
