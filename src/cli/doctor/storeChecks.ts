// The checks of `parley doctor` of the store: damage, losses, and the hosts that share it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionRow } from '../../app/control/sessions.ts';
import { errorText } from '../../base/errorText.ts';
import { readUserFile } from '../../io/files/folderFile.ts';
import type { LinkStatus } from '../../io/links/hostLinks.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import type { LeaseHolder } from '../../io/store/durableStore.ts';
import { acquire } from '../../io/store/lock.ts';
import { loadDatabase, query } from '../../io/store/sqlite/database.ts';
import { checkSchema } from '../../io/store/sqlite/schema.ts';
import { StoreError } from '../../io/store/sqlite/storeError.ts';
import type { CheckResult } from './checks.ts';
import { answeringHost, unchecked } from './hostChecks.ts';

const { env } = process;

export async function checkStore(): Promise<readonly CheckResult[]> {
  return [...(await storedSessions()), ...losses()];
}

const damageFix = 'Run parley sessions verify for details; undamaged parts can still be read and exported.';

/** A running host knows its damaged sessions. Without a host this runs SQLite's quick check of the file. */
async function storedSessions(): Promise<readonly CheckResult[]> {
  const peer = await answeringHost();
  if (peer === 'silent') return unchecked;
  if (peer) {
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer comes from our own host
      const all = (await peer.request('sessions/list', {})) as readonly SessionRow[];
      const damaged = all.filter(({ damage }) => damage !== undefined);
      const newer = all.filter((session) => session.newer);
      if (newer.length > 0)
        return [
          {
            state: 'note',
            words: `A newer version of Parley has written ${newer.length} of ${all.length} sessions.`,
            fix: 'Update Parley to use them.',
          },
        ];
      return damaged.length > 0
        ? [
            {
              state: 'broken',
              words: `${damaged.length} of ${all.length} sessions are damaged.`,
              fix: damageFix,
            },
          ]
        : [
            { state: 'ok', words: all.length === 1 ? '1 session' : `${all.length} sessions` },
            ...(await sharingHosts(peer)),
          ];
    } finally {
      peer.close();
    }
  }
  return storedFile();
}

async function storedFile(): Promise<readonly CheckResult[]> {
  const { directory } = dataPaths(env);
  const path = join(directory, 'log.db');
  if (!existsSync(path)) return [{ state: 'ok', words: 'no sessions yet' }];
  const lock = await acquire(directory);
  if ('heldBy' in lock)
    return [{ state: 'note', words: 'A host is starting or stopping. Try again in a moment.' }];
  try {
    const open = await loadDatabase();
    const database = open(path);
    try {
      checkSchema(database);
      const lines = query(database, 'PRAGMA quick_check(3)')().map(([line]) => String(line));
      return lines.every((line) => line === 'ok')
        ? [{ state: 'ok', words: 'store ok' }]
        : [{ state: 'broken', words: `The store is damaged: ${lines.join('; ')}`, fix: damageFix }];
    } finally {
      database.close();
    }
  } catch (error) {
    return [
      {
        state: 'broken',
        words: `Cannot open the store: ${errorText(error, String(error))}`,
        fix:
          error instanceof StoreError && error.code === 'newer'
            ? 'Update Parley.'
            : 'Start the host: it recovers what it can and sets the damaged file aside.',
      },
    ];
  } finally {
    lock.release();
  }
}

/** Who uses the database of this host, and how many sessions each one has. */
async function sharingHosts(peer: {
  request(method: string, params: object): Promise<unknown>;
}): Promise<readonly CheckResult[]> {
  // A host of an older version does not know the request.
  const answer = await peer.request('store/hosts', {}).catch(() => []);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer comes from our own host
  const hosts = answer as readonly LeaseHolder[];
  const found: readonly CheckResult[] = hosts.map(({ name, isMe, sessions, left }) => {
    const owned = `${name}${isMe ? ' (this host)' : ''} has ${sessions} open sessions`;
    return left > 0
      ? { state: 'ok', words: owned }
      : { state: 'note', words: `${owned} and does not answer. Other hosts take them over soon.` };
  });
  return [...found, ...(await hostLinks(peer))];
}

/** The links of this host to those whose sessions its clients use. */
async function hostLinks(peer: {
  request(method: string, params: object): Promise<unknown>;
}): Promise<readonly CheckResult[]> {
  const answer = await peer.request('store/links', {}).catch(() => []);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer comes from our own host
  const links = answer as readonly LinkStatus[];
  return links.map(({ host: other, url, isUp, sessions, problem }) =>
    isUp
      ? { state: 'ok', words: `The link to ${other} is open (sessions that are followed: ${sessions})` }
      : {
          state: 'note',
          words: `The link to ${other} at ${url} is down: ${problem ?? 'it is being opened.'}`,
          fix: 'Until then its sessions are shown late. Hosts must reach the addresses they listen on.',
        },
  );
}

/** What the host wrote down when the log was missing or older than before. */
function losses(): readonly CheckResult[] {
  const path = join(dataPaths(env).directory, 'log.db.loss');
  if (!existsSync(path)) return [];
  const lines = readUserFile(path).trim().split('\n');
  return [{ state: 'broken', words: lines.at(-1) ?? '', fix: `Remove ${path} once you have read it.` }];
}
