// The header of pages that have none of their own, on phones only: opens the sidebar, the palette, the inbox.
import { addressOf, route } from '../../state/route.ts';
import { openPalette } from '../../state/palette.ts';
import { Icon } from '../parts/Icon.tsx';
import { SidebarButton } from './SidebarButton.tsx';

const names = { sessions: 'New session', new: 'New session', inbox: 'Inbox', settings: 'Settings' } as const;

export function PhoneHead({ waiting }: { readonly waiting: number }) {
  const { page } = route.value;
  if (page === 'session') return null;
  return (
    <div class="head phone-only">
      <SidebarButton />
      <div class="title">
        <p class="h-phone">{names[page]}</p>
      </div>
      <div class="tools">
        <button type="button" class="btn ghost icon-only" aria-label="Search" onClick={openPalette}>
          <Icon name="search" />
        </button>
        <a
          class="btn ghost icon-only rel"
          href={addressOf({ page: 'inbox' })}
          aria-label={inboxLabel(waiting)}
        >
          <Icon name="inbox" />
          {waiting > 0 && (
            <span class="count" aria-hidden="true">
              {waiting}
            </span>
          )}
        </a>
      </div>
    </div>
  );
}

export function inboxLabel(waiting: number): string {
  if (waiting === 0) return 'Inbox';
  return `Inbox, ${waiting} ${waiting === 1 ? 'session needs' : 'sessions need'} you`;
}
