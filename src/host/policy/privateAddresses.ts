// Which addresses belong to this machine or the network around it, so that nobody reaches them by way of an agent. Reads text only.

/** Whether an address in its plain form names this machine or its network itself; what a name leads to is looked up by whoever goes there. */
export function isLocalAddress(url: string): boolean {
  const host = hostOf(url);
  return (
    host === undefined ||
    /(?:^|\.)(?:localhost|local|internal|lan|home|intranet)\.?$/.test(host) ||
    isPrivate(host)
  );
}

/** Whether an IP address is one that the public network does not lead to. What is no IP address is not. */
export function isPrivate(address: string): boolean {
  const octets = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address)?.slice(1).map(Number);
  if (octets) return isPrivateFour(octets);
  if (!address.includes(':')) return false;
  const plain = address.toLowerCase().replace(/%.*$/, '');
  // Everything public begins with 2 or 3, apart from the ranges that carry another address inside.
  return !/^[23][0-9a-f]{3}:/.test(plain) || /^(?:2002:|2001:0{0,4}:|2001:db8:)/.test(plain);
}

/** Addresses that are good for one link alone, where machines keep what they know about themselves; nobody means them. */
export function isLinkLocal(url: string): boolean {
  const host = (hostOf(url) ?? '').replace(/\.$/, '');
  return (
    selves.has(host) ||
    host.startsWith('169.254.') ||
    /^fe[89ab][0-9a-f]:/.test(host) ||
    /^::ffff:(?:169\.254\.|a9fe:)/.test(host)
  );
}

/** Where rented machines do the same by other addresses. */
const selves: ReadonlySet<string> = new Set([
  'metadata.google.internal',
  'metadata.goog',
  'fd00:ec2::254',
  'fd20:ce::254',
  '100.100.100.200',
  '192.0.0.192',
  '::ffff:6464:64c8',
  '::ffff:c000:c0',
]);

export function hostOf(url: string): string | undefined {
  const host = /^https?:\/\/(?:[^@/?#]*@)?(\[[^\]]+\]|[^:/?#]+)/i.exec(url)?.[1]?.toLowerCase();
  return host?.startsWith('[') ? host.slice(1, -1) : host;
}

function isPrivateFour([a = 0, b = 0, c = 0]: readonly number[]): boolean {
  if (a === 0 || a === 10 || a === 127 || a >= 224) return true;
  if (a === 100) return b >= 64 && b < 128;
  if (a === 169) return b === 254;
  if (a === 172) return b >= 16 && b < 32;
  if (a === 192) return b === 168 || (b === 0 && (c === 0 || c === 2));
  if (a === 198) return b === 18 || b === 19 || (b === 51 && c === 100);
  return a === 203 && b === 0 && c === 113;
}
