// `parley`: finds or starts the host, says where it is and what it found, and opens the console where there is a browser.
import { readFileSync } from 'node:fs';
import type { Role } from '../host/role.ts';
import { dataPaths } from '../io/paths.ts';
import { isLoopback } from '../io/reach.ts';
import { hostControl } from './hostControl.ts';
import { certificateWords, invitation } from './invite.ts';
import { openBrowser } from './openBrowser.ts';
import { noMore, readArgs, working } from './say.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(args, { 'no-open': { type: 'boolean' } });
  noMore(positionals);
  const peer = await hostControl('start').finally(working('Starting the host'));
  if (!peer) throw new Error('the host cannot be reached.');
  const linkFor = async (role: Role) => linkIn(await peer.request('devices/link', { role }));
  const [status, link, shared] = await Promise.all([peer.request('status'), linkFor('control'), linkFor('approve')]);
  peer.close();
  const listening = listeningIn(dataPaths(process.env).info);
  const others = isLoopback(listening.host) ? certificateWords(listening.fingerprint) : await invitation({ link: shared, fingerprint: listening.fingerprint });
  process.stdout.write(`Parley is running. Open the console with this link, which works once:\n\n  ${link}\n\n${others}${found(status)}\nStop the host with parley stop.\n`);
  if (!values['no-open'] && process.stdout.isTTY) openBrowser(link);
  return 0;
}

function linkIn(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null || !('link' in answer)) throw new Error('the host does not say where it listens; stop it with parley stop and try again.');
  return String(answer.link);
}

function listeningIn(info: string): { readonly host: string; readonly fingerprint?: string } {
  const value: unknown = JSON.parse(readFileSync(info, 'utf8'));
  if (typeof value !== 'object' || value === null || !('host' in value)) throw new Error('the host does not say where it listens.');
  return { host: String(value.host), ...('fingerprint' in value ? { fingerprint: String(value.fingerprint) } : {}) };
}

function found(status: unknown): string {
  if (typeof status !== 'object' || status === null || !('agents' in status) || !Array.isArray(status.agents)) return '';
  const agents: readonly { name?: unknown; models?: unknown }[] = status.agents;
  return agents.map(({ name, models }) => {
    const known = Array.isArray(models) && models.length > 0 ? models.map(String).join(', ') : 'its own models';
    return `  ${String(name)}: ${known}`;
  }).join('\n').concat('\n');
}
