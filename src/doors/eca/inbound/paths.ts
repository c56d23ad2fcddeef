// Paths that ECA clients send. Pure.

/** The path of a file URI; a plain path is returned as it is, any other URI has none. */
export function pathOf(uri: string): string | undefined {
  if (!uri.includes('://')) return uri === '' ? undefined : uri;
  const rest = /^file:\/\/(?:localhost)?(\/.*)$/i.exec(uri)?.[1];
  if (rest === undefined) return undefined;
  const path = decode(rest);
  const drive = /^\/[A-Za-z]:/.test(path) ? path.slice(1) : path;
  return drive.length > 1 && drive.endsWith('/') && !drive.endsWith(':/') ? drive.slice(0, -1) : drive;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
