// The terminals of each host, made when a door first wants them and ended before the host is.
import type { Host } from '../host/host.ts';
import type { TerminalHub } from '../host/terminals.ts';

const hubs = new Map<Host, TerminalHub>();

export function hubOf(host: Host, make: () => TerminalHub): TerminalHub {
  const hub = hubs.get(host) ?? make();
  hubs.set(host, hub);
  return hub;
}

export async function closeTerminals(host: Host): Promise<void> {
  await hubs.get(host)?.close();
  hubs.delete(host);
}
