// What the AHP door is given of this machine: files, terminals, servers of tools, and which folders are our own.
import type { AhpOptions } from '../../doors/ahp/protocolVersion.ts';
import { directories } from '../../io/settings/dataPaths.ts';
import { resourceFiles } from '../../io/files/resourceFiles.ts';
import { offered } from '../app.ts';
import { hubOf } from '../terminalHubs.ts';

export function ahpPorts(
  env: NodeJS.ProcessEnv,
): Pick<AhpOptions, 'files' | 'own' | 'terminals' | 'servers' | 'signIns'> {
  return {
    files: resourceFiles(),
    own: Object.values(directories(env)),
    servers: (roots, changed) => {
      const pool = offered()?.toolServers;
      const open = pool?.open({ roots });
      const leave = pool?.watch(changed);
      return {
        list: () => open?.list() ?? [],
        start: (server) => open?.start(server) ?? false,
        stop: (server) => open?.stop(server) ?? false,
        close: () => {
          leave?.();
          open?.close();
        },
      };
    },
    signIns: {
      list: () =>
        offered()
          ?.toolServers.list()
          .flatMap(({ signIn, status }) =>
            signIn ? [{ ...signIn, wanted: status === 'requires-auth' }] : [],
          ) ?? [],
      watch: (changed) => offered()?.toolServers.watch(changed) ?? (() => {}),
      give: async (resource, token) =>
        (await offered()?.toolServers.authenticate(resource, token)) ?? 'unknown',
    },
    terminals: (host) => hubOf(host, env),
  };
}
