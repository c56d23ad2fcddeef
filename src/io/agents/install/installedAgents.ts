// The agents that were installed into the data directory. Each has a folder with one subfolder per
// installation and a file that names the one in use.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { privateDirectory, privateFile, writePrivately } from '../../files/privateFiles.ts';
import { readUserFile } from '../../files/folderFile.ts';
import { isAlive } from '../../processes/processWatch.ts';

const installedAgent = z.object({
  id: z.string(),
  /** Its id in the registry. */
  registryId: z.string(),
  /** The file or address of the registry it came from; absent for the public one. */
  registry: z.string().exactOptional(),
  name: z.string(),
  description: z.string(),
  /** The version of the registry's entry; it stays until the user updates it. */
  version: z.string(),
  kind: z.enum(['npx', 'uvx', 'binary']),
  /** The package or the address of the archive. */
  source: z.string(),
  /** The SHA-256 of the archive, or what npm has verified. */
  checksum: z.string().exactOptional(),
  /** The folder of this installation. */
  folder: z.string(),
  command: z.string(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()).exactOptional(),
});

export type InstalledAgent = z.output<typeof installedAgent>;

const fileName = 'installed.json';

/** An unreadable file counts as not installed. */
export function listInstalled(directory: string): readonly InstalledAgent[] {
  return namesIn(directory).flatMap((id) => {
    const agent = readInstalled(directory, id);
    return agent ? [agent] : [];
  });
}

function readInstalled(directory: string, id: string): InstalledAgent | undefined {
  try {
    const read = installedAgent.safeParse(JSON.parse(readUserFile(join(directory, id, fileName))));
    return read.success && read.data.id === id ? read.data : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A new, empty folder for an installation, with a file beside it that says which process installs. Programs
 * of the one before it may still run. What a process that is gone has begun is removed, of all agents.
 */
export function newFolder(directory: string, id: string, version: string): string {
  privateDirectory(directory);
  for (const each of namesIn(directory)) removeBrokenOff(join(directory, each));
  const safe = version.replaceAll(/[^\w.+-]/g, '_') || 'unknown';
  const folder = join(directory, id, `${safe}-${randomBytes(4).toString('hex')}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  privateFile(`${folder}${installing}${process.pid}`);
  return folder;
}

const installing = '.installing-';

/** The installation has ended, well or not. */
export function endInstallation(folder: string): void {
  removeFolder(`${folder}${installing}${process.pid}`);
  removeEmpty(dirname(folder));
}

function removeBrokenOff(parent: string): void {
  for (const mark of entriesOf(parent).map(({ name }) => join(parent, name))) {
    const [folder = '', pid] = mark.split(installing);
    if (pid === undefined || isAlive(Number(pid))) continue;
    for (const path of [folder, archiveOf(folder), mark]) removeFolder(path);
    removeEmpty(parent);
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The agent has an installation, or somebody has removed it.
  }
}

/** Where the archive of an installation is until it is unpacked. */
export function archiveOf(folder: string): string {
  return `${folder}.download`;
}

/**
 * Puts an installation into use. The one before it stays until the next: its programs may still run. What
 * else is there was left by a download or an installation that was broken off, unless that still runs.
 */
export function storeInstalled(directory: string, agent: InstalledAgent): void {
  const before = readInstalled(directory, agent.id)?.folder;
  writePrivately(join(directory, agent.id, fileName), `${JSON.stringify(agent, undefined, 2)}\n`);
  const parent = dirname(agent.folder);
  const kept = [agent.folder, before, join(parent, fileName)];
  const paths = readdirSync(parent).map((name) => join(parent, name));
  const running = paths.flatMap((path) => {
    const [folder = '', pid] = path.split(installing);
    return pid !== undefined && isAlive(Number(pid)) ? [folder] : [];
  });
  for (const path of paths)
    if (!kept.includes(path) && !running.some((folder) => path.startsWith(folder))) removeFolder(path);
}

/** False if there is none. */
export function removeInstalled(directory: string, id: string): boolean {
  if (!readInstalled(directory, id)) return false;
  removeFolder(join(directory, id));
  return true;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** The folders in a folder. */
function namesIn(folder: string): readonly string[] {
  return entriesOf(folder).flatMap((each) => (each.isDirectory() ? [each.name] : []));
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
