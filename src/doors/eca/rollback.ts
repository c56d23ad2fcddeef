// How an editor is told what could not be taken back; the rest is seen in it.
import type { FileChange } from '../../host/undo.ts';
import type { Connection } from './connection.ts';

export async function takeBack(connection: Connection, changes: readonly FileChange[]): Promise<void> {
  const { left } = await connection.host.takeBack(changes);
  if (left.length > 0) connection.tell('$/showMessage', { type: 'warning', message: left.map(({ path, why }) => `${path} was left as it is: ${why}`).join('\n') });
}
