// `parley agents search`, `install` and `update`: agents of the public registry, or of another one.
import { didYouMean } from '../../base/nearest.ts';
import { present } from '../../base/present.ts';
import { jsonText } from '../../base/jsonText.ts';
import { installAgent } from '../../app/agents/installAgent.ts';
import type { InstallProgress } from '../../app/agents/installAgent.ts';
import { findEntry, openRegistry, registryPlace, registryRows } from '../../app/agents/agentRegistry.ts';
import type { AgentRegistry, RegistryRow } from '../../app/agents/agentRegistry.ts';
import { isOlder } from '../../io/agents/install/versionRange.ts';
import { listInstalled } from '../../io/agents/install/installedAgents.ts';
import type { InstalledAgent } from '../../io/agents/install/installedAgents.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import type { RegistryEntry } from '../../protocols/acp/registrySchema.ts';
import { refreshHost } from '../client/controlClient.ts';
import { print, printError, wipeLine } from '../output.ts';
import { columns, noMore, readArgs, short, UsageError } from '../say.ts';

const common = { json: { type: 'boolean' }, registry: { type: 'string' } } as const;

const { env } = process;

export async function searchAgents(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(args, common);
  const registry = await open(values.registry);
  const rows = registryRows(registry, { env, words: positionals });
  print(values.json ? `${jsonText(rows, 2)}\n` : searchText(rows));
  return 0;
}

export async function installAgents(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(args, { ...common, sha256: { type: 'string' } });
  const [id, ...more] = positionals;
  if (id === undefined) throw new UsageError('Missing agent ID. Try: parley agents search');
  noMore(more);
  const sha256 = values.sha256?.toLowerCase();
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/.test(sha256))
    throw new UsageError('A SHA-256 has 64 hexadecimal digits.');
  const from = registryPlace(values.registry);
  const entry = findEntry(await open(from), id);
  const known = installed().find(({ registryId }) => registryId === entry.id);
  if (known?.version === entry.version && (sha256 === undefined || known.checksum === sha256)) {
    print(values.json ? `${jsonText(known, 2)}\n` : `${known.id} ${known.version} is already installed.\n`);
    return 0;
  }
  const agent = await install(entry, { from, sha256 });
  print(values.json ? `${jsonText(agent, 2)}\n` : installedText(agent));
  return 0;
}

export async function updateAgents(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(args, common);
  const [id, ...more] = positionals;
  noMore(more);
  const all = installed();
  const wanted = all.filter((agent) => id === undefined || agent.id === id);
  if (id !== undefined && wanted.length === 0)
    throw new Error(
      `"${id}" is not installed.${didYouMean(
        id,
        all.map((agent) => agent.id),
      )} Try: parley agents`,
    );
  const results = [];
  const from = registryPlace(values.registry);
  for (const agent of wanted) results.push(await update(agent, from ?? agent.registry));
  if (values.json) print(`${jsonText(results, 2)}\n`);
  else if (results.length === 0) print('No agents are installed. Try: parley agents search\n');
  else print(results.map((result) => `${updateText(result)}\n`).join(''));
  return results.some(({ problem }) => problem !== undefined) ? 1 : 0;
}

interface UpdateResult {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** What the registry has, if that is older, and which registry, if it is not the public one. */
  readonly older?: { readonly version: string; readonly registry?: string };
  readonly problem?: string;
}

async function update(agent: InstalledAgent, from: string | undefined): Promise<UpdateResult> {
  const { id, registryId, version } = agent;
  try {
    const registry = await open(from);
    // The list that comes with Parley may be older than what is installed.
    if (registry.isSnapshot) throw new Error('The registry cannot be read now.');
    const entry = findEntry(registry, registryId);
    if (entry.version === version) return { id, from: version, to: version };
    if (isOlder(entry.version, version))
      return {
        id,
        from: version,
        to: version,
        older: { version: entry.version, ...present({ registry: from }) },
      };
    const { version: to } = await install(entry, { from });
    return { id, from: version, to };
  } catch (error) {
    return {
      id,
      from: version,
      to: version,
      problem: error instanceof Error ? error.message : String(error),
    };
  }
}

function updateText({ id, from, to, older, problem }: UpdateResult): string {
  if (problem !== undefined) return `${id} ${from} was not updated: ${problem}`;
  if (older) {
    const place = older.registry === undefined ? '' : ` --registry ${older.registry}`;
    return `${id} ${from} is newer than ${older.version} of the registry. To go back: parley agents install ${id}${place}`;
  }
  return from === to ? `${id} ${from} is the newest version.` : `${id} was updated from ${from} to ${to}.`;
}

/** Asking for the registry is why the command was typed, so it may be fetched. */
async function open(from: string | undefined): Promise<AgentRegistry> {
  const registry = await openRegistry({ env, from, mayFetch: true, signal: new AbortController().signal });
  const { problem, isSnapshot } = registry;
  if (problem !== undefined)
    printError(
      `parley: ${problem}\nThe list is ${isSnapshot ? 'the one that comes with Parley' : 'an earlier one'}.\n`,
    );
  return registry;
}

async function install(
  entry: RegistryEntry,
  options: { readonly from?: string | undefined; readonly sha256?: string | undefined },
): Promise<InstalledAgent> {
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  process.once('SIGINT', onInterrupt);
  try {
    const agent = await installAgent(entry, { env, signal: stop.signal, onProgress: showStep, ...options });
    await refreshHost();
    return agent;
  } finally {
    process.removeListener('SIGINT', onInterrupt);
    if (process.stderr.isTTY) printError(wipeLine);
  }
}

function showStep({ text }: InstallProgress): void {
  if (process.stderr.isTTY) printError(`${wipeLine}${short(text, 70)} …`);
}

function installed(): readonly InstalledAgent[] {
  return listInstalled(dataPaths(env).installedAgents);
}

function searchText(rows: readonly RegistryRow[]): string {
  if (rows.length === 0) return 'No agent matches. Try: parley agents search\n';
  const cells = rows.map(({ id, version, name, description, kinds, installed: own }) => [
    short(id, 30),
    short(version, 15),
    stateOf(kinds, version, own),
    short(description === '' ? name : `${name}: ${description}`, 70),
  ]);
  return [...columns(cells), '', 'Install one with parley agents install ID.', ''].join('\n');
}

function stateOf(kinds: readonly string[], version: string, own: string | undefined): string {
  if (own !== undefined) return own === version ? 'installed' : `installed ${own}`;
  return kinds.length === 0 ? 'not for this machine' : '';
}

function installedText({ id, name, version, checksum, command }: InstalledAgent): string {
  return [
    `Installed ${name} ${version} as ${id}.`,
    `  program   ${command}`,
    ...(checksum === undefined ? [] : [`  checksum  ${checksum}`]),
    `Test it with parley agents test ${id}.`,
    '',
  ].join('\n');
}
