// Explains network errors: why a provider could not be reached, and what users can do about it.
import type { FailedRequest } from './failedRequest.ts';

/** A local server that refuses the connection does not run, so a retry would only look like a hang. */
export function connectionProblem(
  code: string,
  { name, url }: Pick<FailedRequest, 'name' | 'url'>,
): { readonly text: string; readonly retryable: boolean } {
  const isLocal = /^https?:\/\/(?:localhost|127\.|\[::1\])/.test(url);
  if (isLocal && code === 'ECONNREFUSED')
    return { text: `${name} does not answer at ${url}. Is it running?`, retryable: false };
  const certificate = certificateProblems[code];
  if (certificate !== undefined)
    return {
      text:
        `${name} cannot be trusted: ${certificate}. If you trust it, set network.ca in the settings to ` +
        'the file of its certificate authority.',
      retryable: false,
    };
  if (protocolErrors.has(code)) {
    const scheme = url.startsWith('https:') ? 'HTTPS' : 'HTTP';
    return {
      text: `${name} does not speak ${scheme} at ${url}; check whether the address begins with http or https.`,
      retryable: false,
    };
  }
  return { text: `${name} cannot be reached: ${reasons[code] ?? 'the connection failed'}.`, retryable: true };
}

export function isNetworkCode(code: string): boolean {
  return code in reasons || code in certificateProblems || protocolErrors.has(code);
}

/** Certificates do not change between attempts, so these are not retried. */
const certificateProblems: { readonly [code: string]: string } = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate comes from an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate comes from an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate comes from an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate comes from an unknown authority',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
};

/** HTTP was spoken to an HTTPS port, or the other way round. */
const protocolErrors: ReadonlySet<string> = new Set([
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
  ENOTFOUND: 'the host does not exist, or there is no network',
  EAI_AGAIN: 'there is no network',
  ENETUNREACH: 'there is no network',
  EHOSTUNREACH: 'there is no route to it',
  ETIMEDOUT: 'it did not answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'it did not answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'it did not answer in time',
  UND_ERR_BODY_TIMEOUT: 'it did not answer in time',
};
