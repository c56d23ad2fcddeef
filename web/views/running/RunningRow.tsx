// One thing that runs or has ended: a line that unfolds to its output, with buttons at its end.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Icon } from '../parts/Icon.tsx';

interface RunningRowProps {
  readonly mark: ComponentChildren;
  readonly title: string;
  /** A command line is shown as code. */
  readonly isCommand?: boolean;
  /** How long it runs, or how it ended. */
  readonly outcome: ComponentChildren;
  readonly buttons?: ComponentChildren;
  readonly startsOpen?: boolean;
  readonly children: ComponentChildren;
}

export function RunningRow(props: RunningRowProps) {
  const { mark, title, isCommand = false, outcome, buttons, startsOpen = false, children } = props;
  const [open, setOpen] = useState(startsOpen);
  return (
    <li class="running-row" aria-label={title}>
      <details class="call" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          {mark}
          {isCommand ? (
            <code class="object">{title}</code>
          ) : (
            <span class="object" dir="auto">
              {title}
            </span>
          )}
          <Icon name="chev" kind="chev" />
          <span class="end">{outcome}</span>
        </summary>
        {open && <div class="call-body">{children}</div>}
      </details>
      {buttons && <div class="row-buttons">{buttons}</div>}
    </li>
  );
}

interface EndButtonProps {
  readonly label: string;
  readonly name: string;
  readonly disabled?: boolean;
  readonly onClick: () => void;
}

/** Ends what the row shows; its accessible name says what that is. */
export function EndButton({ label, name, disabled = false, onClick }: EndButtonProps) {
  return (
    <button
      type="button"
      class="btn small danger"
      aria-label={`${label} ${name}`}
      disabled={disabled}
      onClick={onClick}
    >
      {label}
    </button>
  );
}
