// Credentials in the address: a token is stored for this tab, the code of a sign-in link is redeemed; both
// leave the address bar.

const storageKey = 'parley.token';
const tokenNames = ['tkn', 'token'];

export interface Tab {
  readonly location: { readonly href: string };
  readonly history: { replaceState(data: unknown, unused: string, url: string): void };
  readonly sessionStorage: Storage;
  readonly localStorage: Storage;
}

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem'>;

/** The code of the sign-in link by which this page was opened. */
export function takeCode({ location, history }: Pick<Tab, 'location' | 'history'>): string | undefined {
  const url = new URL(location.href);
  const code = url.searchParams.get('code');
  if (url.pathname !== signInPath || code === null) return undefined;
  history.replaceState(null, '', new URL('/', url).href);
  return code;
}

const signInPath = '/sign-in';

/** The token in the address, otherwise the one stored for this tab, otherwise the one of this browser. */
export function takeToken({ location, history, sessionStorage, localStorage }: Tab): string | undefined {
  const url = new URL(location.href);
  const token = tokenIn(url);
  if (token === undefined)
    return sessionStorage.getItem(storageKey) ?? localStorage.getItem(storageKey) ?? undefined;
  const fragment = fragmentOf(url);
  for (const name of tokenNames) url.searchParams.delete(name);
  if (tokenNames.some((name) => fragment.has(name))) url.hash = '';
  history.replaceState(null, '', url.href);
  storeToken(token, sessionStorage);
  return token;
}

/** In the storage of the tab or, for all its tabs, of the browser. */
export function storeToken(token: string, storage: Storage): void {
  storage.setItem(storageKey, token);
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
  return code === null ? undefined : { visit: `${signInPath}?code=${encodeURIComponent(code)}` };
}

function tokenIn(url: URL): string | undefined {
  const fragment = fragmentOf(url);
  const values = tokenNames.map((name) => url.searchParams.get(name) ?? fragment.get(name));
  return values.find((value) => value !== null) ?? undefined;
}

function fragmentOf(url: URL): URLSearchParams {
  return new URLSearchParams(url.hash.slice(1));
}
