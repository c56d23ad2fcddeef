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
const text = z.string().optional();

type DeviceOptions = Pick<
  ClientConnectionOptions,
  'devices' | 'address' | 'connectionsOf' | 'folder' | 'deviceAddress'
>;

export function deviceMethods({ devices, connectionsOf, folder, ...addresses }: DeviceOptions): {
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
      const request = readParams(z.object({ role, most, folder: text, at: text }), params);
      last = request.folder ?? last;
      // A device invites nobody to choose more than it may itself.
      const cap = lowerAutonomy(request.most ?? 'full', capOf(by));
      const limit = cap === 'full' ? undefined : cap;
      const url = linkAddress(addresses, request.at);
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

/** A link leads to an address of this host and nowhere else. */
function linkAddress(
  { address, deviceAddress }: Pick<DeviceOptions, 'address' | 'deviceAddress'>,
  wanted: string | undefined,
): string {
  const first = address();
  if (first === undefined)
    throw new RpcError(rpcCodes.invalidRequest, 'This host does not listen for browsers.');
  if (wanted === undefined || wanted === first) return first;
  if (deviceAddress.state().devices?.urls.includes(wanted)) return wanted;
  throw new RpcError(rpcCodes.invalidParams, `This host does not listen on ${wanted.slice(0, 200)}.`);
}
