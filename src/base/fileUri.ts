// Converts file paths to URIs and back, with an optional range of lines in the fragment. Touches no disk.

export interface FileLocation {
  readonly path: string;
  readonly lines?: { readonly start: number; readonly end: number };
}

export function fileUri(path: string, lines?: FileLocation['lines']): string {
  const slashed = path.replaceAll('\\', '/');
  const rooted = slashed.startsWith('/') ? slashed : `/${slashed}`;
  const encoded = rooted
    .split('/')
    .map((part) => encodeURIComponent(part).replace(/^([a-z])%3A$/i, '$1:'))
    .join('/');
  return `file://${encoded}${lines ? `#L${lines.start}-${lines.end}` : ''}`;
}

/** The file that the URI names on this machine; undefined for any other URI. */
export function readFileUri(uri: string): FileLocation | undefined {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  if (url?.protocol !== 'file:' || (url.hostname !== '' && url.hostname !== 'localhost')) return undefined;
  const path = decode(url.pathname);
  if (path === undefined || path.includes('\0')) return undefined;
  const [, start, end] = /^#L(\d+)(?:[-:]L?(\d+))?$/.exec(url.hash) ?? [];
  const lines = start === undefined ? {} : { lines: { start: Number(start), end: Number(end ?? start) } };
  return { path: /^\/[a-z]:/i.test(path) ? path.slice(1) : path, ...lines };
}

/** The path that the URI names on this machine; undefined for any other URI. */
export function filePath(uri: string): string | undefined {
  return readFileUri(uri)?.path;
}

/** An absolute path of any platform: sessions may come from another machine than this one. */
export function isAbsolute(path: string): boolean {
  return /^(?:\/|[a-z]:[\\/]|\\\\)/i.test(path) && !path.includes('\0');
}

/** True for paths that differ at most in trailing slashes. */
export function samePath(one: string, other: string): boolean {
  return withoutEnd(one) === withoutEnd(other);
}

/** The last part of a path or URI, for people to read. */
export function baseName(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== '') ?? path;
}

function withoutEnd(path: string): string {
  return path.length > 1 ? path.replace(/[\\/]+$/, '') : path;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
