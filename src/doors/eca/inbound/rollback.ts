// How an editor is told what could not be taken back; the rest is seen in it.
import type { Undone } from '../../../host/workspace/revertEdits.ts';
import { isRejection } from '../../../model/command.ts';
import type { Rejection } from '../../../model/command.ts';
import type { Connection } from '../connection.ts';

export function tellLeft(connection: Connection, undone: Undone | Rejection): void {
  const message = isRejection(undone)
    ? undone.message
    : undone.left.map(({ path, why }) => `${path} was left as it is: ${why}`).join('\n');
  if (message !== '') connection.tell('$/showMessage', { type: 'warning', message });
}
