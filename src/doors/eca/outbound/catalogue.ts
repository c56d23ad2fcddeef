// The models and agents of the host, under the names that ECA clients choose them by. Pure.
import { present } from '../../../base/present.ts';
import type { AgentInfo, ModeInfo } from '../../../host/agent.ts';
import { trustOption } from '../../../host/turns/judgeIntent.ts';
import type { State } from '../../../model/state.ts';
import type { ChatConfig } from '../../../protocols/eca/messages.ts';

/** What new chats of a client start with. */
export interface ChatDefaults {
  readonly agent: string | undefined;
  readonly model: string | undefined;
  readonly variant: string | undefined;
  /** The model of the configuration, for clients that chose none. */
  readonly configuredModel?: string | undefined;
}

/** What ECA calls an agent: an agent of the host in one of its modes. */
export interface AgentChoice {
  readonly name: string;
  readonly agent: string;
  readonly mode?: string;
  /** The model of the mode, used if no other is chosen. */
  readonly model?: string;
}

/**
 * The modes of the first agent have their plain names, as clients expect `code` and `plan`; those of
 * other agents are prefixed.
 */
export function choices(agents: readonly AgentInfo[]): readonly AgentChoice[] {
  return agents.flatMap(({ id, modes = [] }, at) => {
    const plain: AgentChoice = { name: id, agent: id };
    if (at === 0) return modes.length === 0 ? [plain] : modes.map((mode) => choiceOf(mode.id, id, mode));
    return [plain, ...modes.map((mode) => choiceOf(`${id}/${mode.id}`, id, mode))];
  });
}

function choiceOf(name: string, agent: string, { id, model }: ModeInfo): AgentChoice {
  return { name, agent, mode: id, ...present({ model }) };
}

/** An unknown name gives the default, because older clients send names that no longer exist. */
export function choose(agents: readonly AgentInfo[], name: string | undefined): AgentChoice | undefined {
  const all = choices(agents);
  return all.find((choice) => choice.name === name) ?? all[0];
}

/** The name that clients know the agent of a session by. */
export function agentName(
  agents: readonly AgentInfo[],
  { agent, mode }: Pick<State, 'agent' | 'mode'>,
): string {
  const modes = choices(agents).filter((choice) => choice.agent === agent);
  return (modes.find((choice) => choice.mode === mode) ?? modes[0])?.name ?? agent;
}

/** The first candidate that the agent has, else its usual model, if that is known. */
export function modelOf(
  agents: readonly AgentInfo[],
  agent: string,
  candidates: readonly (string | undefined)[],
): string | undefined {
  const models = modelIds(agents, agent);
  for (const candidate of candidates) {
    const model = candidate === undefined ? undefined : findModel(models, candidate, candidates);
    if (model !== undefined) return model;
  }
  return agents.find(({ id }) => id === agent)?.usual?.model;
}

/**
 * The model of a prompt, if it is not listed but belongs to a provider of the native agent: vendors have more
 * models than they list.
 */
export function unlistedModel(
  agents: readonly AgentInfo[],
  agent: string,
  model: string | undefined,
): string | undefined {
  const [native] = agents;
  const provider = model?.slice(0, model.indexOf('/') + 1) ?? '';
  if (native?.id !== agent || provider === '' || model === provider) return undefined;
  if (native.models.some(({ id }) => id === model)) return undefined;
  return native.models.some(({ id }) => id.startsWith(provider)) ? model : undefined;
}

/** The model of a new chat: the chosen one, the agent's, the configured one, and then the defaults of ECA. */
export function modelFor(
  agents: readonly AgentInfo[],
  choice: AgentChoice,
  { model, configuredModel }: Pick<ChatDefaults, 'model' | 'configuredModel'>,
): string | undefined {
  const models = modelIds(agents, choice.agent);
  return modelOf(agents, choice.agent, [
    model,
    choice.model,
    configuredModel,
    ...ecaDefaults.filter((id) => models.includes(id)),
    models.find((id) => id.startsWith('ollama/')),
  ]);
}

/** The default models of ECA, in its order of vendors. */
const ecaDefaults = ['anthropic/claude-sonnet-4-6', 'openai/gpt-5.2', 'github-copilot/gpt-5.5'];

function modelIds(agents: readonly AgentInfo[], agent: string): readonly string[] {
  return agents.find(({ id }) => id === agent)?.models.map(({ id }) => id) ?? [];
}

/**
 * A name without provider means the provider of another candidate, else the only provider that has the model.
 */
function findModel(
  models: readonly string[],
  name: string,
  candidates: readonly (string | undefined)[],
): string | undefined {
  if (models.includes(name)) return name;
  const matches = models.filter((id) => id.slice(id.indexOf('/') + 1) === name);
  const providers = candidates.flatMap((other) =>
    other?.includes('/') ? [other.slice(0, other.indexOf('/'))] : [],
  );
  return (
    matches.find((id) => providers.some((provider) => id.startsWith(`${provider}/`))) ??
    (matches.length === 1 ? matches[0] : undefined)
  );
}

/** The given agent if it has the model, else the first that has it. */
export function agentWithModel(
  agents: readonly AgentInfo[],
  agent: string,
  model: string | undefined,
): string {
  if (model === undefined) return agent;
  const hasModel = (id: string) => findModel(modelIds(agents, id), model, [model]) !== undefined;
  return hasModel(agent) ? agent : (agents.find(({ id }) => hasModel(id))?.id ?? agent);
}

/** The reasoning variants of a model, and the selected one. */
function variantsOf(
  agents: readonly AgentInfo[],
  agent: string,
  { model, variant }: { readonly model: string | undefined; readonly variant: unknown },
): Pick<ChatConfig, 'variants' | 'selectVariant'> {
  const { variants = [] } =
    agents.find(({ id }) => id === agent)?.models.find(({ id }) => id === model) ?? {};
  return { variants, selectVariant: variants.find((each) => each === variant) ?? null };
}

/**
 * What a client can choose from and what is selected for new chats, under the newest and the older member
 * names. The older list also has the subagents.
 */
export function wholeConfig(
  agents: readonly AgentInfo[],
  defaults: ChatDefaults,
  subagents: readonly string[] = [],
): ChatConfig {
  const names = choices(agents).map(({ name }) => name);
  const choice = choose(agents, defaults.agent);
  const models = [...new Set(agents.flatMap((agent) => agent.models.map(({ id }) => id)))].toSorted();
  const model = choice && modelFor(agents, choice, defaults);
  return {
    models,
    agents: names,
    behaviors: [...new Set([...names, ...subagents])],
    ...variantsOf(agents, choice?.agent ?? '', { model, variant: defaults.variant }),
    ...present({ selectModel: model, defaultModel: model }),
    ...(choice
      ? {
          selectAgent: choice.name,
          selectBehavior: choice.name,
          defaultAgent: choice.name,
          defaultBehavior: choice.name,
        }
      : {}),
  };
}

/** What is selected in one chat. */
export function chatConfig(agents: readonly AgentInfo[], state: State): ChatConfig {
  const model = modelOf(agents, state.agent, [state.model]);
  return {
    ...present({ selectModel: model }),
    selectAgent: agentName(agents, state),
    ...variantsOf(agents, state.agent, { model, variant: state.options['variant'] }),
  };
}

/** Trust is an option of the session that the host's policy reads. */
export function isTrusted({ options }: State): boolean {
  return options[trustOption] === true;
}
