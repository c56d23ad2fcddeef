// The devices that may come in over the network, as the running host answers for them.
import * as z from 'zod';
import { roles } from '../../host/policy/roles.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import type { ConnectionOptions } from '../connections.ts';
import { listFolders } from '../../io/files/userFiles.ts';
import { done, readParams } from './readParams.ts';
import type { ControlMethod } from './sessions.ts';

const role = z.enum(roles);

export function deviceMethods({
  devices,
  address,
  connectionsOf,
  folder,
}: Pick<ConnectionOptions, 'devices' | 'address' | 'connectionsOf' | 'folder'>): {
  readonly [name: string]: ControlMethod;
} {
  let last = folder;
  return {
    /** Where whoever wants the console was last: most likely the place to work in. */
    'console/folder': () => last ?? null,
    'console/folders': async (params) =>
      done(await listFolders(readParams(z.object({ at: z.string().max(4_096) }), params).at)),
    'devices/list': () =>
      devices.list().map((device) => ({ ...device, connections: connectionsOf(device.id) })),
    'devices/link': (params) => {
      const wanted = readParams(z.object({ role, folder: z.string().optional() }), params);
      last = wanted.folder ?? last;
      const place = address();
      if (place === undefined)
        throw new RpcError(rpcCodes.invalidRequest, 'This host listens to no browser.');
      return { link: `${place}sign-in?code=${devices.newCode(wanted.role)}`, role: wanted.role };
    },
    'devices/change': (params) => {
      const { id, role: next } = readParams(z.object({ id: z.string(), role }), params);
      return devices.change(id, next);
    },
    'devices/revoke': (params) => devices.revoke(readParams(z.object({ id: z.string() }), params).id),
  };
}
