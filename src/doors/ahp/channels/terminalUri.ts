// The names of terminals: clients choose whole URIs, ours have short ids.

export function terminalUri(id: string): string {
  return isTerminalUri(id) ? id : `ahp-terminal:/${encodeURIComponent(id)}`;
}

/** Clients name their terminals by whole URIs; ours have short ids. */
export function terminalId(uri: string): string {
  const own = /^ahp-terminal:\/([^/:]+)$/.exec(uri)?.[1];
  return own === undefined ? uri : decodeURIComponent(own);
}

export function isTerminalUri(uri: string): boolean {
  return /^[a-z][a-z0-9+.-]*terminal:\/.+$/i.test(uri);
}
