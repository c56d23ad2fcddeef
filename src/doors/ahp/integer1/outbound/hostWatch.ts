// Tells one client of version 1 what happens outside the sessions it follows: the list to everybody, the root to its subscribers.
import type { CatalogueChange } from '../../../../host/session/catalogue.ts';
import type { Host } from '../../../../host/host.ts';
import type { SessionId } from '../../../../model/event.ts';
import type { ChatSummary, Summary } from '../../../../host/session/summary.ts';
import { diff } from '../../../../protocols/ahp/difference.ts';
import type { ProtocolNotification } from '../../../../protocols/ahp/integer1/commands.ts';
import type { SessionSummary, TerminalInfo } from '../../../../protocols/ahp/integer1/state.ts';
import { encodeNotification } from '../../../../rpc/envelope.ts';
import type { Outlet } from '../../delivery/sendQueue.ts';
import { isBusy } from '../../outbound/agents.ts';
import { agentInfos } from './rootState.ts';
import { resourcesOf, SignInWatch } from '../../inbound/signIns.ts';
import type { SignIns } from '../../inbound/signIns.ts';
import { sessionSummary } from './sessionState.ts';
import type { Said } from './outgoingAction.ts';

export interface WatchOptions {
  readonly host: Host;
  readonly outlet: Outlet;
  readonly followsRoot: () => boolean;
  /** Whether the client has all that is older. A number given out before would look as if it had. */
  readonly isLive: () => boolean;
  /** How this client spells the session that a chat is to it. */
  readonly nameOf: (summary: Summary, chat: ChatSummary) => string;
  readonly terminals: () => readonly TerminalInfo[] | undefined;
  readonly signIns: SignIns | undefined;
}

export class Watch {
  readonly #options: WatchOptions;
  /** Sessions without content that this client made itself, and those it disposed of. */
  readonly #made = new Set<SessionId>();
  readonly #disposed = new Set<SessionId>();
  readonly #leave: () => void;
  readonly #signIns: SignInWatch;
  #busy: number;
  #owes = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#busy = options.host.summaries().filter(isBusy).length;
    this.#leave = options.host.follow((change) => this.#tell(change));
    this.#signIns = new SignInWatch({
      signIns: options.signIns,
      changed: () => this.#agentsChanged(),
      wanted: ({ resource: { resource }, reason }) =>
        this.say({ type: 'notify/authRequired', resource, reason }),
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
    this.act({ type: 'root/activeSessionsChanged', activeSessions: this.#busy });
    this.terminalsChanged();
  }

  terminalsChanged(): void {
    const terminals = this.#options.terminals();
    if (terminals) this.act({ type: 'root/terminalsChanged', terminals });
  }

  /** Whoever makes a session hears of it at once; others when something was written there. */
  made(id: SessionId): void {
    this.#made.add(id);
  }

  disposed(id: SessionId, uri: string): void {
    this.#disposed.add(id);
    this.say({ type: 'notify/sessionRemoved', session: uri });
  }

  /** The sessions of a row of our catalogue that this client knows of: every chat but those inside tool calls. */
  sessionsOf(summary: Summary | undefined): ReadonlyMap<string, SessionSummary> {
    if (!summary || this.#disposed.has(summary.id) || !(summary.started || this.#made.has(summary.id)))
      return new Map();
    const chats = summary.chats.filter(({ origin, id }) => id === summary.id || origin.type !== 'tool');
    return new Map(
      chats.map((chat) => [chat.id, sessionSummary(summary, chat, this.#options.nameOf(summary, chat))]),
    );
  }

  act(action: Said): void {
    if (!this.#options.followsRoot()) return;
    this.#owes ||= !this.#options.isLive();
    if (!this.#owes)
      this.#options.outlet.tell((seq) => encodeNotification('action', { action, serverSeq: seq() }));
  }

  say(notification: ProtocolNotification): void {
    this.#options.outlet.tell(() => encodeNotification('notification', { notification }));
  }

  #tell(change: CatalogueChange): void {
    if (change.kind === 'agents') return this.#agentsChanged();
    const known = this.sessionsOf(change.old);
    const summary = change.kind === 'removed' ? undefined : change.summary;
    if (summary) this.#disposed.delete(summary.id);
    this.#count(
      Number(summary !== undefined && isBusy(summary)) -
        Number(change.old !== undefined && isBusy(change.old)),
    );
    const now = this.sessionsOf(summary);
    for (const [chat, { resource }] of known)
      if (!now.has(chat)) this.say({ type: 'notify/sessionRemoved', session: resource });
    for (const [chat, session] of now) this.#changed(known.get(chat), session);
  }

  #agentsChanged(): void {
    this.act({
      type: 'root/agentsChanged',
      agents: agentInfos(this.#options.host, resourcesOf(this.#options.signIns)),
    });
  }

  #changed(old: SessionSummary | undefined, now: SessionSummary): void {
    if (!old) return this.say({ type: 'notify/sessionAdded', summary: now });
    const changes = changed(old, now);
    if (Object.keys(changes).length > 0)
      this.say({ type: 'notify/sessionSummaryChanged', session: now.resource, changes });
  }

  #count(difference: number): void {
    if (difference === 0) return;
    this.#busy += difference;
    this.act({ type: 'root/activeSessionsChanged', activeSessions: this.#busy });
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
