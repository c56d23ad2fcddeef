// The root of version 1: which agents there are, how many sessions are busy, and settings that clients share.
import type { Host } from '../../../../host/host.ts';
import { present } from '../../../../base/present.ts';
import type { ProtectedResourceMetadata } from '../../../../protocols/ahp/integer1/content.ts';
import type { AgentInfo, RootState, TerminalInfo } from '../../../../protocols/ahp/integer1/state.ts';
import { hostConfig } from '../../notes.ts';
import { agentInfos as newestInfos, isBusy } from '../../outbound/agents.ts';

export function rootState(
  host: Host,
  resources: readonly ProtectedResourceMetadata[],
  terminals?: readonly TerminalInfo[],
): RootState {
  return {
    agents: agentInfos(host, resources),
    activeSessions: host.summaries().filter(isBusy).length,
    config: { schema: { type: 'object', properties: {} }, values: hostConfig(host.own.state) },
    ...(terminals ? { terminals } : {}),
  };
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
