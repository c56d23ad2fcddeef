// Models and agents of the host under the names that ECA clients choose them by. Pure; knows no connection.
import type { AgentInfo, ModeInfo } from '../../../host/agent.ts';
import { trustOption } from '../../../host/turns/turnContext.ts';
import type { State } from '../../../model/state.ts';
import type { ChatConfig } from '../../../protocols/eca/messages.ts';

/** What a client chose for new chats. */
export interface Selected {
  readonly agent: string | undefined;
  readonly model: string | undefined;
  readonly variant: string | undefined;
  /** The model that the user's settings name for whoever has chosen none. */
  readonly usual?: string | undefined;
}

/** What ECA calls an agent: one of ours, and the mode it works in. */
export interface Choice {
  readonly name: string;
  readonly agent: string;
  readonly mode?: string;
  /** The model it works with where nobody chose one. */
  readonly model?: string;
}

/** The modes of the first agent stand for themselves, as clients expect names such as `code` and `plan`; other agents go by their own name. */
export function choices(agents: readonly AgentInfo[]): readonly Choice[] {
  return agents.flatMap(({ id, modes = [] }, at) => {
    const own: Choice = { name: id, agent: id };
    if (at === 0) return modes.length === 0 ? [own] : modes.map((mode) => choiceOf(mode.id, id, mode));
    return [own, ...modes.map((mode) => choiceOf(`${id}/${mode.id}`, id, mode))];
  });
}

function choiceOf(name: string, agent: string, { id, model }: ModeInfo): Choice {
  return { name, agent, mode: id, ...(model === undefined ? {} : { model }) };
}

/** An unknown name is the default, because older clients know names that are gone. */
export function choose(agents: readonly AgentInfo[], name: string | undefined): Choice | undefined {
  const all = choices(agents);
  return all.find((choice) => choice.name === name) ?? all[0];
}

/** What the agent of a session is called. */
export function agentName(
  agents: readonly AgentInfo[],
  { agent, mode }: Pick<State, 'agent' | 'mode'>,
): string {
  const own = choices(agents).filter((choice) => choice.agent === agent);
  return (own.find((choice) => choice.mode === mode) ?? own[0])?.name ?? agent;
}

/** The model that a prompt will run on: what was wished, if the agent has it, else the session's, else the agent's first. */
export function modelOf(
  agents: readonly AgentInfo[],
  agent: string,
  wishes: readonly (string | undefined)[],
): string | undefined {
  const models = agents.find(({ id }) => id === agent)?.models.map(({ id }) => id) ?? [];
  for (const wish of wishes) {
    const found = wish === undefined ? undefined : namedIn(models, wish, wishes);
    if (found !== undefined) return found;
  }
  return models[0];
}

/** A model that a prompt names although it is not listed: vendors have more than they list, so one of a provider that our own agent can ask is taken at its word. */
export function unlisted(
  agents: readonly AgentInfo[],
  agent: string,
  model: string | undefined,
): string | undefined {
  const [own] = agents;
  const provider = model?.slice(0, model.indexOf('/') + 1) ?? '';
  if (own?.id !== agent || provider === '' || model === provider || own.models.some(({ id }) => id === model))
    return undefined;
  return own.models.some(({ id }) => id.startsWith(provider)) ? model : undefined;
}

/** The model of a new chat where its prompt names none: what was chosen here, what the agent brings along, what the settings name, and then what ECA users are used to. */
export function modelFor(
  agents: readonly AgentInfo[],
  choice: Choice,
  { model, usual }: Pick<Selected, 'model' | 'usual'>,
): string | undefined {
  const own = agents.find(({ id }) => id === choice.agent)?.models.map(({ id }) => id) ?? [];
  return modelOf(agents, choice.agent, [
    model,
    choice.model,
    usual,
    ...expected.filter((id) => own.includes(id)),
    own.find((id) => id.startsWith('ollama/')),
  ]);
}

/** By vendor, in the order in which their keys are looked for. */
const expected = ['anthropic/claude-sonnet-4-6', 'openai/gpt-5.2', 'github-copilot/gpt-5.5'];

/** A name without its provider is one of the provider in use, or else of the only one that has it. */
function namedIn(
  models: readonly string[],
  wish: string,
  wishes: readonly (string | undefined)[],
): string | undefined {
  if (models.includes(wish)) return wish;
  const fitting = models.filter((id) => id.slice(id.indexOf('/') + 1) === wish);
  const used = wishes.flatMap((other) => (other?.includes('/') ? [other.slice(0, other.indexOf('/'))] : []));
  return (
    fitting.find((id) => used.some((provider) => id.startsWith(`${provider}/`))) ??
    (fitting.length === 1 ? fitting[0] : undefined)
  );
}

/** A model that only another agent has is chosen together with that agent. */
export function ownerOf(agents: readonly AgentInfo[], agent: string, model: string | undefined): string {
  const has = (id: string) =>
    model !== undefined &&
    namedIn(agents.find((each) => each.id === id)?.models.map((each) => each.id) ?? [], model, [model]) !==
      undefined;
  return model === undefined || has(agent) ? agent : (agents.find(({ id }) => has(id))?.id ?? agent);
}

/** How hard a model can be told to think, and how hard it is. */
function variantsOf(
  agents: readonly AgentInfo[],
  agent: string,
  { model, variant }: { readonly model: string | undefined; readonly variant: unknown },
): Pick<ChatConfig, 'variants' | 'selectVariant'> {
  const { variants = [] } =
    agents.find(({ id }) => id === agent)?.models.find(({ id }) => id === model) ?? {};
  return { variants, selectVariant: variants.find((known) => known === variant) ?? null };
}

/** What a client may choose from and what is chosen for new chats, under the newest and the older member names. The older list also names the agents that only work for others. */
export function wholeConfig(
  agents: readonly AgentInfo[],
  selected: Selected,
  tasked: readonly string[] = [],
): ChatConfig {
  const names = choices(agents).map(({ name }) => name);
  const choice = choose(agents, selected.agent);
  const models = [...new Set(agents.flatMap((agent) => agent.models.map(({ id }) => id)))].toSorted();
  const model = choice && modelFor(agents, choice, selected);
  return {
    models,
    agents: names,
    behaviors: [...new Set([...names, ...tasked])],
    ...variantsOf(agents, choice?.agent ?? '', { model, variant: selected.variant }),
    ...(model === undefined ? {} : { selectModel: model, defaultModel: model }),
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

/** What is chosen in one chat. */
export function chatConfig(agents: readonly AgentInfo[], state: State): ChatConfig {
  const model = modelOf(agents, state.agent, [state.model]);
  return {
    ...(model === undefined ? {} : { selectModel: model }),
    selectAgent: agentName(agents, state),
    ...variantsOf(agents, state.agent, { model, variant: state.options['variant'] }),
  };
}

/** Trust is an option of the session, for the host's policy to judge by. */
export function isTrusted({ options }: State): boolean {
  return options[trustOption] === true;
}
