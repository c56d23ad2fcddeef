// How the host may listen: in the clear on loopback, encrypted everywhere else, or as somebody insists. Makes
// our certificate where one is needed.
import type { ServerSettings } from '../host/settings/settings.ts';
import { ownCertificate, readCertificate } from '../io/http/certificate.ts';
import { isLoopback, namesAt } from '../io/http/hostNames.ts';

export interface Listening {
  readonly host: string;
  /** The names we may be called by. */
  readonly names: readonly string[];
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Of our own certificate, which no browser knows. */
  readonly fingerprint?: string;
  /** Who can read the traffic: this machine only (loopback), nobody (TLS), or the network (plain text). */
  readonly privacy: 'loopback' | 'encrypted' | 'open';
}

export function listeningOn(
  wanted: ServerSettings,
  own: { readonly cert: string; readonly key: string },
): Listening | { readonly refused: string } {
  const { host, cert, key, insecure = false } = wanted;
  const local = isLoopback(host);
  const names = namesAt(host);
  if (insecure && (wanted.tls || cert !== undefined))
    return { refused: 'a host is either insecure or encrypted; leave out one of them.' };
  if (insecure) return { host, names, privacy: local ? 'loopback' : 'open' };
  if (cert !== undefined && key !== undefined) {
    const given = readCertificate({ cert, key });
    if (!given)
      return { refused: `${cert} and ${key} are not a matching certificate and key in PEM format.` };
    return {
      host,
      names: [...new Set([...names, ...given.names.map((name) => name.toLowerCase())])],
      tls: given,
      privacy: 'encrypted',
    };
  }
  if (cert !== undefined || key !== undefined)
    return { refused: 'a certificate and its key belong together.' };
  if (local && !wanted.tls) return { host, names, privacy: 'loopback' };
  const made = ownCertificate(own, names);
  return { host, names, tls: made, fingerprint: made.fingerprint, privacy: 'encrypted' };
}
