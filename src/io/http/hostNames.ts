// The names by which this machine is reached at an address: for the certificate, for the check of the Host
// header and for links.
import { hostname, networkInterfaces } from 'node:os';
import { isIP } from 'node:net';

/** What the answers depend on. */
export interface Network {
  readonly machine: string;
  /** The addresses that other machines may reach, best first. */
  readonly addresses: readonly string[];
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Every name that a client may rightly use for what listens on `host`. */
export function namesAt(host: string, network: Network = thisNetwork()): readonly string[] {
  const local = ['localhost', '127.0.0.1', '::1'];
  if (isLoopback(host)) return [...new Set([...local, host])];
  if (!isEverywhere(host)) return [...new Set([...local, host, ...machineNames(network)])];
  return [...new Set([...local, ...machineNames(network), ...network.addresses])];
}

/** The host name for other devices; for a wildcard address this is the best address of this machine. */
export function placeAt(host: string, network: Network = thisNetwork()): string {
  return isEverywhere(host) ? (network.addresses[0] ?? 'localhost') : host;
}

/** The host names that other devices can use for what listens on `host`, best first; may be empty. */
export function placesAt(host: string, network: Network = thisNetwork()): readonly string[] {
  if (!isEverywhere(host)) return [host];
  return host === '::' ? network.addresses : network.addresses.filter((address) => isIP(address) === 4);
}

/** In the form that a URL uses. */
export function inUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function machineNames({ machine }: Network): readonly string[] {
  const name = machine.toLowerCase();
  if (!/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(name)) return [];
  return name.includes('.') ? [name] : [name, `${name}.local`];
}

function thisNetwork(): Network {
  const found = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid);
  const ranked = found.toSorted((a, b) => Number(a.family === 'IPv6') - Number(b.family === 'IPv6'));
  return { machine: hostname(), addresses: ranked.map(({ address }) => address) };
}
