// The requests about devices that may connect over the network, and about the console's folder.
import * as z from 'zod';
import { present } from '../../base/present.ts';
import { autonomyLevels } from '../../model/event.ts';
import { capOf, lowerAutonomy } from '../../host/settings/autonomy.ts';
import { roles } from '../../host/policy/roles.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import type { ClientConnectionOptions } from '../connections.ts';
import { listFolders } from '../../io/files/userFiles.ts';
import { controlDone, readParams } from './readParams.ts';
import type { ControlMethod } from './sessions.ts';

const role = z.enum(roles);
const most = z.enum(autonomyLevels).optional();

type DeviceOptions = Pick<ClientConnectionOptions, 'devices' | 'address' | 'connectionsOf' | 'folder'>;

export function deviceMethods({ devices, address, connectionsOf, folder }: DeviceOptions): {
  readonly [name: string]: ControlMethod;
} {
  let last = folder;
  return {
    /** The folder from which the console was last opened, as a default for new sessions. */
    'console/folder': () => last ?? null,
    'console/folders': async (params) =>
      controlDone(await listFolders(readParams(z.object({ at: z.string().max(4_096) }), params).at)),
    'devices/list': () =>
      devices.list().map((device) => ({ ...device, connections: connectionsOf(device.id) })),
    'devices/link': (params, _, by) => {
      const request = readParams(z.object({ role, most, folder: z.string().optional() }), params);
      last = request.folder ?? last;
      // A device invites nobody to choose more than it may itself.
      const cap = lowerAutonomy(request.most ?? 'full', capOf(by));
      const limit = cap === 'full' ? undefined : cap;
      const url = address();
      if (url === undefined)
        throw new RpcError(rpcCodes.invalidRequest, 'This host does not listen for browsers.');
      return {
        link: `${url}sign-in?code=${devices.newCode(request.role, limit)}`,
        role: request.role,
      };
    },
    'devices/change': (params, _, by) => {
      const { id, ...rights } = readParams(z.object({ id: z.string(), role, most }), params);
      if (rights.most !== undefined && lowerAutonomy(rights.most, capOf(by)) !== rights.most)
        throw new RpcError(rpcCodes.invalidRequest, `This device may choose at most ${capOf(by)} itself.`);
      return devices.change(id, { role: rights.role, ...present({ most: rights.most }) });
    },
    'devices/revoke': (params) => devices.revoke(readParams(z.object({ id: z.string() }), params).id),
  };
}
