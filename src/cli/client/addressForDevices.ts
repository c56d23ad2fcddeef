// Where other devices reach the running host.
import type { ListeningState } from '../../app/deviceAddress.ts';
import { readHostInfo } from '../../app/hostInfo.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { present } from '../../base/present.ts';
import type { Peer } from '../../rpc/peer.ts';

export interface AddressForDevices {
  /** The address of a link; absent for the first address of the host. */
  readonly at?: string;
  /** The fingerprint of our self-signed certificate, if it is in use. */
  readonly fingerprint?: string;
}

/** Undefined if the host listens for this machine alone. */
export async function addressForDevices(peer: Peer): Promise<AddressForDevices | undefined> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the host is ours
  const { devices, onNetwork } = (await peer.request('listening/read')) as ListeningState;
  if (devices) return present({ at: devices.urls[0], fingerprint: devices.fingerprint });
  return onNetwork
    ? present({ fingerprint: readHostInfo(dataPaths(process.env).info)?.fingerprint })
    : undefined;
}
