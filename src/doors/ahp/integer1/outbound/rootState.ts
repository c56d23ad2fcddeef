// The root of version 1: which agents there are, how many sessions are busy, and settings that clients share.
import type { Host } from '../../../../host/host.ts';
import { present } from '../../../../base/present.ts';
import type { ProtectedResourceMetadata } from '../../../../protocols/ahp/v1_0/content.ts';
import type { AgentInfo, RootState } from '../../../../protocols/ahp/integer1/state.ts';
import type { TerminalInfo } from '../../../../protocols/ahp/v1_0/state.ts';
import { agentInfos as newestInfos } from '../../outbound/agents.ts';
import { rootState as newestState } from '../../outbound/rootState.ts';

export function rootState(
  host: Host,
  resources: readonly ProtectedResourceMetadata[],
  terminals?: readonly TerminalInfo[],
): RootState {
  return { ...newestState(host, resources, terminals), agents: agentInfos(host, resources) };
}

export function agentInfos(
  host: Host,
  resources: readonly ProtectedResourceMetadata[],
): readonly AgentInfo[] {
  return newestInfos(host, resources).map(
    ({ provider, displayName, description, models, protectedResources }) => ({
      provider,
      displayName,
      description,
      protectedResources: protectedResources ?? [],
      models: models.map(({ id, provider: of, name, maxContextWindow, supportsVision }) =>
        present({ id, provider: of, name, maxContextWindow, supportsVision }),
      ),
    }),
  );
}
