// What the AHP door needs from this host: files, terminals, tool servers, and the host's own folders.
import { Clients } from '../../doors/ahp/clients.ts';
import type { AhpOptions } from '../../doors/ahp/options.ts';
import { resourceFiles } from '../../io/files/resourceFiles.ts';
import { directories } from '../../io/settings/dataPaths.ts';
import type { App } from '../app.ts';

export function ahpPorts(
  app: App,
): Pick<AhpOptions, 'clients' | 'files' | 'own' | 'terminals' | 'servers' | 'signIns'> {
  const { env } = app;
  const { servers: toolServers } = app.extensions;
  return {
    clients: new Clients(app.host),
    files: resourceFiles(),
    own: Object.values(directories(env)),
    servers: (roots, changed) => {
      const open = toolServers.open({ roots });
      const stopWatching = toolServers.watch(changed);
      return {
        list: () => open.list(),
        start: (server) => open.start(server),
        stop: (server) => open.stop(server),
        close: () => {
          stopWatching();
          open.close();
        },
      };
    },
    signIns: {
      list: () =>
        toolServers
          .list()
          .flatMap(({ signIn, status }) =>
            signIn ? [{ ...signIn, wanted: status === 'requires-auth' }] : [],
          ),
      watch: (changed) => toolServers.watch(changed),
      give: (resource, token) => toolServers.authenticate(resource, token),
    },
    terminals: () => app.terminals(),
  };
}
