// One row of a list in the settings: a letter, a name with a badge, details, and buttons; below it a form.
import type { ComponentChildren } from 'preact';
import { Icon } from '../parts/Icon.tsx';
import type { IconName } from '../parts/Icon.tsx';

interface ItemRowProps {
  readonly name: string;
  /** Stands in for the first letter of the name. */
  readonly icon?: IconName;
  readonly badge?: ComponentChildren;
  /** Lines below the name. */
  readonly details: ComponentChildren;
  /** At the end of the row. */
  readonly buttons?: ComponentChildren;
  /** Where there is no room beside the text, the buttons go below it. */
  readonly wraps?: boolean;
  /** Below the row, such as a form. */
  readonly children?: ComponentChildren;
}

export function ItemRow({ name, icon, badge, details, buttons, wraps = false, children }: ItemRowProps) {
  return (
    <li aria-label={name}>
      <div class={`item-row ${wraps ? 'wraps' : ''}`}>
        <span class="avatar" aria-hidden="true">
          {icon ? <Icon name={icon} /> : name.charAt(0).toUpperCase()}
        </span>
        <div class="main-text">
          <span class="row">
            <b class="truncate">{name}</b>
            {badge}
          </span>
          {details}
        </div>
        {buttons !== undefined && <div class="end">{buttons}</div>}
      </div>
      {children}
    </li>
  );
}
