// The keys of the review: J and K go to the next and previous hunk, X accepts it, C comments on it.
import { useEffect } from 'preact/hooks';

export function useReviewKeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { target, key, altKey, ctrlKey, metaKey } = event;
      if (altKey || ctrlKey || metaKey || document.querySelector('dialog[open]')) return;
      if (target instanceof HTMLElement && target.matches(typing)) return;
      const run = actions.get(key.toLowerCase());
      if (!run) return;
      event.preventDefault();
      run();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

/** A radio button or a checkbox takes no letters. */
const typing = 'input:not([type=radio], [type=checkbox]), textarea, select';

const actions: ReadonlyMap<string, () => void> = new Map([
  ['j', () => move(1)],
  ['k', () => move(-1)],
  ['x', () => pressInHunk('.accept-key')],
  ['c', () => pressInHunk('.comment-key')],
]);

function move(step: number): void {
  const hunks = [...document.querySelectorAll<HTMLElement>('.review-hunk')];
  const at = hunks.findIndex((hunk) => hunk.contains(document.activeElement));
  const next = at < 0 ? 0 : Math.min(hunks.length - 1, Math.max(0, at + step));
  hunks[next]?.focus({ preventScroll: true });
  hunks[next]?.scrollIntoView({ block: 'nearest' });
}

function pressInHunk(button: string): void {
  document.activeElement?.closest('.review-hunk')?.querySelector<HTMLElement>(button)?.click();
}
