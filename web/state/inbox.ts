// The approvals and questions that wait for the user in all sessions. It follows each waiting
// session for its details.
import { computed, effect, signal } from '@preact/signals';
import { createContext } from 'preact';
import type { ReadonlySignal } from '@preact/signals';
import type { URI } from '../../src/protocols/ahp/v1_0/content.ts';
import type {
  SessionInputRequest,
  SessionState,
  SessionSummary,
} from '../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../client/connection/channel.ts';
import type { Client } from '../../client/connection/client.ts';
import { isArchived, statusKindOf } from '../text/format.ts';

export interface InboxEntry {
  readonly session: URI;
  readonly title: string;
  readonly request: SessionInputRequest;
}

export interface Inbox {
  readonly entries: ReadonlySignal<readonly InboxEntry[]>;
  /** The sessions that need the user; the navigation shows their number. */
  readonly waiting: ReadonlySignal<readonly SessionSummary[]>;
  readonly failed: ReadonlySignal<readonly SessionSummary[]>;
}

export const InboxContext = createContext<Inbox>({
  entries: signal([]),
  waiting: signal([]),
  failed: signal([]),
});

export function createInbox(client: Client): Inbox {
  const live = computed(() =>
    [...client.sessions.value.values()].filter(({ status }) => !isArchived(status)),
  );
  const waiting = computed(() => live.value.filter(({ status }) => statusKindOf(status) === 'waiting'));
  const failed = computed(() => live.value.filter(({ status }) => statusKindOf(status) === 'failed'));
  const followed = new Map<URI, Channel<SessionState>>();
  const channels = signal<readonly Channel<SessionState>[]>([]);
  // Waiting sessions are followed even while the inbox is not shown, so that it opens complete.
  effect(() => {
    const wanted = new Set(waiting.value.map(({ resource }) => resource));
    for (const [uri, channel] of followed) {
      if (wanted.has(uri)) continue;
      client.release(channel);
      followed.delete(uri);
    }
    for (const uri of wanted) if (!followed.has(uri)) followed.set(uri, client.open('session', uri));
    channels.value = [...followed.values()];
  });
  const entries = computed(() => channels.value.flatMap(initialEntries));
  return { entries, waiting, failed };
}

function initialEntries({ uri, state }: Channel<SessionState>): readonly InboxEntry[] {
  const { title = '', inputNeeded = [] } = state.value ?? {};
  return inputNeeded
    .filter(({ kind }) => kind !== 'toolClientExecution')
    .map((request) => ({ session: uri, title, request }));
}
