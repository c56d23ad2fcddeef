// What a person is told who wants to bring another device: a link, a code to photograph and a fingerprint to compare.
import { roleWords } from '../../host/policy/roles.ts';

export interface Invited {
  /** Signs one device in, once, to look and to answer what waits. */
  readonly link: string;
  /** Of our own certificate, where we show it. */
  readonly fingerprint?: string | undefined;
}

/** For whoever sits elsewhere: by default such a device may not do everything. */
export async function invitation({ link, fingerprint }: Invited): Promise<string> {
  return `${await picture(link)}${link}\n\nThis code signs one other device in, which may then ${roleWords.approve}; parley devices changes that.\n${certificateWords(fingerprint)}\n`;
}

/** A link as a square that a camera reads, in half blocks. The library is loaded when somebody wants one. */
export async function picture(link: string): Promise<string> {
  const { renderUnicodeCompact } = await import('uqr');
  return `${renderUnicodeCompact(link, { border: 2 })}\n`;
}

export function certificateWords(fingerprint: string | undefined): string {
  if (fingerprint === undefined) return '';
  return `The certificate is our own, so the browser warns once. Go on only if it shows this SHA-256 fingerprint:\n  ${fingerprint}\n`;
}
