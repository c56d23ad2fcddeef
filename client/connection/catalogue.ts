// The host's sessions with their summaries, updated from the session list and from
// notifications. It sends nothing.
import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import type { HostNotifications } from '../../src/protocols/ahp/v1_0/commands.ts';
import type { URI } from '../../src/protocols/ahp/v1_0/content.ts';
import type { SessionSummary } from '../../src/protocols/ahp/v1_0/state.ts';

export interface Catalogue {
  readonly sessions: ReadonlySignal<ReadonlyMap<URI, SessionSummary>>;
  /** Replaces the whole list. */
  replace(summaries: readonly SessionSummary[]): void;
  added(params: HostNotifications['root/sessionAdded']): void;
  removed(params: HostNotifications['root/sessionRemoved']): void;
  changed(params: HostNotifications['root/sessionSummaryChanged']): void;
}

/** Compares without the URI scheme: a host may use the agent's name as scheme where we use another. */
export function isSameSession(one: URI, other: URI): boolean {
  return one === other || one.slice(one.indexOf(':')) === other.slice(other.indexOf(':'));
}

export function findSummary(
  sessions: ReadonlyMap<URI, SessionSummary>,
  session: URI,
): SessionSummary | undefined {
  return (
    sessions.get(session) ?? [...sessions.values()].find(({ resource }) => isSameSession(resource, session))
  );
}

export function createCatalogue(): Catalogue {
  const sessions = signal<ReadonlyMap<URI, SessionSummary>>(new Map());
  const put = (summary: SessionSummary) => {
    sessions.value = new Map(sessions.value).set(summary.resource, summary);
  };
  return {
    sessions,
    replace: (summaries) => {
      sessions.value = new Map(summaries.map((summary) => [summary.resource, summary]));
    },
    added: ({ summary }) => put(summary),
    removed: ({ session }) => {
      const rest = new Map(sessions.value);
      if (rest.delete(session)) sessions.value = rest;
    },
    changed: ({ session, changes }) => {
      const known = sessions.value.get(session);
      if (known) put({ ...known, ...changes });
    },
  };
}
