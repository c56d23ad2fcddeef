// Explains network errors: why a provider could not be reached, and what users can do about it.
import { certificateProblems, connectionProblems } from '../../../../base/networkProblems.ts';
import type { FailedRequest } from './failedRequest.ts';

/** A local server that refuses the connection does not run, so a retry would only look like a hang. */
export function connectionProblem(
  code: string,
  { name, url }: Pick<FailedRequest, 'name' | 'url'>,
): { readonly text: string; readonly retryable: boolean } {
  const isLocal = /^https?:\/\/(?:localhost|127\.|\[::1\])/.test(url);
  if (isLocal && code === 'ECONNREFUSED')
    return { text: `${name} does not answer at ${url}. Is it running?`, retryable: false };
  // Certificates do not change between attempts, so these are not retried.
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
  return {
    text: `${name} cannot be reached: ${connectionProblems[code] ?? 'the connection failed'}.`,
    retryable: true,
  };
}

export function isNetworkCode(code: string): boolean {
  return code in connectionProblems || code in certificateProblems || protocolErrors.has(code);
}

/** HTTP was spoken to an HTTPS port, or the other way round. */
const protocolErrors: ReadonlySet<string> = new Set([
  'EPROTO',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'HPE_INVALID_CONSTANT',
  'HPE_INVALID_VERSION',
  'HPE_INVALID_METHOD',
]);
