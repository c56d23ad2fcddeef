// The frame of the console: the sidebar beside the current page, the palette, toasts, and the
// focus after a page change.
import { useEffect, useRef } from 'preact/hooks';
import type { Inbox } from '../../state/inbox.ts';
import { useClient } from '../../state/app.ts';
import { announcement } from '../../state/toasts.ts';
import { route } from '../../state/route.ts';
import { sidebarHidden } from '../../state/sidebar.ts';
import { ErrorBoundary } from '../parts/ErrorBoundary.tsx';
import { InboxPage } from '../pages/InboxPage.tsx';
import { StartPage } from '../pages/StartPage.tsx';
import { SettingsPage } from '../settings/SettingsPage.tsx';
import { SessionPage } from '../session/SessionPage.tsx';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { Palette } from './Palette.tsx';
import { PhoneHead } from './PhoneHead.tsx';
import { Rail } from './Rail.tsx';
import { ShortcutsDialog } from './ShortcutsDialog.tsx';
import { Sidebar } from './Sidebar.tsx';
import { SignIn } from './SignIn.tsx';
import { Toasts } from './Toasts.tsx';

interface AppProps {
  readonly inbox: Inbox;
  readonly onToken: (token: string) => void;
}

export function App({ inbox, onToken }: AppProps) {
  const client = useClient();
  const main = useRef<HTMLElement>(null);
  const refused = client.connection.value.kind === 'refused';
  usePageFocus(main, JSON.stringify(route.value));
  const waiting = inbox.waiting.value.length;
  const isReview = route.value.page === 'session' && route.value.view === 'changes';
  return (
    <div class={`app ${refused ? 'bare' : frameClass(isReview)}`}>
      <a class="skip" href="#main" onClick={(event) => skip(event)}>
        Skip to content
      </a>
      {isReview && !sidebarHidden.value && <Rail waiting={waiting} />}
      <Sidebar waiting={waiting} />
      <main class="main" ref={main} id="main" tabIndex={-1}>
        <ConnectionBanner />
        <Toasts />
        {!refused && <PhoneHead waiting={waiting} />}
        {refused ? (
          <SignIn onToken={onToken} />
        ) : (
          <ErrorBoundary key={JSON.stringify(route.value)} what="This page">
            <Page inbox={inbox} />
          </ErrorBoundary>
        )}
      </main>
      <Palette />
      <ShortcutsDialog />
      <div class="unseen" aria-live="polite" aria-atomic="true">
        {announcement.value}
      </div>
    </div>
  );

  function skip(event: Event): void {
    event.preventDefault();
    main.current?.focus();
  }
}

/** The review has a rail in place of the sidebar. */
function frameClass(isReview: boolean): string {
  if (sidebarHidden.value) return 'bare';
  return isReview ? 'railed' : '';
}

function Page({ inbox }: { readonly inbox: Inbox }) {
  const current = route.value;
  switch (current.page) {
    case 'session':
      return (
        <SessionPage
          key={current.session}
          session={current.session}
          chat={current.chat}
          view={current.view}
        />
      );
    case 'inbox':
      return <InboxPage inbox={inbox} />;
    case 'new':
    case 'sessions':
      return <StartPage />;
    case 'settings':
      return <SettingsPage section={current.section ?? 'page'} />;
    default:
      return current satisfies never;
  }
}

/**
 * Moves the focus to the heading of a new page, as a page load would. Some pages render their heading later;
 * a page that begins with a text field takes the focus itself.
 */
function usePageFocus(main: { readonly current: HTMLElement | null }, page: string): void {
  const first = useRef(true);
  useEffect(() => {
    const root = main.current;
    if (!root || first.current) {
      first.current = false;
      return;
    }
    if (root.contains(document.activeElement) && document.activeElement?.matches('textarea')) return;
    root.focus();
    const observer = new MutationObserver(() => focusHeading());
    const focusHeading = (): void => {
      const heading = root.querySelector('h1');
      // Do not take the focus from a user who has moved on.
      if (document.activeElement === root) heading?.focus();
      if (heading || document.activeElement !== root) observer.disconnect();
    };
    observer.observe(root, { childList: true, subtree: true });
    focusHeading();
    return () => observer.disconnect();
  }, [page]);
}
