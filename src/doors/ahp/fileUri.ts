// File paths as URIs and back; touches no disk.

export function fileUri(path: string): string {
  const slashed = path.replaceAll('\\', '/');
  const rooted = slashed.startsWith('/') ? slashed : `/${slashed}`;
  return `file://${rooted
    .split('/')
    .map((part) => encodeURIComponent(part).replace(/^([a-z])%3A$/i, '$1:'))
    .join('/')}`;
}

/** The path an URI names on this machine, or undefined where it names something else. */
export function filePath(uri: string): string | undefined {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  if (url?.protocol !== 'file:' || (url.hostname !== '' && url.hostname !== 'localhost')) return undefined;
  try {
    const path = decodeURIComponent(url.pathname);
    if (path.includes('\0')) return undefined;
    return /^\/[a-z]:/i.test(path) ? path.slice(1) : path;
  } catch {
    return undefined;
  }
}

/** The last part of a path, for people to read. */
export function nameOf(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== '') ?? path;
}
