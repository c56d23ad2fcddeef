// Opens the sidebar where it is a drawer: on phones.
import { Icon } from '../parts/Icon.tsx';

export const sidebarId = 'sidebar';

export function SidebarButton() {
  return (
    <button
      type="button"
      class="btn ghost icon-only menu-btn"
      aria-label="Sessions"
      title="Sessions"
      popovertarget={sidebarId}
    >
      <Icon name="menu" />
    </button>
  );
}
