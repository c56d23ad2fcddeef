// Tells one client of version 1 what happens outside the sessions it follows: the list to everybody, the
// root to its subscribers.
import type { CatalogueChange } from '../../../../host/session/catalogue.ts';
import type { ChatSummary, Summary } from '../../../../host/session/summary.ts';
import type { SessionId } from '../../../../model/event.ts';
import type { ProtocolNotification } from '../../../../protocols/ahp/integer1/commands.ts';
import type { AgentInfo, SessionSummary } from '../../../../protocols/ahp/integer1/state.ts';
import type { ProtectedResourceMetadata } from '../../../../protocols/ahp/v1_0/content.ts';
import type { Action } from '../../delivery/outgoing.ts';
import type { SignInNeed } from '../../../../host/tools/toolServers.ts';
import { HostWatch, summaryChanges } from '../../outbound/hostWatch.ts';
import type { HostWatchOptions } from '../../outbound/hostWatch.ts';
import { agentInfos } from './rootState.ts';
import { sessionSummary } from './sessionState.ts';

export interface WatchOptions extends HostWatchOptions {
  readonly followsRoot: () => boolean;
  /** How this client spells the session that a chat is to it. */
  readonly nameOf: (summary: Summary, chat: ChatSummary) => string;
}

export class Integer1Watch extends HostWatch {
  readonly #options: WatchOptions;
  /** Sessions without content that this client made itself, and those it disposed of. */
  readonly #made = new Set<SessionId>();
  readonly #disposed = new Set<SessionId>();

  constructor(options: WatchOptions) {
    super(options);
    this.#options = options;
  }

  /** The client that creates a session is told immediately; others are told after its first message. */
  made(id: SessionId): void {
    this.#made.add(id);
  }

  disposed(id: SessionId, uri: string): void {
    this.#disposed.add(id);
    this.#say({ type: 'notify/sessionRemoved', session: uri });
  }

  /**
   * The sessions of a row of our catalogue that this client knows of: every chat but those inside tool calls.
   */
  sessionsOf(summary: Summary | undefined): ReadonlyMap<string, SessionSummary> {
    if (!summary || this.#disposed.has(summary.id) || !(summary.started || this.#made.has(summary.id)))
      return new Map();
    const chats = summary.chats.filter(({ origin, id }) => id === summary.id || origin.type !== 'tool');
    return new Map(
      chats.map((chat) => [chat.id, sessionSummary(summary, chat, this.#options.nameOf(summary, chat))]),
    );
  }

  protected get followsRoot(): boolean {
    return this.#options.followsRoot();
  }

  protected agents(resources: readonly ProtectedResourceMetadata[]): readonly AgentInfo[] {
    return agentInfos(this.#options.host, resources);
  }

  protected rootEnvelope(action: Action): object {
    return { action };
  }

  protected signInNeeded({ resource: { resource }, reason }: SignInNeed): void {
    this.#say({ type: 'notify/authRequired', resource, reason });
  }

  protected listChanged(change: Exclude<CatalogueChange, { readonly kind: 'agents' }>): void {
    const known = this.sessionsOf(change.old);
    const summary = change.kind === 'removed' ? undefined : change.summary;
    if (summary) this.#disposed.delete(summary.id);
    const now = this.sessionsOf(summary);
    for (const [chat, { resource }] of known)
      if (!now.has(chat)) this.#say({ type: 'notify/sessionRemoved', session: resource });
    for (const [chat, session] of now) this.#changed(known.get(chat), session);
  }

  #changed(old: SessionSummary | undefined, now: SessionSummary): void {
    if (!old) return this.#say({ type: 'notify/sessionAdded', summary: now });
    const changes = summaryChanges(old, now);
    if (Object.keys(changes).length > 0)
      this.#say({ type: 'notify/sessionSummaryChanged', session: now.resource, changes });
  }

  #say(notification: ProtocolNotification): void {
    this.notify('notification', { notification });
  }
}
