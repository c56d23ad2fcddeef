// The current page, stored in the URL fragment, so that links, back and reload work.
import { signal } from '@preact/signals';
import { present } from '../../src/base/present.ts';
import type { URI } from '../../src/protocols/ahp/v1_0/content.ts';

export type Route =
  | { readonly page: 'sessions' }
  | {
      readonly page: 'inbox';
      /** Absent for what still waits. */
      readonly view?: 'answered';
    }
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

export interface SearchedLine {
  readonly session: URI;
  /** A line of the session's transcript, as the search has found it. */
  readonly line: string;
  /** The chats of the session that do not have it. */
  readonly tried?: readonly URI[];
}

/** What the session page is to show once it has its transcript. */
export const searchedLine = signal<SearchedLine | undefined>(undefined);

export function followAddress(): void {
  const read = () => {
    const next = readRoute(location.hash);
    const line = lineIn(location.hash);
    if (line !== undefined && next.page === 'session') {
      searchedLine.value = { session: next.session, line };
      // The same line can be opened again, and Back does not jump to it.
      history.replaceState(history.state, '', addressOf(next));
    } else if (next.page !== 'session' || next.session !== searchedLine.peek()?.session) {
      searchedLine.value = undefined;
    }
    route.value = next;
  };
  addEventListener('hashchange', read);
  read();
}

export function readRoute(hash: string): Route {
  const [path = ''] = hash.replace(/^#\/?/, '').split(lineMark);
  const [page, ...rest] = path.split('/');
  if (page === 'new') return { page };
  if (page === 'inbox') return rest[0] === 'answered' ? { page, view: 'answered' } : { page };
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
  if (target.page === 'inbox') return target.view === undefined ? '#/inbox' : `#/inbox/${target.view}`;
  if (target.page !== 'session') return `#/${target.page}`;
  const chat = target.chat === undefined ? '' : `/${encodeURIComponent(target.chat)}`;
  return `#/${target.view ?? 'session'}/${encodeURIComponent(target.session)}${chat}`;
}

const lineMark = '?line=';

/** The address of a line that a search has found. */
export function addressOfLine({ session, line }: SearchedLine): string {
  return `${addressOf({ page: 'session', session })}${lineMark}${encodeURIComponent(line)}`;
}

export function lineIn(hash: string): string | undefined {
  const [, line] = hash.split(lineMark);
  return line === undefined ? undefined : decode(line);
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
