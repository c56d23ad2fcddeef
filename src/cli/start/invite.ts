// The texts for signing in another device: a link, a QR code and the fingerprint of the certificate.
import { roleText } from '../../host/policy/roles.ts';

export interface Invitation {
  /** Signs one device in, once, with the role `approve`. */
  readonly link: string;
  /** The fingerprint of our self-signed certificate, if it is in use. */
  readonly fingerprint?: string | undefined;
}

/** A device gets the role `approve` by default, not full control. */
export async function invitation({ link, fingerprint }: Invitation): Promise<string> {
  return (
    `${await qrCode(link)}${link}\n\nThis link signs in one other device, which may ${roleText.approve}. ` +
    `Change that with parley devices role.\n${certificateNote(fingerprint)}\n`
  );
}

/** A link as a QR code in half blocks. The library is loaded on first use. */
export async function qrCode(link: string): Promise<string> {
  const { renderUnicodeCompact } = await import('uqr');
  return `${renderUnicodeCompact(link, { border: 2 })}\n`;
}

export function certificateNote(fingerprint: string | undefined): string {
  if (fingerprint === undefined) return '';
  return (
    'The certificate is self-signed, so the browser warns once. Continue only if it shows this SHA-256 ' +
    `fingerprint:\n  ${fingerprint}\n`
  );
}
