// The sidebar: new session, search, inbox, the sessions by folder, the connection and the settings. On a
// phone it is a drawer that closes after a choice.
import { useEffect, useRef } from 'preact/hooks';
import { useClient } from '../../state/app.ts';
import { openPalette } from '../../state/palette.ts';
import { useHasRole } from '../../state/role.ts';
import { addressOf, route } from '../../state/route.ts';
import { sidebarHidden } from '../../state/sidebar.ts';
import { Icon, Logo } from '../parts/Icon.tsx';
import { SessionList } from '../pages/SessionList.tsx';
import { inboxLabel } from './PhoneHead.tsx';
import { sidebarId } from './SidebarButton.tsx';

export function Sidebar({ waiting }: { readonly waiting: number }) {
  const drawer = useRef<HTMLElement>(null);
  const place = JSON.stringify(route.value);
  useEffect(() => {
    if (drawer.current?.matches(':popover-open')) drawer.current.hidePopover();
  }, [place]);
  return (
    <aside ref={drawer} class="sidebar" id={sidebarId} popover="auto" aria-label="Sidebar">
      <div class="brand">
        <a href={addressOf({ page: 'sessions' })}>
          <Logo />
          Parley
        </a>
        <span class="grow" />
        <button
          type="button"
          class="btn ghost icon-only small desk-only"
          aria-label="Hide sidebar"
          title="Hide sidebar (Ctrl+B)"
          onClick={() => (sidebarHidden.value = true)}
        >
          <Icon name="sidebar" />
        </button>
      </div>
      <Navigation waiting={waiting} />
      <SessionList />
      <Foot />
    </aside>
  );
}

function Navigation({ waiting }: { readonly waiting: number }) {
  const { page } = route.value;
  const mayControl = useHasRole('control');
  return (
    <nav class="nav" aria-label="Console">
      {mayControl && (
        <a
          class="nav-item new"
          href={addressOf({ page: 'new' })}
          aria-current={page === 'new' ? 'page' : undefined}
        >
          <Icon name="plus" />
          New session
          <span class="end" aria-hidden="true">
            <kbd>Alt N</kbd>
          </span>
        </a>
      )}
      <button type="button" class="nav-item" onClick={openPalette}>
        <Icon name="search" />
        Search
        <span class="end" aria-hidden="true">
          <kbd>Ctrl K</kbd>
        </span>
      </button>
      <a
        class="nav-item"
        href={addressOf({ page: 'inbox' })}
        aria-current={page === 'inbox' ? 'page' : undefined}
      >
        <Icon name="inbox" />
        <span class="unseen">{inboxLabel(waiting)}</span>
        <span aria-hidden="true">Inbox</span>
        {waiting > 0 && (
          <span class="end" aria-hidden="true">
            <span class="badge wait">{waiting}</span>
          </span>
        )}
      </a>
    </nav>
  );
}

const connectionLabels = {
  online: 'Connected',
  connecting: 'Not connected',
  reconnecting: 'Not connected',
  refused: 'Not signed in',
  incompatible: 'Not compatible',
} as const;

function Foot() {
  const { kind } = useClient().connection.value;
  const { page } = route.value;
  return (
    <div class="side-foot">
      <span class={`dot ${kind}`} />
      <span class="grow truncate">{connectionLabels[kind]}</span>
      <a
        class="btn ghost icon-only small"
        href={addressOf({ page: 'settings' })}
        aria-label="Settings"
        title="Settings (Ctrl+,)"
        aria-current={page === 'settings' ? 'page' : undefined}
      >
        <Icon name="sliders" />
      </a>
    </div>
  );
}
