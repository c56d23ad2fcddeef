// The agents of the host and how busy it is, as every version shows them.
import type { AgentInfo as OurAgent, ModelInfo } from '../../../host/agent.ts';
import type { Host } from '../../../host/host.ts';
import type { Summary } from '../../../host/session/summary.ts';
import { present } from '../../../base/present.ts';
import type { ProtectedResourceMetadata } from '../../../protocols/ahp/v1_0/content.ts';
import type { AgentInfo, SessionModelInfo } from '../../../protocols/ahp/v1_0/state.ts';

/** VS Code asks for a sign-in if the list of protected resources is absent, so there is always one. */
export function agentInfos(
  host: Host,
  resources: readonly ProtectedResourceMetadata[],
): readonly AgentInfo[] {
  return host.agents().map((agent) => ({
    provider: agent.id,
    displayName: agent.name,
    description: agent.description,
    models: agent.models.map((model) => modelInfo(agent, model)),
    protectedResources: agent.usesServers ? resources : [],
    capabilities: { multipleChats: { fork: true, sideChat: true }, multipleWorkingDirectories: {} },
  }));
}

export function isBusy({ status }: Summary): boolean {
  return status === 'running' || status === 'asking';
}

function modelInfo(agent: OurAgent, model: ModelInfo): SessionModelInfo {
  return present({
    id: model.id,
    provider: agent.id,
    name: model.name,
    maxContextWindow: model.context,
    maxOutputTokens: model.output,
    supportsVision: agent.accepts?.images,
  });
}
