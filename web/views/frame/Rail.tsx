// The narrow sidebar of the review, which needs the width: everything of the sidebar is one press away.
import { openPalette } from '../../state/palette.ts';
import { useHasRole } from '../../state/role.ts';
import { addressOf } from '../../state/route.ts';
import { Icon, Logo } from '../parts/Icon.tsx';
import { inboxLabel } from './PhoneHead.tsx';
import { sidebarId } from './SidebarButton.tsx';

export function Rail({ waiting }: { readonly waiting: number }) {
  const mayControl = useHasRole('control');
  return (
    <nav class="rail" aria-label="Main">
      <a href={addressOf({ page: 'sessions' })} aria-label="Parley, start page">
        <Logo />
      </a>
      <button
        type="button"
        class="btn ghost icon-only"
        aria-label="Show sidebar"
        title="Show sidebar"
        popovertarget={sidebarId}
      >
        <Icon name="sidebar" />
      </button>
      {mayControl && (
        <a
          class="btn ghost icon-only"
          href={addressOf({ page: 'new' })}
          aria-label="New session"
          title="New session (Alt+N)"
        >
          <Icon name="plus" />
        </a>
      )}
      <button
        type="button"
        class="btn ghost icon-only"
        aria-label="Search"
        title="Search (Ctrl+K)"
        onClick={openPalette}
      >
        <Icon name="search" />
      </button>
      <a
        class="btn ghost icon-only"
        href={addressOf({ page: 'inbox' })}
        aria-label={inboxLabel(waiting)}
        title="Inbox (Alt+I)"
      >
        <Icon name="inbox" />
        {waiting > 0 && (
          <span class="count" aria-hidden="true">
            {waiting}
          </span>
        )}
      </a>
      <span class="grow" />
      <a
        class="btn ghost icon-only"
        href={addressOf({ page: 'settings' })}
        aria-label="Settings"
        title="Settings (Ctrl+,)"
      >
        <Icon name="sliders" />
      </a>
    </nav>
  );
}
