// The toasts in the corner of the page.
import { dismiss, toasts } from '../../state/toasts.ts';
import { Icon } from '../parts/Icon.tsx';

export function Toasts() {
  return (
    <div class="toasts" role="region" aria-label="Messages" aria-live="assertive">
      {toasts.value.map(({ id, kind, text }) => (
        <p key={id} class={`toast ${kind}`}>
          <span>{text}</span>
          <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
            <Icon name="close" />
          </button>
        </p>
      ))}
    </div>
  );
}
