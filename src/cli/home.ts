// `parley`: finds or starts the host, says where it is and what it found, and opens the console where there is a browser.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { dataPaths } from '../io/paths.ts';
import { hostControl } from './hostControl.ts';
import { openBrowser } from './openBrowser.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { 'no-open': { type: 'boolean' } } });
  const peer = await hostControl('start');
  if (!peer) throw new Error('the host cannot be reached.');
  const [status, code] = await Promise.all([peer.request('status'), peer.request('code')]);
  peer.close();
  const link = `${address(dataPaths(process.env).info)}sign-in?code=${String(code)}`;
  process.stdout.write(`Parley is running. Open the console with this link, which works once:\n\n  ${link}\n\n${found(status)}\nStop the host with parley stop.\n`);
  if (!values['no-open'] && process.stdout.isTTY) openBrowser(link);
  return 0;
}

function address(info: string): string {
  const value: unknown = JSON.parse(readFileSync(info, 'utf8'));
  if (typeof value !== 'object' || value === null || !('host' in value) || !('port' in value)) throw new Error('the host does not say where it listens.');
  return `http://${value.host === '::1' ? '[::1]' : String(value.host)}:${String(value.port)}/`;
}

function found(status: unknown): string {
  if (typeof status !== 'object' || status === null || !('agents' in status) || !Array.isArray(status.agents)) return '';
  const agents: readonly { name?: unknown; models?: unknown }[] = status.agents;
  return agents.map(({ name, models }) => {
    const known = Array.isArray(models) && models.length > 0 ? models.map(String).join(', ') : 'its own models';
    return `  ${String(name)}: ${known}`;
  }).join('\n').concat('\n');
}
