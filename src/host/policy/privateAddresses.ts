// Recognizes addresses of this machine and its network, so that agents cannot reach them without
// approval. Works on text only.

/**
 * Whether a normalized URL names this machine or its network. Other names are resolved and checked by the
 * caller that connects.
 */
export function isLocalAddress(url: string): boolean {
  const host = hostOf(url);
  return (
    host === undefined ||
    /(?:^|\.)(?:localhost|local|internal|lan|home|intranet)\.?$/.test(host) ||
    isPrivate(host)
  );
}

/** Whether an IP address is not on the public internet. False for text that is no IP address. */
export function isPrivate(address: string): boolean {
  const octets = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address)?.slice(1).map(Number);
  if (octets) return isPrivateIpv4(octets);
  if (!address.includes(':')) return false;
  const plain = address.toLowerCase().replace(/%.*$/, '');
  // Public addresses begin with 2 or 3, except the ranges that embed another address.
  return !/^[23][0-9a-f]{3}:/.test(plain) || /^(?:2002:|2001:0{0,4}:|2001:db8:)/.test(plain);
}

/** Link-local addresses and cloud metadata services; no user means to request them. */
export function isLinkLocal(url: string): boolean {
  const host = (hostOf(url) ?? '').replace(/\.$/, '');
  return (
    metadataHosts.has(host) ||
    host.startsWith('169.254.') ||
    /^fe[89ab][0-9a-f]:/.test(host) ||
    /^::ffff:(?:169\.254\.|a9fe:)/.test(host)
  );
}

/** Metadata services of cloud providers at other addresses. */
const metadataHosts: ReadonlySet<string> = new Set([
  'metadata.google.internal',
  'metadata.goog',
  'fd00:ec2::254',
  'fd20:ce::254',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '::ffff:6464:64c8',
  '::ffff:c000:c0',
  '::ffff:a83f:8110',
]);

export function hostOf(url: string): string | undefined {
  const host = /^https?:\/\/(?:[^@/?#]*@)?(\[[^\]]+\]|[^:/?#]+)/i.exec(url)?.[1]?.toLowerCase();
  return host?.startsWith('[') ? host.slice(1, -1) : host;
}

/** IPv4 ranges that are not public: the first octets, and for the next octet a lowest and a highest value. */
const privateIpv4: readonly {
  readonly prefix: readonly number[];
  readonly from: number;
  readonly to: number;
}[] = [
  { prefix: [], from: 0, to: 0 },
  { prefix: [], from: 10, to: 10 },
  { prefix: [], from: 127, to: 127 },
  { prefix: [], from: 224, to: Number.POSITIVE_INFINITY },
  { prefix: [100], from: 64, to: 127 },
  // The metadata service of Azure, which looks like a public address.
  { prefix: [168, 63, 129], from: 16, to: 16 },
  { prefix: [169], from: 254, to: 254 },
  { prefix: [172], from: 16, to: 31 },
  { prefix: [192], from: 168, to: 168 },
  { prefix: [192, 0], from: 0, to: 0 },
  { prefix: [192, 0], from: 2, to: 2 },
  { prefix: [198], from: 18, to: 19 },
  { prefix: [198, 51], from: 100, to: 100 },
  { prefix: [203, 0], from: 113, to: 113 },
];

function isPrivateIpv4(octets: readonly number[]): boolean {
  return privateIpv4.some(({ prefix, from, to }) => {
    const next = octets[prefix.length] ?? 0;
    return prefix.every((octet, at) => octets[at] === octet) && next >= from && next <= to;
  });
}
