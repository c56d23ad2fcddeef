// Devices that may connect over the network. A one-time code signs a device in; a device can be revoked.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { present } from '../../base/present.ts';
import type { Autonomy } from '../../model/event.ts';
import type { Role } from '../../host/policy/roles.ts';
import { provesKey } from './pageKey.ts';
import type { PageKey, PageProof } from './pageKey.ts';
import type { SignInStorage, StoredDevice } from './signInStorage.ts';

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
  /** Signs a program in and gives its token; `undefined` if the code is wrong, used or expired. */
  redeem(code: string, name: string): Promise<string | undefined>;
  /**
   * Signs a browser in by the key of its page and gives the id of its device. A known key keeps its
   * device.
   */
  redeemForPage(code: string, name: string, page: PageKey): Promise<string | undefined>;
  /** The device of a program's token. */
  find(token: string): Device | undefined;
  /** The device with this id if the proof was made with its key, for its address. */
  findByProof(id: string, proof: PageProof): Device | undefined;
  list(): readonly Device[];
  /** Resolves when it is stored, so that it holds on every host. False if there is no such device. */
  revoke(id: string): Promise<boolean>;
  /** Without a limit the earlier one stays; `full` ends it. False if there is no such device. */
  change(id: string, rights: DeviceRights): Promise<boolean>;
  /**
   * Calls back with the id of a device that was revoked or got another role, here or on another host, until
   * the result is called.
   */
  follow(changed: (id: string) => void): () => void;
}

/** How long a code is valid, in milliseconds. */
const codeLife = 10 * 60_000;

export function openDevices(storage: SignInStorage, now: () => number = Date.now): Devices {
  const followers = new Set<(id: string) => void>();
  const tell = (id: string) => followers.forEach((follower) => follower(id));
  storage.shared?.follow(tell);
  const codes = signInCodes(storage, now);
  const known = (id: string) => storage.devices().find((device) => device.id === id);
  /** Followers are called after the change is stored. */
  const replace = async (device: StoredDevice): Promise<true> => {
    await storage.put(device);
    tell(device.id);
    return true;
  };
  return {
    newCode: (role, most) => codes.create({ role, ...present({ most }) }),
    async redeem(code, name) {
      const rights = await codes.spend(code);
      if (rights === undefined) return undefined;
      const token = randomBytes(32).toString('base64url');
      const credential = { kind: 'token', digest: digestOf(token) } as const;
      await storage.put({ id: randomUUID(), name, since: now(), ...rights, credential });
      return token;
    },
    async redeemForPage(code, name, page) {
      const rights = await codes.spend(code);
      if (rights === undefined) return undefined;
      const device = storage.devices().find(hasKey(page));
      if (device) {
        const hasSame = device.role === rights.role && device.most === rights.most;
        if (!hasSame) await replace(withRights(device, rights));
        return device.id;
      }
      const id = randomUUID();
      await storage.put({ id, name, since: now(), ...rights, credential: { kind: 'page', ...page } });
      return id;
    },
    find: (token) => shown(storage.devices().find(hasToken(token))),
    findByProof(id, proof) {
      const device = known(id);
      const isProved = device?.credential.kind === 'page' && provesKey(device.credential, proof);
      return isProved ? shown(device) : undefined;
    },
    list: () => storage.devices().flatMap((device) => shown(device) ?? []),
    async revoke(id) {
      if (!known(id)) return false;
      await storage.remove(id);
      tell(id);
      return true;
    },
    async change(id, rights) {
      const device = known(id);
      return device ? replace(changed(device, rights)) : false;
    },
    follow: (follower) => {
      followers.add(follower);
      return () => void followers.delete(follower);
    },
  };
}

function signInCodes(storage: SignInStorage, now: () => number) {
  return {
    create(rights: DeviceRights): string {
      const code = randomBytes(16).toString('base64url');
      storage.addCode(digestOf(code), { until: now() + codeLife, rights });
      return code;
    },
    /** What a code allows; it is worth nothing from then on. */
    async spend(code: string): Promise<DeviceRights | undefined> {
      const open = await storage.takeCode(digestOf(code));
      return open === undefined || open.until < now() ? undefined : open.rights;
    },
  };
}

function shown(device: StoredDevice | undefined): Device | undefined {
  if (!device) return undefined;
  const { id, name, since, role, most } = device;
  return { id, name, since, role, ...present({ most }) };
}

function changed(device: StoredDevice, rights: DeviceRights): StoredDevice {
  return rights.most === 'full' ? withRights(device, { role: rights.role }) : { ...device, ...rights };
}

/** A new invitation replaces the earlier one, with its limit. */
function withRights({ most: _, ...device }: StoredDevice, rights: DeviceRights): StoredDevice {
  return { ...device, ...rights };
}

/** What is stored instead of a code or a token. */
export function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Comparing digests reveals nothing about the token through timing. */
function hasToken(token: string): (device: StoredDevice) => boolean {
  const digest = digestOf(token);
  return ({ credential }) => credential.kind === 'token' && credential.digest === digest;
}

function hasKey({ key, origin, port }: PageKey): (device: StoredDevice) => boolean {
  return ({ credential: known }) =>
    known.kind === 'page' && known.key === key && known.origin === origin && known.port === port;
}
