// The self-signed certificate: created once for the host names, stored in the data directory, renewed before
// it expires. Encodes the necessary part of X.509; keys and signatures come from Node.
import {
  X509Certificate,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
} from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { readUserFile } from '../files/folderFile.ts';
import { writePrivately } from '../files/privateFiles.ts';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** What a person compares with what the browser shows. */
  readonly fingerprint: string;
  /** Who it is for. */
  readonly names: readonly string[];
}

const day = 86_400_000;
/** Browsers believe no certificate that is valid for longer than 398 days. */
const validity = 397 * day;
const renewal = 30 * day;

/** The stored certificate if it is valid and covers every name, else a new one with the same key. */
export function ownCertificate(
  paths: { readonly cert: string; readonly key: string },
  names: readonly string[],
  now = Date.now(),
): Certificate {
  const kept = readCertificate(paths);
  if (kept && covers(kept, names, now)) return kept;
  const key = kept
    ? createPrivateKey(kept.key)
    : generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;
  const made = {
    cert: selfSigned(key, names, now),
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
  writePrivately(paths.key, made.key);
  writePrivately(paths.cert, made.cert);
  return described(made);
}

/** The certificate and its key; undefined if a file is missing or unreadable, or if they do not match. */
export function readCertificate(paths: {
  readonly cert: string;
  readonly key: string;
}): Certificate | undefined {
  try {
    const pair = { cert: readUserFile(paths.cert), key: readUserFile(paths.key) };
    return new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(pair.key))
      ? described(pair)
      : undefined;
  } catch {
    return undefined;
  }
}

function described(pair: { readonly cert: string; readonly key: string }): Certificate {
  const certificate = new X509Certificate(pair.cert);
  const names = (certificate.subjectAltName ?? '')
    .split(', ')
    .flatMap((name) => /^(?:DNS|IP Address):(.+)$/.exec(name)?.[1] ?? [])
    .map(plainName);
  return { ...pair, fingerprint: certificate.fingerprint256, names };
}

/** An address in its short form, as browsers write it. */
function plainName(name: string): string {
  return isIP(name) === 6 ? new URL(`http://[${name}]`).hostname.slice(1, -1) : name;
}

function covers({ cert }: Certificate, names: readonly string[], now: number): boolean {
  const certificate = new X509Certificate(cert);
  if (Date.parse(certificate.validTo) - now < renewal) return false;
  return names.every(
    (name) => (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined,
  );
}

function selfSigned(key: KeyObject, names: readonly string[], now: number): string {
  const name = sequence(set(sequence(oid('2.5.4.3'), utf8('Parley'))));
  const body = sequence(
    tagged(0xa0, integer(Buffer.of(2))),
    integer(Buffer.concat([Buffer.of(0x01), randomBytes(15)])),
    ecdsaWithSha256,
    name,
    sequence(time(now - day), time(now - day + validity)),
    name,
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    tagged(
      0xa3,
      sequence(
        extension('2.5.29.19', 'critical', sequence()),
        extension('2.5.29.15', 'critical', tagged(0x03, Buffer.of(7, 0x80))),
        extension('2.5.29.37', 'plain', sequence(oid('1.3.6.1.5.5.7.3.1'))),
        extension('2.5.29.17', 'plain', sequence(...names.map(alternative))),
      ),
    ),
  );
  const signature = sign('sha256', body, key);
  const certificate = sequence(body, ecdsaWithSha256, tagged(0x03, Buffer.concat([Buffer.of(0), signature])));
  return (
    `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replace(/.{64}/g, '$&\n').trimEnd()}\n` +
    '-----END CERTIFICATE-----\n'
  );
}

function extension(id: string, weight: 'critical' | 'plain', value: Buffer): Buffer {
  return sequence(
    oid(id),
    ...(weight === 'critical' ? [tagged(0x01, Buffer.of(0xff))] : []),
    tagged(0x04, value),
  );
}

function alternative(name: string): Buffer {
  return isIP(name) ? tagged(0x87, addressBytes(name)) : tagged(0x82, Buffer.from(name, 'latin1'));
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  const groups = (text: string | undefined) => (text === undefined || text === '' ? [] : text.split(':'));
  const [before, after] = [groups(head), groups(tail)];
  const whole =
    tail === undefined
      ? before
      : [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after];
  return Buffer.from(whole.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function time(at: number): Buffer {
  const [date = ''] = new Date(at).toISOString().replace(/[-:T]/g, '').split('.');
  return tagged(0x17, Buffer.from(`${date.slice(2)}Z`, 'latin1'));
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const base128 = (value: number): readonly number[] =>
    value < 128 ? [value] : [...base128(Math.floor(value / 128)).map((byte) => byte | 0x80), value % 128];
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes);
}

function utf8(text: string): Buffer {
  return tagged(0x0c, Buffer.from(text, 'utf8'));
}

function set(...members: readonly Buffer[]): Buffer {
  return tagged(0x31, Buffer.concat(members));
}

function sequence(...members: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(members));
}

function tagged(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(content.length)]), content]);
}

function lengthBytes(length: number): readonly number[] {
  if (length < 128) return [length];
  return length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'));
