// Changes of sessions from anywhere in the console, whether the session is open or not.
import type { ClientAction } from '../../src/protocols/ahp/v1_0/actions.ts';
import type { URI } from '../../src/protocols/ahp/v1_0/content.ts';
import type { Settlement } from '../../client/connection/channels.ts';
import type { Client } from '../../client/connection/client.ts';
import { dispatchOrToast } from './chat.ts';
import { toast } from './toasts.ts';

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
  isArchived: boolean,
): Promise<void> {
  const action = { type: 'session/isArchivedChanged', isArchived } as const;
  const settlements = await Promise.all(sessions.map((session) => changeSession(client, session, action)));
  const changed = sessions.filter((_, index) => settlements[index]?.kind === 'accepted');
  if (changed.length === 0) return;
  const what = changed.length === 1 ? 'Session' : `${changed.length} sessions`;
  toast('info', isArchived ? `${what} archived` : `${what} back in the list`, {
    label: 'Undo',
    run: () => void setArchived(client, changed, !isArchived),
  });
}
