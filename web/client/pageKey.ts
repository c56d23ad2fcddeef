// Signs this browser in with a key that only pages of this origin can use, and that no script can read.
// Cookies would go to every other server on this address, whatever its port.
import { isRecord } from '../../src/base/isRecord.ts';
import { proofText } from '../../src/base/pageProof.ts';
import { readRecord, writeRecord } from './keyStore.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/**
 * How the browser was signed in. Pages without encryption beyond loopback have no keys, so they get a token.
 */
export type SignedIn =
  | { readonly device: string }
  | { readonly token: string }
  | { readonly problem: string };

export async function redeemCode(code: string): Promise<SignedIn> {
  const keys = await ownKeys();
  const key = keys && base64Url(await crypto.subtle.exportKey('spki', keys.publicKey));
  const response = await fetch('/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, key }),
  });
  const answer: unknown = await response.json();
  const text = (name: string): string | undefined =>
    isRecord(answer) && typeof answer[name] === 'string' ? answer[name] : undefined;
  const [device, token] = [text('device'), text('token')];
  if (device !== undefined && keys) {
    await writeRecord({ keys, device });
    return { device };
  }
  return token === undefined ? { problem: text('error') ?? 'Signing in failed.' } : { token };
}

/** The query with which this browser opens one connection; undefined if it is not signed in. */
export async function connectionProof(): Promise<string | undefined> {
  const record = await readRecord().catch(() => undefined);
  if (record?.device === undefined) return undefined;
  const answer: unknown = await (await fetch('/challenge', { cache: 'no-store' })).json();
  const challenge = isRecord(answer) ? String(answer['challenge']) : '';
  const text = new TextEncoder().encode(proofText(location.origin, challenge));
  const signature = await crypto.subtle.sign(algorithm, record.keys.privateKey, text);
  const query = { device: record.device, challenge, proof: base64Url(signature) };
  return `?${new URLSearchParams(query).toString()}`;
}

/**
 * The keys of this browser, new ones if it has none; undefined where the browser offers or stores no keys.
 */
async function ownKeys(): Promise<CryptoKeyPair | undefined> {
  if (!isSecureContext) return undefined;
  try {
    const known = await readRecord();
    if (known) return known.keys;
    const keys = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);
    await writeRecord({ keys });
    return keys;
  } catch {
    return undefined;
  }
}

function base64Url(bytes: ArrayBuffer): string {
  const text = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
