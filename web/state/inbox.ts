// Everything that waits for a person, over all sessions. It follows each session that says it waits, to know what for.
import { computed, effect, signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import type { URI } from '../../src/protocols/ahp/v1_0/content.ts';
import type {
  SessionInputRequest,
  SessionState,
  SessionSummary,
} from '../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../client/channel.ts';
import type { Client } from '../client/client.ts';
import { isArchived, standingOf } from '../text/words.ts';

export interface InboxEntry {
  readonly session: URI;
  readonly title: string;
  readonly request: SessionInputRequest;
}

export interface Inbox {
  readonly entries: ReadonlySignal<readonly InboxEntry[]>;
  /** Sessions that say they wait, for counting at a glance. */
  readonly waiting: ReadonlySignal<readonly SessionSummary[]>;
  readonly failed: ReadonlySignal<readonly SessionSummary[]>;
}

export function createInbox(client: Client): Inbox {
  const live = computed(() =>
    [...client.sessions.value.values()].filter(({ status }) => !isArchived(status)),
  );
  const waiting = computed(() => live.value.filter(({ status }) => standingOf(status) === 'waiting'));
  const failed = computed(() => live.value.filter(({ status }) => standingOf(status) === 'failed'));
  const followed = new Map<URI, Channel<SessionState>>();
  const channels = signal<readonly Channel<SessionState>[]>([]);
  // Sessions are followed whether or not the inbox is on the screen, because its count always is.
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
  const entries = computed(() => channels.value.flatMap(entriesOf));
  return { entries, waiting, failed };
}

function entriesOf({ uri, state }: Channel<SessionState>): readonly InboxEntry[] {
  const { title = '', inputNeeded = [] } = state.value ?? {};
  return inputNeeded
    .filter(({ kind }) => kind !== 'toolClientExecution')
    .map((request) => ({ session: uri, title, request }));
}
