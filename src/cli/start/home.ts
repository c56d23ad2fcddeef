// `parley`: finds or starts the host, says where it is and what it found, and opens the console where there is a browser.
import { readFileSync } from 'node:fs';
import type { Role } from '../../host/policy/roles.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { isLoopback } from '../../io/http/hostNames.ts';
import type { Peer } from '../../rpc/peer.ts';
import { hostControl } from '../client/controlClient.ts';
import { certificateWords, invitation } from './invite.ts';
import { openBrowser } from '../openBrowser.ts';
import { paintFor, print } from '../output.ts';
import { columns, noMore, readArgs, working } from '../say.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(args, { 'no-open': { type: 'boolean' } });
  noMore(positionals);
  const peer = await hostControl('start').finally(working('Starting the host'));
  if (!peer) throw new Error('the host cannot be reached.');
  const linkFor = async (role: Role) =>
    linkIn(await peer.request('devices/link', { role, folder: process.cwd() }));
  // From a clone the program has no name of its own.
  const own = process.env['npm_lifecycle_event'] === 'start' ? 'npm start --' : 'parley';
  const [findings, link, shared] = await Promise.all([
    found(peer, own),
    linkFor('control'),
    linkFor('approve'),
  ]);
  peer.close();
  const listening = listeningIn(dataPaths(process.env).info);
  const others = isLoopback(listening.host)
    ? certificateWords(listening.fingerprint)
    : await invitation({ link: shared, fingerprint: listening.fingerprint });
  const { bold } = paintFor(process.stdout);
  print(
    `Parley is running. Open the console with this link, which works once:\n\n  ${bold(link)}\n\n${others}${findings}\nStop the host with ${own} stop; ${own} --help lists everything else.\n`,
  );
  if (!values['no-open'] && process.stdout.isTTY) openBrowser(link);
  return 0;
}

function linkIn(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null || !('link' in answer))
    throw new Error('the host does not say where it listens; stop it with parley stop and try again.');
  return String(answer.link);
}

function listeningIn(info: string): { readonly host: string; readonly fingerprint?: string } {
  const value: unknown = JSON.parse(readFileSync(info, 'utf8'));
  if (typeof value !== 'object' || value === null || !('host' in value))
    throw new Error('the host does not say where it listens.');
  return {
    host: String(value.host),
    ...('fingerprint' in value ? { fingerprint: String(value.fingerprint) } : {}),
  };
}

/** What there is to work with, and how to get more. */
async function found(peer: Peer, program: string): Promise<string> {
  await peer.request('providers/look', {});
  const [status, rows] = await Promise.all([peer.request('status'), peer.request('providers/list', {})]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own host says what our own program reads
  const providers = rows as readonly {
    readonly id: string;
    readonly label?: string;
    readonly auth: { readonly status: string; readonly envVar?: string };
    readonly models: readonly { readonly id: string }[];
  }[];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same
  const { agents } = status as {
    readonly agents: readonly {
      readonly id: string;
      readonly name: string;
      readonly models: readonly string[];
    }[];
  };
  const keys = providers.flatMap(({ id, label = id, auth }) =>
    auth.status === 'authenticated' || auth.status === 'expiring'
      ? [`${label} (${auth.envVar ?? 'signed in'})`]
      : [],
  );
  const local = providers
    .filter(({ id, auth, models }) => id !== 'demo' && auth.status === 'local' && models.length > 0)
    .map(({ id, label = id, models }) => `${label} (${few(models.map((model) => model.id))})`);
  const [own, ...others] = agents;
  return columns([
    ['  Models of Parley: ', few(own?.models ?? [])],
    [
      '  Agents on the PATH:',
      others.map(({ name }) => name).join(', ') ||
        `none besides our own; ${program} agents lists what can be installed`,
    ],
    [
      '  Model keys:',
      keys.join(', ') ||
        `none; ${program} login PROVIDER stores one, until then the built-in demo model answers`,
    ],
    ['  Local models:', local.join(', ') || 'no Ollama or other server runs here'],
  ])
    .join('\n')
    .concat('\n');
}

const shownModels = 6;

function few(models: readonly string[]): string {
  const more = models.length - shownModels;
  return `${models.slice(0, shownModels).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
