// Web Push: encrypts a message so that only the browser can read it (RFC 8291) and signs the request with
// the key of this host (RFC 8292).
import { createCipheriv, createECDH, createPrivateKey, hkdfSync, randomBytes, sign } from 'node:crypto';

/** Where a browser gets its messages, and the keys that encrypt them; texts in base64url. */
export interface PushSubscription {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/** The key pair by which push services know this host; texts in base64url. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

export function createVapidKeys(): VapidKeys {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  return { publicKey: pair.getPublicKey('base64url'), privateKey: pair.getPrivateKey('base64url') };
}

export interface PushMessage {
  readonly subscription: PushSubscription;
  readonly payload: object;
  readonly vapid: VapidKeys;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/** `gone` means that the browser does not want messages any more. */
export type PushResult = 'sent' | 'gone' | { readonly problem: string };

/** How long the service keeps the message for a browser that is offline, in seconds. */
const timeToLive = 4 * 3600;

export async function sendPush(
  ask: typeof fetch,
  { subscription, payload, vapid, now }: PushMessage,
): Promise<PushResult> {
  const { endpoint, keys } = subscription;
  try {
    const response = await ask(endpoint, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(20_000),
      headers: {
        authorization: `vapid t=${signedToken(endpoint, vapid, now)}, k=${vapid.publicKey}`,
        'content-encoding': 'aes128gcm',
        'content-type': 'application/octet-stream',
        ttl: String(timeToLive),
        urgency: 'high',
      },
      body: new Uint8Array(encryptFor(keys, Buffer.from(JSON.stringify(payload)))),
    });
    await response.body?.cancel();
    if (response.ok) return 'sent';
    return response.status === 404 || response.status === 410
      ? 'gone'
      : { problem: `The push service answered with status ${response.status}.` };
  } catch (error) {
    return { problem: `The push service cannot be reached: ${String(error)}` };
  }
}

/** What makes each message different; given only to compare with a known result. */
export interface Randomness {
  readonly salt: Buffer;
  /** The private key of this message. */
  readonly secret: Buffer;
}

export function encryptFor(
  { p256dh, auth }: PushSubscription['keys'],
  text: Buffer,
  random?: Randomness,
): Buffer {
  const theirs = Buffer.from(p256dh, 'base64url');
  const pair = createECDH('prime256v1');
  if (random) pair.setPrivateKey(random.secret);
  else pair.generateKeys();
  const salt = random?.salt ?? randomBytes(16);
  const ours = pair.getPublicKey();
  const about = Buffer.concat([Buffer.from('WebPush: info\0'), theirs, ours]);
  const shared = derive(pair.computeSecret(theirs), Buffer.from(auth, 'base64url'), { about, length: 32 });
  const part = (name: string, length: number) =>
    derive(shared, salt, { about: Buffer.from(`Content-Encoding: ${name}\0`), length });
  const cipher = createCipheriv('aes-128-gcm', part('aes128gcm', 16), part('nonce', 12));
  // The byte 2 ends the last record; there is only one.
  const sealed = [cipher.update(text), cipher.update(Buffer.of(2)), cipher.final(), cipher.getAuthTag()];
  const size = Buffer.alloc(4);
  size.writeUInt32BE(recordSize);
  return Buffer.concat([salt, size, Buffer.of(ours.length), ours, ...sealed]);
}

const recordSize = 4096;

function derive(
  key: Buffer,
  salt: Buffer,
  { about, length }: { readonly about: Buffer; readonly length: number },
): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, about, length));
}

/** Valid for half a day, for this push service only. */
function signedToken(endpoint: string, { publicKey, privateKey }: VapidKeys, now: number): string {
  const point = Buffer.from(publicKey, 'base64url');
  const secret = Buffer.from(privateKey, 'base64url');
  const key = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
      // Leading zeros may be missing.
      d: Buffer.concat([Buffer.alloc(32 - secret.length), secret]).toString('base64url'),
    },
  });
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const head = encode({ typ: 'JWT', alg: 'ES256' });
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(now / 1000) + 12 * 3600, sub: contact };
  const text = `${head}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

/** Push services want an address of the sender; this host has none. */
const contact = 'mailto:owner@parley.example';
