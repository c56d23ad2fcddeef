// What keeps us from a provider before it could say a word, in words for users.
import type { FailedRequest } from './modelError.ts';

/** A server on this machine that refuses is not running; waiting for it would only look like a hang. */
export function connectionProblem(
  code: string,
  { name, url }: Pick<FailedRequest, 'name' | 'url'>,
): { readonly words: string; readonly again: 'again' | 'never' } {
  const here = /^https?:\/\/(?:localhost|127\.|\[::1\])/.test(url);
  if (here && code === 'ECONNREFUSED')
    return { words: `${name} does not answer at ${url}. Is it running?`, again: 'never' };
  if (distrust[code] !== undefined)
    return {
      words: `${name} cannot be trusted: ${distrust[code]}. Where you know it, name the file of its authority as network.ca in the settings.`,
      again: 'never',
    };
  if (babel.has(code))
    return {
      words: `${name} does not speak ${url.startsWith('https:') ? 'HTTPS' : 'HTTP'} at ${url}; check whether the address begins with http or https.`,
      again: 'never',
    };
  return { words: `${name} cannot be reached: ${reasons[code] ?? 'the connection failed'}.`, again: 'again' };
}

export function isNetworkCode(code: string): boolean {
  return code in reasons || code in distrust || babel.has(code);
}

/** Whoever answers is not known to be who it should be; another attempt would find the same. */
const distrust: { readonly [code: string]: string } = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate comes from an authority that is not known',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate comes from an authority that is not known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate comes from an authority that is not known',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate comes from an authority that is not known',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate does not hold yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
};

/** The two sides do not speak the same language. */
const babel: ReadonlySet<string> = new Set([
  'EPROTO',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'HPE_INVALID_CONSTANT',
  'HPE_INVALID_VERSION',
  'HPE_INVALID_METHOD',
]);

const reasons: { readonly [code: string]: string } = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection broke',
  EPIPE: 'the connection broke',
  UND_ERR_SOCKET: 'the connection broke',
  ENOTFOUND: 'there is no such host, or no network',
  EAI_AGAIN: 'there is no network',
  ENETUNREACH: 'there is no network',
  EHOSTUNREACH: 'there is no way to it',
  ETIMEDOUT: 'it did not answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'it did not answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'it did not answer in time',
  UND_ERR_BODY_TIMEOUT: 'it did not answer in time',
};
