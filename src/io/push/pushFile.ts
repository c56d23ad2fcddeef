// The browsers that want to be told when a session waits, each by its device, and the key of this host,
// which is made when it is first needed. Only the owner can read the file.
import { existsSync } from 'node:fs';
import * as z from 'zod';
import { writePrivately } from '../files/privateFiles.ts';
import { createVapidKeys } from './webPush.ts';
import type { PushSubscription, VapidKeys } from './webPush.ts';
import { readUserFile } from '../files/folderFile.ts';

export interface PushFile {
  keys(): VapidKeys;
  list(): readonly DeviceSubscription[];
  /** Replaces an earlier subscription of the device. */
  put(device: string, subscription: PushSubscription): void;
  /** False if the device has none. */
  remove(device: string): boolean;
}

export interface DeviceSubscription extends PushSubscription {
  readonly device: string;
}

const base64Url = z
  .string()
  .regex(/^[\w-]+=*$/)
  .max(200);

/** A public key has 65 bytes, a secret 16. */
export const subscriptionSchema = z.object({
  endpoint: z.url().max(2000),
  keys: z.object({
    p256dh: base64Url.refine((text) => Buffer.from(text, 'base64url').length === 65, 'not a public key'),
    auth: base64Url.refine((text) => Buffer.from(text, 'base64url').length === 16, 'not a secret'),
  }),
});

const content = z.object({
  keys: z.object({ publicKey: base64Url, privateKey: base64Url }).optional(),
  subscriptions: z.array(subscriptionSchema.extend({ device: z.string() })),
});

export function openPushFile(path: string): PushFile {
  let stored = load(path);
  const save = (next: z.output<typeof content>) => {
    writePrivately(path, `${JSON.stringify(next)}\n`);
    stored = next;
  };
  const without = (device: string) => stored.subscriptions.filter((each) => each.device !== device);
  return {
    keys() {
      const keys = stored.keys ?? createVapidKeys();
      if (!stored.keys) save({ ...stored, keys });
      return keys;
    },
    list: () => stored.subscriptions,
    put(device, { endpoint, keys }) {
      save({ ...stored, subscriptions: [...without(device), { device, endpoint, keys }] });
    },
    remove(device) {
      const subscriptions = without(device);
      if (subscriptions.length === stored.subscriptions.length) return false;
      save({ ...stored, subscriptions });
      return true;
    },
  };
}

/** A broken file is not worth a failed start: whoever wants to be told subscribes again. */
function load(path: string): z.output<typeof content> {
  try {
    if (!existsSync(path)) return { subscriptions: [] };
    return content.parse(JSON.parse(readUserFile(path)));
  } catch {
    return { subscriptions: [] };
  }
}
