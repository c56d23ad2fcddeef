// The registry of agents that can be installed: the public one, or a file or address that the user names.
import { resolve } from 'node:path';
import { distributionsOf, settingOf } from '../../agents/acp/registry.ts';
import { agentIdOf } from '../../agents/acp/registryIds.ts';
import { didYouMean } from '../../base/nearest.ts';
import { present } from '../../base/present.ts';
import type { AgentSettings } from '../../host/settings/settings.ts';
import { listInstalled } from '../../io/agents/install/installedAgents.ts';
import { cachedRegistry, fetchRegistry, readRegistryFile } from '../../io/agents/install/registryCache.ts';
import type { RegistryText } from '../../io/agents/install/registryCache.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { networkFetch } from '../../io/http/httpClient.ts';
import { readRegistry } from '../../protocols/acp/registrySchema.ts';
import type { RegistryEntry } from '../../protocols/acp/registrySchema.ts';

export const publicRegistry = 'https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json';

export interface RegistryOptions {
  readonly env: NodeJS.ProcessEnv;
  /** A file or an address; the public registry by default. */
  readonly from?: string | undefined;
  /** Whether an address may be asked now. Otherwise the registry is as it was the last time. */
  readonly mayFetch: boolean;
  readonly signal: AbortSignal;
}

export interface AgentRegistry {
  readonly entries: readonly RegistryEntry[];
  /** The file or address, if it is not the public registry. */
  readonly from?: string;
  /** When it was fetched; undefined for a file and for the list that comes with Parley. */
  readonly at?: number;
  /** Set for the list that comes with Parley, used until a registry was fetched. */
  readonly isSnapshot?: true;
  /** Why it is not the newest. */
  readonly problem?: string;
}

export async function openRegistry(options: RegistryOptions): Promise<AgentRegistry> {
  const { from } = options;
  const found = await textOf(options);
  if (found && 'text' in found) {
    const { text, ...rest } = found;
    return { ...rest, ...present({ from }), entries: entriesIn(text, from ?? publicRegistry) };
  }
  if (from !== undefined) throw new Error(found?.problem ?? `${from} was not fetched yet.`);
  const { registrySnapshot } = await import('../../agents/acp/registrySnapshot.ts');
  return { ...found, entries: readRegistry(registrySnapshot) ?? [], isSnapshot: true };
}

async function textOf({
  env,
  from = publicRegistry,
  mayFetch,
  signal,
}: RegistryOptions): Promise<RegistryText | { readonly problem: string } | undefined> {
  if (!isAddress(from)) return readRegistryFile(from);
  const cache = dataPaths(env).registry;
  if (!mayFetch) return cachedRegistry(from, cache);
  return fetchRegistry(from, { fetch: networkFetch(env), cache, signal, now: Date.now() });
}

function isAddress(from: string): boolean {
  return /^https?:\/\//.test(from);
}

/** An address as it is; a file by its full path, because updates look there again from any folder. */
export function registryPlace(from: string | undefined): string | undefined {
  return from === undefined || isAddress(from) ? from : resolve(from);
}

function entriesIn(text: string, from: string): readonly RegistryEntry[] {
  const entries = readRegistry(parsed(text));
  if (!entries) throw new Error(`${from} is not an agent registry.`);
  return entries;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The entry with an id: that of the registry, or ours. */
export function findEntry({ entries, from }: AgentRegistry, id: string): RegistryEntry {
  const entry = entries.find((each) => each.id === id) ?? entries.find((each) => agentIdOf(each.id) === id);
  if (entry) return entry;
  const ids = entries.map((each) => agentIdOf(each.id));
  throw new Error(
    `${from ?? 'The registry'} has no agent "${id}".${didYouMean(id, ids)} It has: ${ids.join(', ')}.`,
  );
}

export interface RegistryRow {
  readonly id: string;
  readonly registryId: string;
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** The ways to install it here; empty if it is not for this machine. */
  readonly kinds: readonly string[];
  readonly license?: string;
  /** The version that is installed here. */
  readonly installed?: string;
}

/** The entries that contain all words, for users. */
export function registryRows(
  { entries }: AgentRegistry,
  { env, words = [] }: { readonly env: NodeJS.ProcessEnv; readonly words?: readonly string[] },
): readonly RegistryRow[] {
  const installed = new Map(
    listInstalled(dataPaths(env).installedAgents).map(({ registryId, version }) => [registryId, version]),
  );
  return entries
    .map((entry): RegistryRow => {
      const { id: registryId, name, description, version, license } = entry;
      return {
        id: agentIdOf(registryId),
        registryId,
        name,
        description,
        version,
        kinds: distributionsOf(entry, registryPlatform()).map(({ kind }) => kind),
        ...present({ license, installed: installed.get(registryId) }),
      };
    })
    .filter(({ id, registryId, name, description }) => {
      const text = [id, registryId, name, description].join('\n').toLowerCase();
      return words.every((word) => text.includes(word.toLowerCase()));
    });
}

/** An agent of a registry file as settings that run its package on each start. */
export async function agentFromRegistry(options: RegistryOptions, id: string): Promise<AgentSettings> {
  const setting = settingOf(findEntry(await openRegistry(options), id), registryPlatform());
  if ('problem' in setting) throw new Error(setting.problem);
  const { id: _, ...rest } = setting;
  return rest;
}

const systems: { readonly [platform: string]: string | undefined } = { win32: 'windows' };
const processors: { readonly [arch: string]: string | undefined } = { arm64: 'aarch64', x64: 'x86_64' };

/** This machine in the registry's words. */
export function registryPlatform(): string {
  const { platform, arch } = process;
  return `${systems[platform] ?? platform}-${processors[arch] ?? arch}`;
}
