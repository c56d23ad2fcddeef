// Signs requests to AWS with the keys of the environment (Signature Version 4).
import { createHash, createHmac } from 'node:crypto';

export interface Signing {
  readonly env: { readonly [name: string]: string | undefined };
  readonly service: string;
  readonly now: () => number;
}

interface Request {
  readonly url: string;
  readonly body: string;
}

/** The headers of the signature. Without keys there are none, and the service rejects the request. */
export function awsSignature(
  { url, body }: Request,
  { env, service, now }: Signing,
): { readonly [name: string]: string } {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: session } = env;
  if (!id || !secret) return {};
  const { host, pathname, searchParams } = new URL(url);
  const time = new Date(now()).toISOString().replaceAll(/[:-]|\.\d+/g, '');
  const region = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || regionIn(host);
  const scope = [time.slice(0, 8), region, service, 'aws4_request'];
  const signed = { host, 'x-amz-date': time, ...(session ? { 'x-amz-security-token': session } : {}) };
  const names = Object.keys(signed).join(';');
  const query = [...searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .toSorted()
    .join('&');
  const lines = Object.entries(signed)
    .map(([name, value]) => `${name}:${value}\n`)
    .join('');
  // The signature uses the path encoded twice.
  const canonical = [
    'POST',
    pathname.split('/').map(encoded).join('/'),
    query,
    lines,
    names,
    sha256(body),
  ].join('\n');
  const key = scope.reduce<string | Buffer>((last, part) => hmac(last, part), `AWS4${secret}`);
  const signature = hmac(
    key,
    ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonical)].join('\n'),
  ).toString('hex');
  const { host: _, ...sent } = signed;
  return {
    ...sent,
    authorization:
      `AWS4-HMAC-SHA256 Credential=${id}/${scope.join('/')}, SignedHeaders=${names}, ` +
      `Signature=${signature}`,
  };
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The region from the host name. */
function regionIn(host: string): string {
  return /\.([a-z]{2}(?:-[a-z]+)+-\d)\./.exec(host)?.[1] ?? 'us-east-1';
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
