// Fetches plugin collections with git in the background, at most once an hour. If a fetch fails, the
// last copy stays in use.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ownPath } from '../processes/environment.ts';
import type { PluginSource } from './plugins.ts';

/** How old a copy may be, and how long git may take, in milliseconds. */
const fresh = 3_600_000;
const patience = 120_000;

export function isStale({ folder, address }: PluginSource): boolean {
  return address !== undefined && (!existsSync(folder) || Date.now() - statSync(folder).mtimeMs > fresh);
}

/** Fetches a collection at most once at a time. */
export class PluginFetcher {
  readonly #running = new Map<string, Promise<string | undefined>>();

  /** The problem as a message; `undefined` on success. */
  fetch(source: PluginSource): Promise<string | undefined> {
    const { folder } = source;
    const now = this.#running.get(folder) ?? fetched(source).finally(() => this.#running.delete(folder));
    this.#running.set(folder, now);
    return now;
  }
}

async function fetched({ name, folder, address = '' }: PluginSource): Promise<string | undefined> {
  try {
    if (existsSync(join(folder, '.git'))) {
      await git(['-C', folder, 'fetch', '--quiet', '--depth', '1', 'origin', 'HEAD']);
      await git(['-C', folder, 'reset', '--quiet', '--hard', 'FETCH_HEAD']);
    } else await clone(address, folder);
    utimesSync(folder, new Date(), new Date());
    return undefined;
  } catch (error) {
    return (
      `The plugins of ${name} cannot be fetched from ${address}: ` +
      `${error instanceof Error ? error.message.trim().split('\n').at(-1) : 'unknown cause'}`
    );
  }
}

/** A copy appears whole or not at all. Its draft has a random name, so nobody can prepare something there. */
async function clone(address: string, folder: string): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  const draft = mkdtempSync(`${folder}.`);
  try {
    await git(['clone', '--quiet', '--depth', '1', '--', address, draft]);
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

/** No password prompts: no user is at this terminal. */
function git(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(
      'git',
      [...args],
      {
        timeout: patience,
        env: { ...process.env, PATH: ownPath(process.env['PATH']), GIT_TERMINAL_PROMPT: '0' },
      },
      (error) => (error ? reject(error) : resolve()),
    );
  });
}
