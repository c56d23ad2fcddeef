// The token of a sign-in link: read from the address, stored for this tab, and removed from the address bar.

const storageKey = 'parley.token';
const tokenNames = ['tkn', 'token'];

export interface Tab {
  readonly location: { readonly href: string };
  readonly history: { replaceState(data: unknown, unused: string, url: string): void };
  readonly sessionStorage: Pick<Storage, 'getItem' | 'setItem'>;
}

/** The token in the address, otherwise the one stored for this tab. */
export function takeToken({ location, history, sessionStorage }: Tab): string | undefined {
  const url = new URL(location.href);
  const token = tokenIn(url);
  if (token === undefined) return sessionStorage.getItem(storageKey) ?? undefined;
  const fragment = fragmentOf(url);
  for (const name of tokenNames) url.searchParams.delete(name);
  if (tokenNames.some((name) => fragment.has(name))) url.hash = '';
  history.replaceState(null, '', url.href);
  storeToken(token, sessionStorage);
  return token;
}

export function storeToken(token: string, sessionStorage: Tab['sessionStorage']): void {
  sessionStorage.setItem(storageKey, token);
}

/** A token, or the path to visit with the one-time code of a sign-in link. */
export type PastedCredential = { readonly token: string } | { readonly visit: string };

export function pastedCredential(text: string): PastedCredential | undefined {
  const trimmed = text.trim();
  if (!URL.canParse(trimmed)) return trimmed === '' ? undefined : { token: trimmed };
  const url = new URL(trimmed);
  const token = tokenIn(url);
  const code = url.searchParams.get('code');
  if (token !== undefined) return { token };
  // Only the code is used: the request goes to the host of this page, whatever host the link names.
  return code === null ? undefined : { visit: `/sign-in?code=${encodeURIComponent(code)}` };
}

function tokenIn(url: URL): string | undefined {
  const fragment = fragmentOf(url);
  const values = tokenNames.map((name) => url.searchParams.get(name) ?? fragment.get(name));
  return values.find((value) => value !== null) ?? undefined;
}

function fragmentOf(url: URL): URLSearchParams {
  return new URLSearchParams(url.hash.slice(1));
}
