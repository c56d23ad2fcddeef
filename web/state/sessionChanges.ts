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

export async function setArchived(client: Client, session: URI, isArchived: boolean): Promise<void> {
  const { kind } = await changeSession(client, session, { type: 'session/isArchivedChanged', isArchived });
  if (kind !== 'accepted') return;
  toast('info', isArchived ? 'Session archived' : 'Session back in the list', {
    label: 'Undo',
    run: () => void setArchived(client, session, !isArchived),
  });
}
