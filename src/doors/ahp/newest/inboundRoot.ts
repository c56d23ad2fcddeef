// Settings that clients share through the root channel. They are kept and shown, and change nothing about what the host allows.
import { diff } from '../../../protocols/ahp/difference.ts';
import type { ActionOf } from '../../../protocols/ahp/newest/actions.ts';
import { rootChannel } from '../../../protocols/ahp/newest/state.ts';
import { encodeNotification } from '../../../rpc/envelope.ts';
import { hostConfig, takeNote } from '../notes.ts';
import { maxKept } from '../act.ts';
import type { NewestConnection } from './connection.ts';

/** VS Code sends all its settings at every start; what is already so is only given back to it. */
export function changeRootConfig(client: NewestConnection, clientSeq: number, action: ActionOf<'root/configChanged'>): string | undefined {
  const { own } = client.host;
  const old = hostConfig(own.head);
  const values = action.replace ? action.config : { ...old, ...action.config };
  if (JSON.stringify(values).length > maxKept) return 'These settings are too large.';
  if (diff(old, values).length > 0 || !client.subscriptions.isLive) return own.dispatch(takeNote({ note: 'config', values }), client.origin(clientSeq))?.message;
  if (!client.followsRoot) return undefined;
  const origin = { clientId: client.opening.client.id, clientSeq };
  client.outlet.tell((seq) => encodeNotification('action', { channel: rootChannel, action, serverSeq: seq(), origin }));
  return undefined;
}
