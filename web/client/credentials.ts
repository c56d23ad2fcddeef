// The token that a sign-in link hands over: read once from the address, kept for this tab, and taken out of the address bar.

const storedAs = 'parley.token';
const names = ['tkn', 'token'];

export interface Tab {
  readonly location: { readonly href: string };
  readonly history: { replaceState(data: unknown, unused: string, url: string): void };
  readonly sessionStorage: Pick<Storage, 'getItem' | 'setItem'>;
}

/** The token from the address if it has one, otherwise the one this tab was given before. */
export function takeToken({ location, history, sessionStorage }: Tab): string | undefined {
  const url = new URL(location.href);
  const fragment = new URLSearchParams(url.hash.slice(1));
  const found = names.map((name) => url.searchParams.get(name) ?? fragment.get(name)).find((value) => value !== null);
  if (found === undefined) return sessionStorage.getItem(storedAs) ?? undefined;
  for (const name of names) url.searchParams.delete(name);
  if (names.some((name) => fragment.has(name))) url.hash = '';
  history.replaceState(null, '', url.href);
  keepToken(found, sessionStorage);
  return found;
}

export function keepToken(token: string, sessionStorage: Tab['sessionStorage']): void {
  sessionStorage.setItem(storedAs, token);
}

/** A person may paste the whole sign-in link or the token alone. */
export function tokenIn(text: string): string | undefined {
  const trimmed = text.trim();
  if (!URL.canParse(trimmed)) return trimmed === '' ? undefined : trimmed;
  const { searchParams, hash } = new URL(trimmed);
  const fragment = new URLSearchParams(hash.slice(1));
  return names.map((name) => searchParams.get(name) ?? fragment.get(name)).find((value) => value !== null) ?? undefined;
}
