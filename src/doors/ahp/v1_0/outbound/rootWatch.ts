// Tells one subscriber of the root channel what changes there without an entry of its own: agents, busy sessions, the list.
import type { CatalogueChange } from '../../../../host/session/catalogue.ts';
import type { Host } from '../../../../host/host.ts';
import type { SessionId } from '../../../../model/event.ts';
import type { Summary } from '../../../../host/session/summary.ts';
import { diff } from '../../../../protocols/ahp/difference.ts';
import type { StateAction } from '../../../../protocols/ahp/v1_0/actions.ts';
import { rootChannel } from '../../../../protocols/ahp/v1_0/state.ts';
import type { SessionSummary, TerminalInfo } from '../../../../protocols/ahp/v1_0/state.ts';
import { encodeNotification } from '../../../../rpc/envelope.ts';
import type { Outlet } from '../../delivery/sendQueue.ts';
import { agentInfos, isBusy } from '../../outbound/agents.ts';
import { metadata, resourcesOf, SignInWatch } from '../../inbound/signIns.ts';
import type { SignIns } from '../../inbound/signIns.ts';

export interface RootWatchOptions {
  readonly host: Host;
  readonly outlet: Outlet;
  /** Whether the client has all that is older. A number given out before would look as if it had. */
  readonly isLive: () => boolean;
  /** A session as this client sees it in the list. */
  readonly summaryOf: (summary: Summary) => SessionSummary;
  readonly terminals: () => readonly TerminalInfo[] | undefined;
  readonly signIns: SignIns | undefined;
}

export class RootWatch {
  readonly #options: RootWatchOptions;
  /** Sessions that this client has disposed of; they come back when something happens in them. */
  readonly #disposed = new Set<SessionId>();
  readonly #leave: () => void;
  readonly #signIns: SignInWatch;
  #busy: number;
  #owes = false;

  constructor(options: RootWatchOptions) {
    this.#options = options;
    this.#busy = options.host.summaries().filter(isBusy).length;
    this.#leave = options.host.follow((change) => this.#tell(change));
    this.#signIns = new SignInWatch({
      signIns: options.signIns,
      changed: () => this.#agentsChanged(),
      wanted: ({ resource, reason }) => this.#say('auth/required', { resource: metadata(resource), reason }),
    });
  }

  close(): void {
    this.#leave();
    this.#signIns.close();
  }

  /** Tells what the client could not be told while it was behind. */
  refresh(): void {
    if (!this.#owes) return;
    this.#owes = false;
    this.#agentsChanged();
    this.#act({ type: 'root/activeSessionsChanged', activeSessions: this.#busy });
    this.terminalsChanged();
  }

  terminalsChanged(): void {
    const terminals = this.#options.terminals();
    if (terminals) this.#act({ type: 'root/terminalsChanged', terminals });
  }

  disposed(id: SessionId, uri: string): void {
    this.#disposed.add(id);
    this.#say('root/sessionRemoved', { session: uri });
  }

  #tell(change: CatalogueChange): void {
    if (change.kind === 'agents') return this.#agentsChanged();
    if (change.kind === 'removed') return this.#removed(change.old);
    const { summary, old } = change;
    this.#count(Number(isBusy(summary)) - Number(old !== undefined && isBusy(old)));
    if (!summary.started) return;
    const now = this.#options.summaryOf(summary);
    const comesBack = this.#disposed.delete(summary.id);
    const known = old?.started && !comesBack ? this.#options.summaryOf(old) : undefined;
    if (!known) return this.#say('root/sessionAdded', { summary: now });
    if (known.resource !== now.resource) {
      this.#say('root/sessionRemoved', { session: known.resource });
      return this.#say('root/sessionAdded', { summary: now });
    }
    const changes = changed(known, now);
    if (Object.keys(changes).length > 0)
      this.#say('root/sessionSummaryChanged', { session: now.resource, changes });
  }

  #agentsChanged(): void {
    this.#act({
      type: 'root/agentsChanged',
      agents: agentInfos(this.#options.host, resourcesOf(this.#options.signIns)),
    });
  }

  #removed(old: Summary | undefined): void {
    if (!old) return;
    this.#count(-Number(isBusy(old)));
    if (old.started) this.#say('root/sessionRemoved', { session: this.#options.summaryOf(old).resource });
  }

  #count(difference: number): void {
    if (difference === 0) return;
    this.#busy += difference;
    this.#act({ type: 'root/activeSessionsChanged', activeSessions: this.#busy });
  }

  #act(action: StateAction): void {
    this.#owes ||= !this.#options.isLive();
    if (!this.#owes)
      this.#options.outlet.tell((seq) =>
        encodeNotification('action', { channel: rootChannel, action, serverSeq: seq() }),
      );
  }

  #say(method: string, params: object): void {
    this.#options.outlet.tell(() => encodeNotification(method, { channel: rootChannel, ...params }));
  }
}

/** The members that differ, without those that never change. */
function changed(old: SessionSummary, now: SessionSummary): Partial<SessionSummary> {
  const { resource: _, provider: __, createdAt: ___, ...rest } = now;
  const before = new Map<string, unknown>(Object.entries(old));
  return Object.fromEntries(
    Object.entries(rest).filter(([key, value]) => diff(before.get(key) ?? null, value).length > 0),
  );
}
