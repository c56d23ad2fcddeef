// Devices, sign-in codes and owners' tokens that all hosts of a database know. Reads are answered from
// memory, which follows the database with every beat of the lease.
import { isStoredDevice } from '../../auth/signInStorage.ts';
import type { OpenCode, SharedSignIns, SignInStorage, StoredDevice } from '../../auth/signInStorage.ts';
import { databaseError } from './databaseError.ts';
import type { Connection, DatabaseRow } from './connection.ts';

export interface SharedSignInOptions {
  readonly connection: Connection;
  /** The name of this host. */
  readonly name: string;
  /** The address without the password, for messages. */
  readonly shown: string;
  readonly report: (problem: unknown, about: string) => void;
}

/** A host that was not seen for so long has no owner any more. */
const longestAbsence = '30 days';
/** How often a host says that it is still there, in milliseconds. */
const announcePause = 3_600_000;

export class DatabaseSignIns implements SignInStorage, SharedSignIns {
  readonly #options: SharedSignInOptions;
  readonly shared: SharedSignIns = this;
  /** The stored text of each device, to notice changes. */
  #devices = new Map<string, { readonly text: string; readonly device: StoredDevice }>();
  /** The digests of the tokens of other hosts' owners. */
  #owners = new Set<string>();
  #mine: { readonly digest: string; readonly at: number } | undefined;
  #refreshing: Promise<void> | undefined;
  readonly #followers: ((id: string) => void)[] = [];
  readonly #ownerFollowers = new Set<(digest: string) => void>();

  constructor(options: SharedSignInOptions) {
    this.#options = options;
  }

  devices(): readonly StoredDevice[] {
    return Array.from(this.#devices.values(), ({ device }) => device);
  }

  async put(device: StoredDevice): Promise<void> {
    const text = JSON.stringify(device);
    await this.#query(
      'INSERT INTO parley.devices VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET device = excluded.device',
      [device.id, text],
    );
    this.#devices.set(device.id, { text, device });
  }

  async remove(id: string): Promise<void> {
    await this.#query('DELETE FROM parley.devices WHERE id = $1', [id]);
    this.#devices.delete(id);
  }

  /** Statements are carried out in their order, so this host never asks for the code before it is stored. */
  addCode(digest: string, { until, rights }: OpenCode): void {
    this.#query(
      "INSERT INTO parley.sign_in_codes VALUES ($1, clock_timestamp() + $2 * interval '1 millisecond', $3)",
      [digest, until - Date.now(), JSON.stringify(rights)],
    ).catch((error: unknown) => this.#options.report(error, 'storing a sign-in code'));
  }

  async takeCode(digest: string): Promise<OpenCode | undefined> {
    const rows = await this.#query(
      'DELETE FROM parley.sign_in_codes WHERE digest = $1 OR until < clock_timestamp() ' +
        'RETURNING digest, rights, extract(epoch FROM until - clock_timestamp()) * 1000',
      [digest],
    );
    const found = rows.find(([each]) => each === digest);
    if (!found || Number(found[2]) <= 0) return undefined;
    return { until: Date.now() + Number(found[2]), rights: parseRights(String(found[1])) };
  }

  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  follow(changed: (id: string) => void): void {
    this.#followers.push(changed);
  }

  async announceOwner(digest: string): Promise<void> {
    await this.#query(
      `WITH old AS (DELETE FROM parley.owners WHERE seen < now() - interval '${longestAbsence}' AND host <> $1) ` +
        'INSERT INTO parley.owners VALUES ($1, $2, now()) ' +
        'ON CONFLICT (host) DO UPDATE SET digest = excluded.digest, seen = excluded.seen',
      [this.#options.name, digest],
    );
    this.#mine = { digest, at: performance.now() };
  }

  isOwner(digest: string): boolean {
    return this.#owners.has(digest);
  }

  followOwners(replaced: (digest: string) => void): () => void {
    this.#ownerFollowers.add(replaced);
    return () => void this.#ownerFollowers.delete(replaced);
  }

  async #refresh(): Promise<void> {
    if (this.#mine && performance.now() - this.#mine.at > announcePause)
      await this.announceOwner(this.#mine.digest);
    const rows = await this.#query(
      "SELECT 'device', id, device FROM parley.devices UNION ALL " +
        "SELECT 'owner', host, digest FROM parley.owners WHERE host <> $1",
      [this.#options.name],
    );
    this.#takeDevices(rows.filter(([kind]) => kind === 'device'));
    const owners = new Set(rows.filter(([kind]) => kind === 'owner').map((row) => String(row[2])));
    const gone = [...this.#owners].filter((digest) => !owners.has(digest));
    this.#owners = owners;
    for (const digest of gone) for (const follower of this.#ownerFollowers) follower(digest);
  }

  #takeDevices(rows: readonly DatabaseRow[]): void {
    const before = this.#devices;
    this.#devices = new Map();
    for (const [, id, text] of rows) {
      const known = before.get(String(id));
      const device = known?.text === text ? known?.device : parseDevice(String(text));
      if (device) this.#devices.set(String(id), { text: String(text), device });
    }
    const changed = [...before].filter(([id, { text }]) => this.#devices.get(id)?.text !== text);
    for (const [id] of changed) for (const follower of this.#followers) follower(id);
  }

  async #query(text: string, values: readonly unknown[]): Promise<readonly DatabaseRow[]> {
    try {
      return await this.#options.connection.query({ text, values });
    } catch (error) {
      throw databaseError(error, 'Asking who may sign in', this.#options.shown);
    }
  }
}

const parseRights: (text: string) => OpenCode['rights'] = JSON.parse;

/** A row that cannot be read does not count as a device. */
function parseDevice(text: string): StoredDevice | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isStoredDevice(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
