// Installs an agent of a registry into the data directory: its package, or its archive.
import { access, constants, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { distributionsOf, isReservedId } from '../../agents/acp/registry.ts';
import type { Distribution } from '../../agents/acp/registry.ts';
import { agentIdOf } from '../../agents/acp/registryIds.ts';
import { contains } from '../../base/paths.ts';
import { present } from '../../base/present.ts';
import { download } from '../../io/agents/install/download.ts';
import {
  archiveOf,
  endInstallation,
  newFolder,
  removeFolder,
  storeInstalled,
} from '../../io/agents/install/installedAgents.ts';
import type { InstalledAgent } from '../../io/agents/install/installedAgents.ts';
import { checkNpm, checkUv, installNpm, installUv } from '../../io/agents/install/installPackage.ts';
import type { InstalledPackage } from '../../io/agents/install/installPackage.ts';
import { installEnvironment } from '../../io/agents/install/runTool.ts';
import { unpackArchive } from '../../io/agents/install/unpackArchive.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { networkFetch } from '../../io/http/httpClient.ts';
import type { RegistryEntry } from '../../protocols/acp/registrySchema.ts';
import { registryPlatform } from './agentRegistry.ts';

export interface InstallOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** The file or address of the registry, if it is not the public one. */
  readonly from?: string | undefined;
  /** The expected SHA-256 of the archive, if the user knows it. */
  readonly sha256?: string | undefined;
  readonly onProgress: (progress: InstallProgress) => void;
}

export interface InstallProgress {
  readonly text: string;
  /** Between 0 and 1, if it is known. */
  readonly part?: number;
}

const largestArchive = 1_000_000_000;
const unpacked = { bytes: 4_000_000_000, entries: 100_000 };

/** The agent is in use once everything of it is there; after a failure nothing has changed. */
export async function installAgent(entry: RegistryEntry, options: InstallOptions): Promise<InstalledAgent> {
  const id = agentIdOf(entry.id);
  if (isReservedId(id)) throw new Error(`"${id}" is the built-in agent; no other one can have its ID.`);
  const directory = dataPaths(options.env).installedAgents;
  const way = await chooseWay(entry, options);
  const folder = newFolder(directory, id, entry.version);
  try {
    const { command, version, checksum } = await install(way, folder, options);
    if (!(await isProgram(command))) throw new Error(`${entry.name} has no program ${command}.`);
    const agent: InstalledAgent = {
      id,
      registryId: entry.id,
      name: entry.name,
      description: entry.description,
      version: entry.version === '' ? (version ?? 'unknown') : entry.version,
      kind: way.kind,
      source: way.source,
      folder,
      command,
      args: [...way.args],
      ...present({ registry: options.from, checksum, env: way.env && { ...way.env } }),
    };
    storeInstalled(directory, agent);
    return agent;
  } catch (error) {
    removeFolder(folder);
    throw error;
  } finally {
    endInstallation(folder);
  }
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** The first way whose tools are there; otherwise what each way lacks. */
async function chooseWay(entry: RegistryEntry, options: InstallOptions): Promise<Distribution> {
  const all = distributionsOf(entry, registryPlatform());
  if (all.length === 0) throw new Error(`${entry.name} is not available for ${registryPlatform()}.`);
  // Only of a download is the checksum compared here.
  const ways = options.sha256 === undefined ? all : all.filter(({ kind }) => kind === 'binary');
  if (ways.length === 0)
    throw new Error(`${entry.name} is a package, which has no SHA-256; npm or uv checks it.`);
  const problems: string[] = [];
  for (const way of ways) {
    options.onProgress({ text: `Checking what ${entry.name} needs` });
    const problem = await missingTools(way, options);
    if (problem === undefined) return way;
    problems.push(problem);
  }
  throw new Error(`${entry.name} cannot be installed. ${problems.join(' ')}`);
}

async function missingTools(way: Distribution, options: InstallOptions): Promise<string | undefined> {
  const tools = toolsFor(options);
  if (way.kind === 'npx') return checkNpm(way.source, tools);
  return way.kind === 'uvx' ? checkUv(tools) : undefined;
}

function toolsFor({ env, signal }: InstallOptions) {
  return { env: installEnvironment(env), signal };
}

async function install(
  way: Distribution,
  folder: string,
  options: InstallOptions,
): Promise<InstalledPackage> {
  if (way.kind === 'binary') return installBinary(way, folder, options);
  options.onProgress({ text: `Installing ${way.source}` });
  const packaged = way.kind === 'npx' ? installNpm : installUv;
  return packaged(way.source, folder, toolsFor(options));
}

async function installBinary(
  { source, cmd = '', sha256: listed }: Distribution,
  folder: string,
  { env, signal, sha256 = listed, onProgress }: InstallOptions,
): Promise<InstalledPackage> {
  const archive = archiveOf(folder);
  try {
    const checksum = await download(source, archive, {
      fetch: networkFetch(env),
      limit: largestArchive,
      signal,
      onProgress: (done, total) =>
        onProgress({
          text: `Downloading ${basename(source)}: ${amount(done, total)} MB`,
          ...(total === undefined ? {} : { part: done / total }),
        }),
    });
    if (sha256 !== undefined && sha256.toLowerCase() !== checksum)
      throw new Error(`${source} has the checksum ${checksum}, not ${sha256}. It was not installed.`);
    onProgress({ text: `Unpacking ${basename(source)}` });
    const command = join(folder, cmd);
    if (!contains(folder, command))
      throw new Error(`The registry names a program outside the archive: ${cmd}.`);
    await unpackArchive(archive, { into: folder, limits: unpacked, program: cmd, env });
    return { command, checksum };
  } finally {
    removeFolder(archive);
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}

function amount(done: number, total: number | undefined): string {
  return total === undefined ? megabytes(done) : `${megabytes(done)} of ${megabytes(total)}`;
}
