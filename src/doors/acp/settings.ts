// What a session can be set to, as ACP offers it: config options, the older modes mirrored from them, and the oldest list of models.
import type { AgentInfo } from '../../host/agent.ts';
import type { State } from '../../model/state.ts';
import type { ConfigOption, SessionModels, SessionModes, SessionSettings } from '../../protocols/acp/v1/agentMessages.ts';

type Chosen = Pick<State, 'agent' | 'model' | 'mode'>;

/** What session/new, session/load and session/resume say; what an agent does not have is left out. */
export function sessionSettings(agents: readonly AgentInfo[], chosen: Chosen): Omit<SessionSettings, 'models'> {
  const configOptions = configOptionsOf(agents, chosen);
  const modes = modesOf(agents, chosen);
  return { ...(modes && { modes }), ...(configOptions.length > 0 && { configOptions }) };
}

/** All of them, in order of importance: a client is always told the complete list. */
export function configOptionsOf(agents: readonly AgentInfo[], chosen: Chosen): readonly ConfigOption[] {
  const modes = modesOf(agents, chosen);
  const models = modelsOf(agents, chosen);
  const options: (ConfigOption | undefined)[] = [
    modes && {
      type: 'select', id: 'mode', name: 'Mode', category: 'mode', currentValue: modes.currentModeId,
      options: modes.availableModes.map(({ id, ...rest }) => ({ value: id, ...rest })),
    },
    models && {
      type: 'select', id: 'model', name: 'Model', category: 'model', currentValue: models.currentModelId,
      options: models.availableModels.map(({ modelId, name }) => ({ value: modelId, name })),
    },
  ];
  return options.filter((option) => option !== undefined);
}

export function modesOf(agents: readonly AgentInfo[], chosen: Chosen): SessionModes | undefined {
  const modes = agentOf(agents, chosen)?.modes ?? [];
  const current = chosen.mode ?? modes[0]?.id;
  if (modes.length === 0 || current === undefined) return undefined;
  return { currentModeId: current, availableModes: withCurrent(modes, current) };
}

/** A model that was chosen elsewhere and is not offered any more still is the current one. */
export function modelsOf(agents: readonly AgentInfo[], chosen: Chosen): SessionModels | undefined {
  const models = agentOf(agents, chosen)?.models ?? [];
  const current = chosen.model ?? models[0]?.id;
  if (current === undefined) return undefined;
  return { currentModelId: current, availableModels: withCurrent(models, current).map(({ id, name }) => ({ modelId: id, name })) };
}

function withCurrent<T extends { readonly id: string; readonly name: string }>(list: readonly T[], current: string): readonly (T | { id: string; name: string })[] {
  return list.some(({ id }) => id === current) ? list : [{ id: current, name: current }, ...list];
}

function agentOf(agents: readonly AgentInfo[], { agent }: Chosen): AgentInfo | undefined {
  return agents.find(({ id }) => id === agent);
}
