// A button with a menu that opens beside it: closes on Escape, on a click elsewhere and after a choice, and
// gives the focus back to the button. Arrow keys move between its items.
import type { ComponentChildren, RefObject } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { Icon } from './Icon.tsx';
import type { IconName } from './Icon.tsx';

interface MenuButtonProps {
  /** The accessible name of the button. */
  readonly label: string;
  readonly class: string;
  readonly title?: string;
  readonly disabled?: boolean;
  /** The accessible name of the menu. */
  readonly menu: string;
  /** A menu with a search field is a dialog. */
  readonly kind?: 'menu' | 'dialog';
  readonly shape?: 'wide' | 'below' | '';
  /** What the button shows; its name is said by `label`. */
  readonly face: ComponentChildren;
  readonly children: (close: () => void) => ComponentChildren;
}

export function MenuButton(props: MenuButtonProps) {
  const { label, title, disabled = false, menu, kind = 'menu', shape = '', face, children } = props;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const close = (): void => box.current?.hidePopover();
  return (
    <>
      <button
        type="button"
        class={`${props.class} ${open ? 'is-open' : ''}`}
        aria-haspopup={kind}
        aria-expanded={open}
        title={title}
        disabled={disabled}
        popovertarget={id}
      >
        <span class="unseen">{label}</span>
        <span class="face" aria-hidden="true">
          {face}
        </span>
      </button>
      <Menu box={box} id={id} class={shape} kind={kind} label={menu} onToggle={setOpen}>
        {open && children(close)}
      </Menu>
    </>
  );
}

interface MenuProps {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly id?: string;
  readonly class: string;
  readonly kind?: 'menu' | 'dialog';
  readonly label: string;
  readonly onToggle: (isOpen: boolean) => void;
  readonly children: ComponentChildren;
}

/** The box of a menu; whoever shows it as a popover says where it opens. */
export function Menu(props: MenuProps) {
  const { box, id, kind = 'menu', label, onToggle, children } = props;
  return (
    <div
      ref={box}
      id={id}
      class={`menu ${props.class}`}
      popover="auto"
      role={kind}
      aria-label={label}
      onToggle={(event) => {
        const isOpen = event.currentTarget.matches(':popover-open');
        onToggle(isOpen);
        if (isOpen) requestAnimationFrame(() => focusFirst(box.current));
      }}
      onKeyDown={moveFocus}
    >
      {children}
    </div>
  );
}

interface MenuItemProps {
  readonly icon?: IconName;
  readonly label: string;
  readonly note?: string | undefined;
  /** At the end of the row: a key, a number. */
  readonly end?: ComponentChildren;
  /** Present for one of several choices. */
  readonly checked?: boolean;
  readonly disabled?: boolean;
  readonly danger?: boolean;
  readonly role?: 'menuitem' | 'option';
  readonly onChoose: () => void;
}

export function MenuItem(props: MenuItemProps) {
  const { icon, label, note, end, checked, disabled = false, danger = false, role = 'menuitem' } = props;
  const choice = checked === undefined ? {} : checkedState(role, checked);
  return (
    <button
      type="button"
      class={`item ${danger ? 'danger' : ''}`}
      role={checked !== undefined && role === 'menuitem' ? 'menuitemradio' : role}
      disabled={disabled}
      onClick={props.onChoose}
      {...choice}
    >
      {icon && <Icon name={icon} />}
      <span class="two">
        <span dir="auto">{label}</span>
        {note !== undefined && note !== '' && <small dir="auto">{note}</small>}
      </span>
      {end !== undefined && <span class="end">{end}</span>}
      {checked !== undefined && <Icon name="check" kind="tick" />}
    </button>
  );
}

function checkedState(role: 'menuitem' | 'option', checked: boolean) {
  return role === 'option' ? { 'aria-selected': checked } : { 'aria-checked': checked };
}

const items = '.item:not(:disabled)';

function focusFirst(box: HTMLElement | null): void {
  const chosen =
    box?.querySelector<HTMLElement>('input') ?? box?.querySelector<HTMLElement>('[aria-checked="true"]');
  (chosen ?? box?.querySelector<HTMLElement>(items))?.focus();
}

const steps: ReadonlyMap<string, number> = new Map([
  ['ArrowDown', 1],
  ['ArrowUp', -1],
]);

function moveFocus(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const step = steps.get(event.key);
  if (step === undefined) return;
  event.preventDefault();
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>(items)];
  const at = all.findIndex((item) => item === document.activeElement);
  const next = at < 0 && step < 0 ? all.length - 1 : at + step;
  all.at(next % Math.max(1, all.length))?.focus();
}
