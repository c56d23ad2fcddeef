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
  const found = names
    .map((name) => url.searchParams.get(name) ?? fragment.get(name))
    .find((value) => value !== null);
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

/** What a person pasted: the token itself, a link that holds it, or a link whose code the host takes for a cookie. */
export type Pasted = { readonly token: string } | { readonly visit: string };

export function pastedCredential(text: string): Pasted | undefined {
  const trimmed = text.trim();
  if (!URL.canParse(trimmed)) return trimmed === '' ? undefined : { token: trimmed };
  const { searchParams, hash } = new URL(trimmed);
  const fragment = new URLSearchParams(hash.slice(1));
  const token = names
    .map((name) => searchParams.get(name) ?? fragment.get(name))
    .find((value) => value !== null);
  const code = searchParams.get('code');
  if (token !== undefined) return { token };
  // Only the code is taken over: whatever host the link names, it is this page's host that is asked.
  return code === null ? undefined : { visit: `/sign-in?code=${encodeURIComponent(code)}` };
}
