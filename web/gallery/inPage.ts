// Lets menus, drawers and dialogs stand in the page, so that all of them are seen beside each other.

/** In forced styles the class stands for the state. */
const shown = 'shows-open';

export function keepInPage(): void {
  HTMLDialogElement.prototype.showModal = function show(this: HTMLDialogElement) {
    this.show();
  };
  HTMLElement.prototype.showPopover = function show(this: HTMLElement) {
    this.classList.add(shown);
    Object.defineProperty(this, 'matches', {
      configurable: true,
      value: (selector: string) =>
        selector === ':popover-open' || Element.prototype.matches.call(this, selector),
    });
    this.dispatchEvent(new Event('toggle'));
  };
}

/** Opens what is closed in this part of the page: menus and drawers. */
export function openAll(part: HTMLElement): void {
  for (const each of part.querySelectorAll<HTMLElement>('[popover]:not([popover] [popover])'))
    each.showPopover();
}

/** Shows what is there under a pointer only: at a message and a session. */
export function hoverFirst(part: HTMLElement): void {
  for (const place of ['.msg-user', '.turn', '.session-wrap'])
    part.querySelector(place)?.classList.add('shows-hover');
}

/** Presses one button after the other, each as soon as it is there. */
export function pressEach(part: HTMLElement, names: readonly string[]): () => void {
  const left = [...names];
  const press = (): void => {
    const [name] = left;
    if (name === undefined) return;
    const button = [...part.querySelectorAll<HTMLElement>('button, summary')].find((each) =>
      (each.ariaLabel ?? each.textContent).trim().startsWith(name),
    );
    if (!button) return;
    left.shift();
    button.click();
  };
  const observer = new MutationObserver(press);
  observer.observe(part, { childList: true, subtree: true });
  press();
  return () => observer.disconnect();
}
