// Where devices and sign-in codes are kept: in a file of this host, or in a database that hosts share.
import { existsSync, renameSync } from 'node:fs';
import { isRecord } from '../../base/isRecord.ts';
import { isRole } from '../../host/policy/roles.ts';
import type { Role } from '../../host/policy/roles.ts';
import { isAutonomy } from '../../host/settings/autonomy.ts';
import type { Autonomy } from '../../model/event.ts';
import { writePrivately } from '../files/privateFiles.ts';
import type { PageKey } from './pageKey.ts';
import { readFileIfAny } from '../files/folderFile.ts';

export interface StoredDevice {
  readonly id: string;
  readonly name: string;
  readonly since: number;
  readonly role: Role;
  readonly most?: Autonomy;
  readonly credential:
    | { readonly kind: 'token'; readonly digest: string }
    | ({ readonly kind: 'page' } & PageKey);
}

/** A code that nobody has used yet. */
export interface OpenCode {
  /** In milliseconds since 1970. */
  readonly until: number;
  readonly rights: Pick<StoredDevice, 'role' | 'most'>;
}

/** Digests and public keys only, so that nobody can sign in with what is stored. */
export interface SignInStorage {
  devices(): readonly StoredDevice[];
  /** Resolves when it is stored. A device of the same id is replaced. */
  put(device: StoredDevice): Promise<void>;
  remove(id: string): Promise<void>;
  addCode(digest: string, code: OpenCode): void;
  /** A code can be taken once, on one host. */
  takeCode(digest: string): Promise<OpenCode | undefined>;
  /** What hosts share; absent if only one uses the storage. */
  readonly shared?: SharedSignIns;
}

export interface SharedSignIns {
  /** Asks what other hosts have changed. Resolves when it is known. */
  refresh(): Promise<void>;
  /** Calls back with the id of a device that another host has changed or revoked. */
  follow(changed: (id: string) => void): void;
  /** Tells the other hosts which token the owner of this one has, by its digest. */
  announceOwner(digest: string): Promise<void>;
  /** Whether the owner of another host has the token with this digest. */
  isOwner(digest: string): boolean;
  /** Calls back with the digest of a token that another host has replaced, until the result is called. */
  followOwners(replaced: (digest: string) => void): () => void;
}

/** The most open codes; the oldest is dropped. */
const maxCodes = 32;

export function signInFile(path: string): SignInStorage {
  let devices = load(path);
  const codes = new Map<string, OpenCode>();
  const save = (next: readonly StoredDevice[]) => {
    writePrivately(path, `${JSON.stringify(next)}\n`);
    devices = next;
  };
  return {
    devices: () => devices,
    async put(device) {
      const isKnown = devices.some(({ id }) => id === device.id);
      save(isKnown ? devices.map((each) => (each.id === device.id ? device : each)) : [...devices, device]);
    },
    async remove(id) {
      save(devices.filter((device) => device.id !== id));
    },
    addCode(digest, code) {
      codes.set(digest, code);
      const [oldest] = codes.keys();
      if (codes.size > maxCodes && oldest !== undefined) codes.delete(oldest);
    },
    async takeCode(digest) {
      const code = codes.get(digest);
      codes.delete(digest);
      return code;
    },
  };
}

/** Brings the devices of a host that had a file to the storage that it shares with others, once. */
export async function moveDevices(path: string, storage: SignInStorage): Promise<void> {
  if (!existsSync(path)) return;
  for (const device of load(path)) await storage.put(device);
  // A device that is revoked later must not come back with the file.
  renameSync(path, `${path}.moved`);
}

/** Devices of versions that signed browsers in by cookie have no credential; they must sign in again. */
function load(path: string): readonly StoredDevice[] {
  const text = readFileIfAny(path);
  if (text === undefined) return [];
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value.filter(isStoredDevice);
  } catch {
    // It is set aside.
  }
  // Everybody has to sign in again, but the file is not overwritten.
  renameSync(path, `${path}.damaged-${new Date().toISOString().replaceAll(/[-:.]/g, '')}`);
  return [];
}

export function isStoredDevice(value: unknown): value is StoredDevice {
  if (!isRecord(value) || !isRecord(value['credential'])) return false;
  const { id, name, since, role, most, credential } = value;
  const { kind, digest: stored, key, origin, port } = credential;
  const isToken = kind === 'token' && typeof stored === 'string';
  const isPage =
    kind === 'page' &&
    [key, origin].every((member) => typeof member === 'string') &&
    typeof port === 'number';
  return (
    [id, name].every((member) => typeof member === 'string') &&
    typeof since === 'number' &&
    isRole(role) &&
    (most === undefined || isAutonomy(most)) &&
    (isToken || isPage)
  );
}
