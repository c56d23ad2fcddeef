// The terminals of each host, made when somebody first wants them and ended before the host is.
import type { Host } from '../host/host.ts';
import { TerminalHub } from '../host/terminals/terminalHub.ts';
import { terminals } from '../io/pty/pty.ts';

const hubs = new Map<Host, TerminalHub>();

export function hubOf(host: Host, env: NodeJS.ProcessEnv): TerminalHub {
  const hub = hubs.get(host) ?? new TerminalHub(host, terminals({ env }));
  hubs.set(host, hub);
  return hub;
}

export async function closeTerminals(host: Host): Promise<void> {
  await hubs.get(host)?.close();
  hubs.delete(host);
}
