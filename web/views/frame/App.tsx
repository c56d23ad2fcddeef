// The frame of the console: the session list beside the current page, toasts, and the
// focus after a page change.
import { useEffect, useRef } from 'preact/hooks';
import type { Inbox } from '../../state/inbox.ts';
import { useClient } from '../../state/app.ts';
import { useHasRole } from '../../state/role.ts';
import { announcement } from '../../state/toasts.ts';
import { addressOf, route } from '../../state/route.ts';
import { ErrorBoundary } from '../parts/ErrorBoundary.tsx';
import { Icon } from '../parts/Icon.tsx';
import { InboxPage } from '../pages/InboxPage.tsx';
import { NewSessionPage } from '../pages/NewSessionPage.tsx';
import { SessionList } from '../pages/SessionList.tsx';
import { SettingsPage } from '../settings/SettingsPage.tsx';
import { SessionPage } from '../session/SessionPage.tsx';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { SignIn } from './SignIn.tsx';
import { Toasts } from './Toasts.tsx';

interface AppProps {
  readonly inbox: Inbox;
  readonly onToken: (token: string) => void;
}

export function App({ inbox, onToken }: AppProps) {
  const client = useClient();
  const { page } = route.value;
  const main = useRef<HTMLElement>(null);
  const refused = client.connection.value.kind === 'refused';
  usePageFocus(main, JSON.stringify(route.value));
  return (
    <div class={`app on-${page}`}>
      <a class="skip" href="#main" onClick={(event) => skip(event)}>
        Skip to the content
      </a>
      <ConnectionBanner />
      <header class="side" role="banner">
        <SideHead count={inbox.waiting.value.length} />
        <SessionList />
      </header>
      <main ref={main} id="main" tabIndex={-1}>
        {page !== 'session' && page !== 'sessions' && (
          <a class="page-back" href={addressOf({ page: 'sessions' })}>
            <Icon name="back" /> Sessions
          </a>
        )}
        {refused ? (
          <SignIn onToken={onToken} />
        ) : (
          <ErrorBoundary key={JSON.stringify(route.value)} what="This page">
            <Page inbox={inbox} />
          </ErrorBoundary>
        )}
      </main>
      <Toasts />
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

function Page({ inbox }: { readonly inbox: Inbox }) {
  const current = route.value;
  switch (current.page) {
    case 'session':
      return <SessionPage key={current.session} session={current.session} chat={current.chat} />;
    case 'inbox':
      return <InboxPage inbox={inbox} />;
    case 'new':
      return <NewSessionPage />;
    case 'settings':
      return <SettingsPage section={current.section ?? 'page'} />;
    case 'sessions':
      return <Welcome />;
    default:
      return current satisfies never;
  }
}

function Welcome() {
  const agents = useClient().root.state.value?.agents ?? [];
  const mayControl = useHasRole('control');
  const onlyDemo = agents.length === 1 && agents[0]?.models.every(({ id }) => id === 'demo/demo');
  return (
    <section class="page welcome">
      <h1 tabIndex={-1}>Parley</h1>
      <p>{mayControl ? 'Pick a session on the left, or start a new one.' : 'Pick a session on the left.'}</p>
      {mayControl && (
        <p>
          <a class="button primary" href={addressOf({ page: 'new' })}>
            New session
          </a>
        </p>
      )}
      {mayControl && onlyDemo && (
        <p class="hint">
          You are using the built-in demo model. For real work{' '}
          <a href={addressOf({ page: 'settings', section: 'models' })}>sign in to a model provider</a> or{' '}
          <a href={addressOf({ page: 'settings', section: 'agents' })}>add an agent</a>.
        </p>
      )}
    </section>
  );
}

function SideHead({ count }: { readonly count: number }) {
  const { page } = route.value;
  const mayControl = useHasRole('control');
  const current = (name: string) => (page === name ? 'page' : undefined);
  return (
    <nav class="side-head" aria-label="Console">
      <a class="brand" href={addressOf({ page: 'sessions' })}>
        Parley
      </a>
      <a
        href={addressOf({ page: 'inbox' })}
        aria-current={current('inbox')}
        aria-label={
          count === 0 ? 'Inbox' : `Inbox, ${count} ${count === 1 ? 'session needs' : 'sessions need'} you`
        }
      >
        <Icon name="inbox" />
        {count > 0 && (
          <span class="count" aria-hidden="true">
            {count}
          </span>
        )}
      </a>
      <a href={addressOf({ page: 'settings' })} aria-current={current('settings')} aria-label="Settings">
        <Icon name="settings" />
      </a>
      {mayControl && (
        <a
          class="primary button"
          href={addressOf({ page: 'new' })}
          aria-current={current('new')}
          aria-label="New session"
        >
          <Icon name="plus" />
        </a>
      )}
    </nav>
  );
}

/**
 * Moves the focus to the heading of a new page, as a page load would. Some pages render their heading later.
 */
function usePageFocus(main: { readonly current: HTMLElement | null }, page: string): void {
  const first = useRef(true);
  useEffect(() => {
    const root = main.current;
    if (!root || first.current) {
      first.current = false;
      return;
    }
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
