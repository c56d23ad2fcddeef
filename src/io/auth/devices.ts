// Devices that may connect over the network. A one-time code signs a device in; a device can be revoked.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { isRecord } from '../../base/isRecord.ts';
import { present } from '../../base/present.ts';
import { isRole } from '../../host/policy/roles.ts';
import { isAutonomy } from '../../host/settings/autonomy.ts';
import type { Autonomy } from '../../model/event.ts';
import type { Role } from '../../host/policy/roles.ts';
import { writePrivately } from '../files/privateFiles.ts';
import { provesKey } from './pageKey.ts';
import type { PageKey, PageProof } from './pageKey.ts';

export interface Device {
  readonly id: string;
  readonly name: string;
  readonly since: number;
  readonly role: Role;
  /** The permission mode with most freedom that the device may choose; absent means any. */
  readonly most?: Autonomy;
}

/** What a device may do. */
export type DeviceRights = Pick<Device, 'role' | 'most'>;

export interface Devices {
  /** A single-use code that signs one device in with this role. */
  newCode(role: Role, most?: Autonomy): string;
  /** Signs a program in and returns its token; `undefined` if the code is wrong, used or expired. */
  redeem(code: string, name: string): string | undefined;
  /**
   * Signs a browser in by the key of its page and returns the id of its device. A known key keeps its
   * device.
   */
  redeemForPage(code: string, name: string, page: PageKey): string | undefined;
  /** The device of a program's token. */
  find(token: string): Device | undefined;
  /** The device with this id if the proof was made with its key, for its address. */
  findByProof(id: string, proof: PageProof): Device | undefined;
  list(): readonly Device[];
  /** False if there is no such device. */
  revoke(id: string): boolean;
  /** Without a limit the earlier one stays. False if there is no such device. */
  change(id: string, rights: DeviceRights): boolean;
  /** Calls back with the id of a device that was revoked or got another role. */
  follow(changed: (id: string) => void): void;
}

/** How long a code is valid, in milliseconds. */
const codeLife = 10 * 60_000;

/** The most open codes; the oldest is dropped. */
const maxCodes = 32;

interface Stored extends Device {
  readonly credential:
    | { readonly kind: 'token'; readonly digest: string }
    | ({ readonly kind: 'page' } & PageKey);
}

/** Stores digests and public keys only, so that the file cannot be used to sign in. */
export function openDevices(path: string, now: () => number = Date.now): Devices {
  let devices = load(path);
  const codes = signInCodes(now);
  const followers: ((id: string) => void)[] = [];
  const save = (next: readonly Stored[]) => {
    writePrivately(path, `${JSON.stringify(next)}\n`);
    devices = next;
  };
  /** Followers are called after the change is stored. */
  const replace = (id: string, put: (device: Stored) => readonly Stored[]): boolean => {
    if (!devices.some((device) => device.id === id)) return false;
    save(devices.flatMap((device) => (device.id === id ? put(device) : [device])));
    for (const follower of followers) follower(id);
    return true;
  };
  return {
    newCode: (role, most) => codes.create({ role, ...present({ most }) }),
    redeem(code, name) {
      const rights = codes.spend(code);
      if (rights === undefined) return undefined;
      const token = randomBytes(32).toString('base64url');
      const credential = { kind: 'token', digest: digest(token) } as const;
      save([...devices, { id: randomUUID(), name, since: now(), ...rights, credential }]);
      return token;
    },
    redeemForPage(code, name, page) {
      const rights = codes.spend(code);
      if (rights === undefined) return undefined;
      const known = devices.find(({ credential }) => credential.kind === 'page' && isSame(credential, page));
      if (known) {
        const hasSame = known.role === rights.role && known.most === rights.most;
        if (!hasSame) replace(known.id, (device) => [withRights(device, rights)]);
        return known.id;
      }
      const id = randomUUID();
      save([...devices, { id, name, since: now(), ...rights, credential: { kind: 'page', ...page } }]);
      return id;
    },
    // Comparing digests reveals nothing about the token through timing.
    find: (token) =>
      shown(
        devices.find(({ credential }) => credential.kind === 'token' && credential.digest === digest(token)),
      ),
    findByProof(id, proof) {
      const device = devices.find((candidate) => candidate.id === id);
      const isProved = device?.credential.kind === 'page' && provesKey(device.credential, proof);
      return isProved ? shown(device) : undefined;
    },
    list: () => devices.flatMap((device) => shown(device) ?? []),
    revoke: (id) => replace(id, () => []),
    change: (id, rights) => replace(id, (device) => [{ ...device, ...rights }]),
    follow: (changed) => void followers.push(changed),
  };
}

function signInCodes(now: () => number) {
  const codes = new Map<string, { readonly until: number; readonly rights: DeviceRights }>();
  return {
    create(rights: DeviceRights): string {
      const code = randomBytes(16).toString('base64url');
      codes.set(digest(code), { until: now() + codeLife, rights });
      const [oldest] = codes.keys();
      if (codes.size > maxCodes && oldest !== undefined) codes.delete(oldest);
      return code;
    },
    /** What a code allows; it is worth nothing from then on. */
    spend(code: string): DeviceRights | undefined {
      const open = codes.get(digest(code));
      codes.delete(digest(code));
      return open === undefined || open.until < now() ? undefined : open.rights;
    },
  };
}

function shown(device: Stored | undefined): Device | undefined {
  if (!device) return undefined;
  const { id, name, since, role, most } = device;
  return { id, name, since, role, ...present({ most }) };
}

/** A new invitation replaces the earlier one, with its limit. */
function withRights({ most: _, ...device }: Stored, rights: DeviceRights): Stored {
  return { ...device, ...rights };
}

function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

function isSame(a: PageKey, b: PageKey): boolean {
  return a.key === b.key && a.origin === b.origin && a.port === b.port;
}

/** Devices of versions that signed browsers in by cookie have no credential; they must sign in again. */
function load(path: string): readonly Stored[] {
  if (!existsSync(path)) return [];
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (Array.isArray(value)) return value.filter(isStored);
  } catch {
    // It is set aside.
  }
  // Everybody has to sign in again, but the file is not overwritten.
  renameSync(path, `${path}.damaged-${new Date().toISOString().replaceAll(/[-:.]/g, '')}`);
  return [];
}

function isStored(value: unknown): value is Stored {
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
