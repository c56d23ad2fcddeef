// Keeps the remote API of one editor as its configuration wants it: off unless asked for, begun anew where it changed, gone with the editor.
import type { Connection } from '../connection.ts';
import type { RemoteServed, RemoteSettings } from '../options.ts';
import { openRemote } from './remote.ts';
import type { Remote } from './remote.ts';

/** The running remote API of a connection. */
export interface KeptRemote {
  readonly settings: RemoteSettings;
  readonly remote: Remote;
  readonly served: RemoteServed;
}

/** One change after the other; what is wanted is looked up when its turn has come. */
export async function keepRemote(connection: Connection): Promise<void> {
  const { remote: wanted } = connection.configured;
  if (JSON.stringify(connection.remote?.settings) === JSON.stringify(wanted))
    return connection.remote?.remote.configure(connection.configured);
  end(connection);
  const { serveRemote } = connection.options;
  if (!wanted || !serveRemote || connection.gone.aborted) return;
  const task = { taskId: 'remote-server', title: 'Starting remote server' };
  connection.tell('$/progress', { type: 'start', ...task });
  const remote = openRemote(connection.host, connection.options, connection);
  const served = await serveRemote(remote, wanted);
  if ('refused' in served || connection.gone.aborted) {
    remote.close();
    if ('refused' in served) connection.tell('$/showMessage', { type: 'warning', message: served.refused });
    else served.close();
  } else {
    connection.remote = { settings: wanted, remote, served };
    connection.whenGone(() => end(connection));
  }
  connection.tell('$/progress', { type: 'finish', ...task });
}

function end(connection: Connection): void {
  connection.remote?.remote.close();
  connection.remote?.served.close();
  connection.remote = undefined;
}
