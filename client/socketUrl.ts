// The addresses of a host.

/** `http://host:port` and `ws://host:port` mean the same host; the path is that of AHP. */
export function socketUrl(url: string, token: string | undefined): string {
  const { protocol, host } = new URL(url);
  if (!/^(?:http|ws)s?:$/.test(protocol)) throw new Error(`${url} is not the address of a host.`);
  const scheme = protocol === 'https:' || protocol === 'wss:' ? 'wss:' : 'ws:';
  return `${scheme}//${host}/ahp${token === undefined ? '' : `?tkn=${encodeURIComponent(token)}`}`;
}

/** Whether a host answers at the address; needs no credential. */
export async function answersAt(address: string): Promise<boolean> {
  try {
    await fetch(new URL('/healthz', address.replace(/^ws/, 'http')));
    return true;
  } catch {
    return false;
  }
}
