// The toasts: over the title of the page, because what waits and the composer are below it.
import { dismiss, pauseToasts, toasts } from '../../state/toasts.ts';
import { IconButton } from '../parts/Icon.tsx';

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
          <IconButton icon="x" label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
