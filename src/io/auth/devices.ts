// Who may come in over the network besides the owner of the token: a one-time code becomes a device, and a device can be shown the door.
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
  /** A code that signs one device in, once and soon, to do what the role says. */
  newCode(role: Role): string;
  /** The secret of the device that a code makes, or nothing where the code is wrong, used or old. */
  redeem(code: string, name: string): string | undefined;
  find(secret: string): Device | undefined;
  list(): readonly Device[];
  /** Whether there was such a device; it is one no more when this returns. */
  revoke(id: string): boolean;
  /** Whether there was such a device. */
  change(id: string, role: Role): boolean;
  /** Calls back with the id of a device that was revoked or may do something else from now on. */
  follow(changed: (id: string) => void): void;
}

/** How long a code may lie around, in milliseconds. */
const codeLife = 10 * 60_000;

/** More open codes than this and the oldest is forgotten. */
const maxCodes = 32;

interface Stored extends Device {
  readonly digest: string;
}

/** Only digests are kept: whoever reads the file cannot come in with what is in it. */
export function openDevices(path: string, now: () => number = Date.now): Devices {
  let devices = load(path);
  const codes = new Map<string, { readonly until: number; readonly role: Role }>();
  const followers: ((id: string) => void)[] = [];
  const save = (next: readonly Stored[]) => {
    writePrivately(path, `${JSON.stringify(next)}\n`);
    devices = next;
  };
  /** Nobody hears of what is not stored. */
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
    // What is compared is a digest, so the time it takes tells nothing about the secret.
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

/** Devices of earlier versions could do everything. */
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
