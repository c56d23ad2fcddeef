// Starts, restarts or stops the remote API of one editor as its configuration says.
import type { EcaConnection } from '../connection.ts';
import { startTask } from '../outbound/progressTask.ts';
import { openRemote } from './remote.ts';

/** Run through `RemoteApi.enqueue`, so that only one change happens at a time. */
export async function updateRemote(connection: EcaConnection): Promise<void> {
  const { remote: api, workspace, options, lifetime, sender } = connection;
  const settings = workspace.configuration.remote;
  if (JSON.stringify(api.running?.settings) === JSON.stringify(settings))
    return api.running?.remote.configure(workspace.configuration);
  api.replace(undefined);
  if (!settings || !options.serveRemote || lifetime.isOver) return;
  const finish = startTask(sender, { taskId: 'remote-server', title: 'Starting remote server' });
  const remote = openRemote(connection);
  const server = await options.serveRemote(remote, settings);
  if ('refused' in server) {
    remote.close();
    sender.notify('$/showMessage', { type: 'warning', message: server.refused });
  } else if (lifetime.isOver) {
    remote.close();
    server.close();
  } else {
    api.replace({ settings, remote, server });
    lifetime.onEnd(() => api.replace(undefined));
  }
  finish();
}
