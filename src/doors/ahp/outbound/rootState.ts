// The root channel: which agents there are, how many sessions are busy, and settings that clients share.
import type { Host } from '../../../host/host.ts';
import type { ProtectedResourceMetadata } from '../../../protocols/ahp/v1_0/content.ts';
import type { RootState, TerminalInfo } from '../../../protocols/ahp/v1_0/state.ts';
import { agentInfos, isBusy } from './agents.ts';
import { hostConfig } from '../notes.ts';

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
