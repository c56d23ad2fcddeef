// `parley`: finds or starts the host, prints its link and the available agents and models,
// and opens the console.
import { readHostInfo } from '../../app/hostInfo.ts';
import { isRecord } from '../../base/isRecord.ts';
import { present } from '../../base/present.ts';
import type { Role } from '../../host/policy/roles.ts';
import { openBrowser } from '../../io/processes/openBrowser.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import type { Peer } from '../../rpc/peer.ts';
import { addressForDevices } from '../client/addressForDevices.ts';
import { otherVersion, startedHost } from '../client/controlClient.ts';
import { columns, noMore, readArgs, showProgress } from '../say.ts';
import { certificateNote, invitation } from './invite.ts';
import { paintFor, print } from '../output.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(args, { 'no-open': { type: 'boolean' } });
  noMore(positionals);
  const peer = await startedHost().finally(showProgress('Starting the host'));
  const linkFor = async (role: Role, at?: string) =>
    linkIn(await peer.request('devices/link', { role, folder: process.cwd(), ...present({ at }) }));
  // In a clone of the repository there is no `parley` on the PATH.
  const program = process.env['npm_lifecycle_event'] === 'start' ? 'npm start --' : 'parley';
  const reachable = await addressForDevices(peer);
  const [summary, link, shared] = await Promise.all([
    summaryOf(peer, program, reachable !== undefined),
    linkFor('control'),
    reachable && linkFor('approve', reachable.at),
  ]);
  peer.close();
  const info = readHostInfo(dataPaths(process.env).info);
  if (!info) throw new Error(otherVersion);
  const otherDevices =
    shared === undefined
      ? certificateNote(info.fingerprint)
      : await invitation({ link: shared, fingerprint: reachable?.fingerprint });
  const { bold } = paintFor(process.stdout);
  print(
    `Parley is running. Open this one-time link:\n\n  ${bold(link)}\n\n${otherDevices}${summary}\nStop ` +
      `the host with ${program} stop; ${program} --help lists all commands.\n`,
  );
  if (!values['no-open'] && process.stdout.isTTY) openBrowser(link);
  return 0;
}

function linkIn(answer: unknown): string {
  if (!isRecord(answer) || typeof answer['link'] !== 'string') throw new Error(otherVersion);
  return answer['link'];
}

interface ProviderRow {
  readonly id: string;
  readonly label?: string;
  readonly auth: { readonly status: string; readonly envVar?: string };
  readonly models: readonly { readonly id: string }[];
}

interface AgentRow {
  readonly name: string;
  readonly models: readonly string[];
}

/** Which models, agents and keys there are, and how to get more. */
async function summaryOf(peer: Peer, program: string, onNetwork: boolean): Promise<string> {
  await peer.request('providers/look', {});
  const [status, list] = await Promise.all([peer.request('status'), peer.request('providers/list', {})]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer comes from our own host
  const providers = list as readonly ProviderRow[];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer comes from our own host
  const { agents } = status as { readonly agents: readonly AgentRow[] };
  const keys = providers.flatMap(({ id, label = id, auth }) =>
    auth.status === 'authenticated' || auth.status === 'expiring'
      ? [`${label} (${auth.envVar ?? 'signed in'})`]
      : [],
  );
  const local = providers
    .filter(({ id, auth, models }) => id !== 'demo' && auth.status === 'local' && models.length > 0)
    .map(({ id, label = id, models }) => `${label} (${firstNames(models.map((model) => model.id))})`);
  const noKeys = local.length > 0 ? 'none' : 'none, using the demo model';
  const [builtIn, ...external] = agents;
  return columns([
    ['  Models:', modelSummary(builtIn?.models ?? [])],
    [
      '  Agents:',
      external.map(({ name }) => name).join(', ') ||
        `built-in only (run ${program} agents to add Claude Code, Codex, …)`,
    ],
    ['  API keys:', keys.join(', ') || `${noKeys}. Add one with ${program} login anthropic`],
    ['  Local models:', local.join(', ') || 'none found (Ollama, LM Studio, llama.cpp)'],
    [
      '  Reachable:',
      onNetwork ? 'from other devices' : 'from this machine. For a phone: the console, Settings, Devices',
    ],
  ])
    .join('\n')
    .concat('\n');
}

function modelSummary(models: readonly string[]): string {
  return models.length === 1 && models[0] === 'demo/demo' ? 'demo (built in)' : firstNames(models);
}

const shownModels = 6;

function firstNames(models: readonly string[]): string {
  const more = models.length - shownModels;
  return `${models.slice(0, shownModels).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
