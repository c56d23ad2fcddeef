// Where devices may have push messages sent. A device that may not run commands must not make the host send
// requests to this machine or its network.
import { lookup } from 'node:dns/promises';
import { isLocalAddress, isPrivate } from '../../host/policy/privateAddresses.ts';
import { mayAs } from '../../host/policy/roles.ts';
import type { Role } from '../../host/policy/roles.ts';

/** A name that cannot be resolved here may still be reached through a proxy. */
export async function mayReach(role: Role, endpoint: string): Promise<boolean> {
  if (mayAs(role, 'control')) return true;
  if (isLocalAddress(endpoint)) return false;
  const found = await lookup(new URL(endpoint).hostname, { all: true }).catch(() => []);
  return !found.some(({ address }) => isPrivate(address));
}
