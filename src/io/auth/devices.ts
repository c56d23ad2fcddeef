// Devices that may connect over the network. A one-time code signs a device in; a device can be revoked.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isRole } from '../../host/policy/roles.ts';
import type { Role } from '../../host/policy/roles.ts';
import { writePrivately } from '../files/privateFiles.ts';

export interface Device {
  readonly id: string;
  readonly name: string;
  readonly since: number;
  readonly role: Role;
}

export interface Devices {
  /** A single-use code that signs one device in with this role. */
  newCode(role: Role): string;
  /** The secret of the new device; `undefined` if the code is wrong, used or expired. */
  redeem(code: string, name: string): string | undefined;
  find(secret: string): Device | undefined;
  list(): readonly Device[];
  /** False if there is no such device. */
  revoke(id: string): boolean;
  /** False if there is no such device. */
  change(id: string, role: Role): boolean;
  /** Calls back with the id of a device that was revoked or got another role. */
  follow(changed: (id: string) => void): void;
}

/** How long a code is valid, in milliseconds. */
const codeLife = 10 * 60_000;

/** The most open codes; the oldest is dropped. */
const maxCodes = 32;

interface Stored extends Device {
  readonly digest: string;
}

/** Stores digests only, so that the file cannot be used to sign in. */
export function openDevices(path: string, now: () => number = Date.now): Devices {
  let devices = load(path);
  const codes = new Map<string, { readonly until: number; readonly role: Role }>();
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
    newCode(role) {
      const code = randomBytes(16).toString('base64url');
      codes.set(digest(code), { until: now() + codeLife, role });
      const [oldest] = codes.keys();
      if (codes.size > maxCodes && oldest !== undefined) codes.delete(oldest);
      return code;
    },
    redeem(code, name) {
      const open = codes.get(digest(code));
      codes.delete(digest(code));
      if (open === undefined || open.until < now()) return undefined;
      const secret = randomBytes(32).toString('base64url');
      save([...devices, { id: randomUUID(), name, since: now(), role: open.role, digest: digest(secret) }]);
      return secret;
    },
    // Comparing digests reveals nothing about the secret through timing.
    find: (secret) => shown(devices.find((device) => device.digest === digest(secret))),
    list: () => devices.flatMap((device) => shown(device) ?? []),
    revoke: (id) => replace(id, () => []),
    change: (id, role) => replace(id, (device) => [{ ...device, role }]),
    follow: (changed) => void followers.push(changed),
  };
}

function shown(device: Stored | undefined): Device | undefined {
  return device && { id: device.id, name: device.name, since: device.since, role: device.role };
}

function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

function load(path: string): readonly Stored[] {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return Array.isArray(value) ? value.map(withRole).filter(isStored) : [];
  } catch {
    return [];
  }
}

/** Devices of earlier versions had full control. */
function withRole(value: unknown): unknown {
  return typeof value === 'object' && value !== null && !('role' in value)
    ? { ...value, role: 'control' }
    : value;
}

function isStored(value: unknown): value is Stored {
  if (
    typeof value !== 'object' ||
    value === null ||
    !('id' in value) ||
    !('name' in value) ||
    !('since' in value) ||
    !('digest' in value) ||
    !('role' in value)
  )
    return false;
  return (
    [value.id, value.name, value.digest].every((member) => typeof member === 'string') &&
    typeof value.since === 'number' &&
    isRole(value.role)
  );
}
