// Who may come in over the network besides the owner of the token: a one-time code becomes a device, and a device can be shown the door.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

export interface Device {
  readonly id: string;
  readonly name: string;
  readonly since: number;
}

export interface Devices {
  /** A code that signs one browser in, once and soon. */
  newCode(): string;
  /** The secret of the device that a code makes, or nothing where the code is wrong, used or old. */
  redeem(code: string, name: string): string | undefined;
  find(secret: string): Device | undefined;
  list(): readonly Device[];
  /** Whether there was such a device. */
  revoke(id: string): boolean;
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
  const codes = new Map<string, number>();
  const save = (next: readonly Stored[]) => {
    const fresh = `${path}.new`;
    writeFileSync(fresh, `${JSON.stringify(next)}\n`, { mode: 0o600 });
    renameSync(fresh, path);
    devices = next;
  };
  return {
    newCode() {
      const code = randomBytes(16).toString('base64url');
      codes.set(digest(code), now() + codeLife);
      const [oldest] = codes.keys();
      if (codes.size > maxCodes && oldest !== undefined) codes.delete(oldest);
      return code;
    },
    redeem(code, name) {
      const until = codes.get(digest(code));
      codes.delete(digest(code));
      if (until === undefined || until < now()) return undefined;
      const secret = randomBytes(32).toString('base64url');
      save([...devices, { id: randomUUID(), name, since: now(), digest: digest(secret) }]);
      return secret;
    },
    // What is compared is a digest, so the time it takes tells nothing about the secret.
    find: (secret) => shown(devices.find((device) => device.digest === digest(secret))),
    list: () => devices.flatMap((device) => shown(device) ?? []),
    revoke(id) {
      const left = devices.filter((device) => device.id !== id);
      if (left.length === devices.length) return false;
      save(left);
      return true;
    },
  };
}

function shown(device: Stored | undefined): Device | undefined {
  return device && { id: device.id, name: device.name, since: device.since };
}

function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

function load(path: string): readonly Stored[] {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return Array.isArray(value) ? value.filter(isStored) : [];
  } catch {
    return [];
  }
}

function isStored(value: unknown): value is Stored {
  if (typeof value !== 'object' || value === null || !('id' in value) || !('name' in value) || !('since' in value) || !('digest' in value)) return false;
  return [value.id, value.name, value.digest].every((member) => typeof member === 'string') && typeof value.since === 'number';
}
