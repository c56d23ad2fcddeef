// Notifies one client about host changes that are in no log it follows: agents, busy sessions, the list. Each
// version defines how.
import { storageGoesOn, storageWaits } from '../../../host/session/backlog.ts';
import type { Host } from '../../../host/host.ts';
import type { CatalogueChange } from '../../../host/session/catalogue.ts';
import { diff } from '../../../protocols/ahp/difference.ts';
import type { ProtectedResourceMetadata } from '../../../protocols/ahp/v1_0/content.ts';
import type { TerminalInfo } from '../../../protocols/ahp/v1_0/state.ts';
import { encodeNotification } from '../../../rpc/envelope.ts';
import type { Action } from '../delivery/outgoing.ts';
import type { SendQueue } from '../delivery/sendQueue.ts';
import { resourcesOf, SignInWatch } from '../inbound/signIns.ts';
import type { SignIns } from '../inbound/signIns.ts';
import type { SignInNeed } from '../../../host/tools/toolServers.ts';
import { isBusy } from './agents.ts';

export interface HostWatchOptions {
  readonly host: Host;
  readonly sendQueue: SendQueue;
  /** Whether the client has all that is older. A number given out before would look as if it had. */
  readonly isLive: () => boolean;
  readonly terminals: () => readonly TerminalInfo[] | undefined;
  readonly signIns: SignIns | undefined;
}

export abstract class HostWatch {
  readonly #options: HostWatchOptions;
  readonly #leave: () => void;
  readonly #leaveStorage: () => void;
  readonly #signIns: SignInWatch;
  #busy: number;
  /** Whether a notification was skipped while the client was behind. */
  #isOutdated = false;

  constructor(options: HostWatchOptions) {
    this.#options = options;
    this.#busy = options.host.summaries().filter(isBusy).length;
    this.#leave = options.host.follow((change) => this.#changed(change));
    this.#leaveStorage = options.host.storage.follow((isWaiting) =>
      this.notify('_parley/storageChanged', {
        waiting: isWaiting,
        message: isWaiting ? storageWaits : storageGoesOn,
      }),
    );
    this.#signIns = new SignInWatch({
      signIns: options.signIns,
      changed: () => this.#agentsChanged(),
      wanted: (need) => this.signInNeeded(need),
    });
  }

  close(): void {
    this.#leave();
    this.#leaveStorage();
    this.#signIns.close();
  }

  /** Sends the changes that were skipped while the client was behind. */
  refresh(): void {
    if (!this.#isOutdated) return;
    this.#isOutdated = false;
    this.#agentsChanged();
    this.#act({ type: 'root/activeSessionsChanged', activeSessions: this.#busy });
    this.terminalsChanged();
  }

  terminalsChanged(): void {
    const terminals = this.#options.terminals();
    if (terminals) this.#act({ type: 'root/terminalsChanged', terminals });
  }

  protected abstract get followsRoot(): boolean;

  protected abstract agents(resources: readonly ProtectedResourceMetadata[]): readonly object[];

  /** What an action on the root is sent in, without its number. */
  protected abstract rootEnvelope(action: Action): object;

  protected abstract signInNeeded(need: SignInNeed): void;

  protected abstract listChanged(change: Exclude<CatalogueChange, { readonly kind: 'agents' }>): void;

  /** Tells something that has no number. */
  protected notify(method: string, params: object): void {
    this.#options.sendQueue.notify(() => encodeNotification(method, params));
  }

  #changed(change: CatalogueChange): void {
    if (change.kind === 'agents') return this.#agentsChanged();
    const { old } = change;
    const isBusyNow = change.kind !== 'removed' && isBusy(change.summary);
    this.#countBusy(Number(isBusyNow) - Number(old !== undefined && isBusy(old)));
    this.listChanged(change);
  }

  #countBusy(difference: number): void {
    if (difference === 0) return;
    this.#busy += difference;
    this.#act({ type: 'root/activeSessionsChanged', activeSessions: this.#busy });
  }

  #agentsChanged(): void {
    const agents = this.agents(resourcesOf(this.#options.signIns));
    this.#act({ type: 'root/agentsChanged', agents });
  }

  #act(action: Action & Readonly<Record<string, unknown>>): void {
    if (!this.followsRoot) return;
    this.#isOutdated ||= !this.#options.isLive();
    if (this.#isOutdated) return;
    this.#options.sendQueue.tell((seq) =>
      encodeNotification('action', { ...this.rootEnvelope(action), serverSeq: seq() }),
    );
  }
}

interface ListedSession {
  readonly resource: string;
  readonly provider: string;
  readonly createdAt: string | number;
}

/** The members of a summary that differ, without those that never change. */
export function summaryChanges<Summary extends ListedSession>(old: Summary, now: Summary): Partial<Summary>;
export function summaryChanges(old: ListedSession, now: ListedSession): object {
  const { resource: _, provider: __, createdAt: ___, ...rest } = now;
  const before = new Map<string, unknown>(Object.entries(old));
  return Object.fromEntries(
    Object.entries(rest).filter(([key, value]) => diff(before.get(key) ?? null, value).length > 0),
  );
}
