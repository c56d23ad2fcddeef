// The current page, stored in the URL fragment, so that links, back and reload work.
import { signal } from '@preact/signals';
import { present } from '../../src/base/present.ts';
import type { URI } from '../../src/protocols/ahp/v1_0/content.ts';

export type Route =
  | { readonly page: 'sessions' }
  | { readonly page: 'inbox' }
  | { readonly page: 'new' }
  | { readonly page: 'settings'; readonly section?: SettingsSection }
  | {
      readonly page: 'session';
      readonly session: URI;
      readonly chat?: URI;
      /** Absent for the conversation. */
      readonly view?: 'changes';
    };

export const settingsSections = [
  'page',
  'models',
  'tools',
  'agents',
  'permissions',
  'devices',
  'usage',
  'file',
] as const;

export type SettingsSection = (typeof settingsSections)[number];

export const route = signal<Route>({ page: 'sessions' });

export function followAddress(): void {
  const read = () => {
    route.value = readRoute(location.hash);
  };
  addEventListener('hashchange', read);
  read();
}

export function readRoute(hash: string): Route {
  const [page, ...rest] = hash.replace(/^#\/?/, '').split('/');
  if (page === 'inbox' || page === 'new') return { page };
  if (page === 'settings') {
    const section = settingsSections.find((name) => name === rest[0]);
    return section === undefined ? { page } : { page, section };
  }
  const [session, chat] = rest.map(decode);
  if ((page !== 'session' && page !== 'changes') || session === undefined) return { page: 'sessions' };
  const view = page === 'changes' ? ('changes' as const) : undefined;
  return present({ page: 'session' as const, session, chat, view });
}

export function addressOf(target: Route): string {
  if (target.page === 'sessions') return '#/';
  if (target.page === 'settings')
    return target.section === undefined ? '#/settings' : `#/settings/${target.section}`;
  if (target.page !== 'session') return `#/${target.page}`;
  const chat = target.chat === undefined ? '' : `/${encodeURIComponent(target.chat)}`;
  return `#/${target.view ?? 'session'}/${encodeURIComponent(target.session)}${chat}`;
}

export function goTo(target: Route): void {
  location.hash = addressOf(target);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
