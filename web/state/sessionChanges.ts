// Changes of sessions from anywhere in the console, whether the session is open or not.
import { signal } from '@preact/signals';
import type { ClientAction } from '../../src/protocols/ahp/v1_0/actions.ts';
import type { URI } from '../../src/protocols/ahp/v1_0/content.ts';
import type { Settlement } from '../../client/connection/channels.ts';
import type { Client } from '../../client/connection/client.ts';
import { findSummary } from '../../client/connection/catalogue.ts';
import { isArchived } from '../text/format.ts';
import { dispatchOrToast } from './chat.ts';
import { goTo, route } from './route.ts';
import { toast } from './toasts.ts';

/** The session whose title is being edited in its header. */
export const renaming = signal<URI | undefined>(undefined);

/** Archives the session that is open, or takes it back from the archive. */
export function archiveOpenSession(client: Client): void {
  const place = route.value;
  if (place.page !== 'session') return;
  const isInArchive = isArchived(findSummary(client.sessions.value, place.session)?.status ?? 0);
  void setArchived(client, [place.session], !isInArchive);
  if (!isInArchive) goTo({ page: 'sessions' });
}

/** Follows the session until the host has answered. */
async function changeSession(client: Client, session: URI, action: ClientAction): Promise<Settlement> {
  const channel = client.open('session', session);
  const settlement = await dispatchOrToast(client, channel, action);
  client.release(channel);
  return settlement;
}

export async function setArchived(
  client: Client,
  sessions: readonly URI[],
  toArchive: boolean,
): Promise<void> {
  const action = { type: 'session/isArchivedChanged', isArchived: toArchive } as const;
  const settlements = await Promise.all(sessions.map((session) => changeSession(client, session, action)));
  const changed = sessions.filter((_, index) => settlements[index]?.kind === 'accepted');
  if (changed.length === 0) return;
  const what = changed.length === 1 ? 'Session' : `${changed.length} sessions`;
  toast('info', toArchive ? `${what} archived` : `${what} back in the list`, {
    label: 'Undo',
    run: () => void setArchived(client, changed, !toArchive),
  });
}
