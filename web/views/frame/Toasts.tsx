// The toasts at the lower edge of the page.
import { dismiss, pauseToasts, toasts } from '../../state/toasts.ts';
import { Icon } from '../parts/Icon.tsx';

export function Toasts() {
  return (
    <div
      class="toasts"
      role="region"
      aria-label="Messages"
      aria-live="assertive"
      onMouseEnter={() => pauseToasts(true)}
      onMouseLeave={() => pauseToasts(false)}
    >
      {toasts.value.map(({ id, kind, text, action }) => (
        <div key={id} class={`toast ${kind}`}>
          <span dir="auto">{text}</span>
          {action && (
            <button
              type="button"
              class="btn small"
              onClick={() => {
                dismiss(id);
                action.run();
              }}
            >
              {action.label}
            </button>
          )}
          <button
            type="button"
            class="btn ghost icon-only small"
            aria-label="Dismiss"
            onClick={() => dismiss(id)}
          >
            <Icon name="x" />
          </button>
        </div>
      ))}
    </div>
  );
}
