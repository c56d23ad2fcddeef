// Notifies one subscriber of the root channel about changes without an entry: agents, busy sessions, the
// list.
import type { CatalogueChange } from '../../../../host/session/catalogue.ts';
import type { Summary } from '../../../../host/session/summary.ts';
import type { SessionId } from '../../../../model/event.ts';
import type { ProtectedResourceMetadata } from '../../../../protocols/ahp/v1_0/content.ts';
import { rootChannel } from '../../../../protocols/ahp/v1_0/state.ts';
import type { AgentInfo, SessionSummary } from '../../../../protocols/ahp/v1_0/state.ts';
import type { Action } from '../../delivery/outgoing.ts';
import { metadata } from '../../inbound/signIns.ts';
import type { SignInNeed } from '../../../../host/tools/toolServers.ts';
import { agentInfos } from '../../outbound/agents.ts';
import { HostWatch, summaryChanges } from '../../outbound/hostWatch.ts';
import type { HostWatchOptions } from '../../outbound/hostWatch.ts';

export interface RootWatchOptions extends HostWatchOptions {
  /** A session as this client sees it in the list. */
  readonly summaryOf: (summary: Summary) => SessionSummary;
}

export class RootWatch extends HostWatch {
  readonly #options: RootWatchOptions;
  /** Sessions that this client has disposed of; they come back when something happens in them. */
  readonly #disposed = new Set<SessionId>();
  protected readonly followsRoot = true;

  constructor(options: RootWatchOptions) {
    super(options);
    this.#options = options;
  }

  disposed(id: SessionId, uri: string): void {
    this.#disposed.add(id);
    this.#say('root/sessionRemoved', { session: uri });
  }

  protected agents(resources: readonly ProtectedResourceMetadata[]): readonly AgentInfo[] {
    return agentInfos(this.#options.host, resources);
  }

  protected rootEnvelope(action: Action): object {
    return { channel: rootChannel, action };
  }

  protected signInNeeded({ resource, reason }: SignInNeed): void {
    this.#say('auth/required', { resource: metadata(resource), reason });
  }

  protected listChanged(change: Exclude<CatalogueChange, { readonly kind: 'agents' }>): void {
    const { summaryOf } = this.#options;
    if (change.kind === 'removed') {
      if (change.old?.started) this.#say('root/sessionRemoved', { session: summaryOf(change.old).resource });
      return;
    }
    const { summary, old } = change;
    if (!summary.started) return;
    const now = summaryOf(summary);
    const comesBack = this.#disposed.delete(summary.id);
    const known = old?.started && !comesBack ? summaryOf(old) : undefined;
    if (!known) return this.#say('root/sessionAdded', { summary: now });
    if (known.resource !== now.resource) {
      this.#say('root/sessionRemoved', { session: known.resource });
      return this.#say('root/sessionAdded', { summary: now });
    }
    const changes = summaryChanges(known, now);
    if (Object.keys(changes).length > 0)
      this.#say('root/sessionSummaryChanged', { session: now.resource, changes });
  }

  #say(method: string, params: object): void {
    this.notify(method, { channel: rootChannel, ...params });
  }
}
