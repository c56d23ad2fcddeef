// A bar above the composer that names what waits for the user in this chat and jumps to it. Hidden while the
// ends of all of it are in view, because the buttons are there.
import { useEffect, useState } from 'preact/hooks';
import type { ChatState } from '../../../src/protocols/ahp/v1_0/state.ts';
import { showNextWaiting } from '../../state/showWaiting.ts';
import { Icon } from '../parts/Icon.tsx';
import { waitingPartsIn } from '../transcript/waiting.ts';
import type { WaitingPart } from '../transcript/waiting.ts';

export function Waits({ chat: { activeTurn } }: { readonly chat: ChatState }) {
  const parts = waitingPartsIn(activeTurn);
  const inView = useEndsInView(parts.map(({ id }) => id));
  const [first] = parts;
  if (!first || inView) return null;
  return (
    <div class="waits" role="status">
      <span class="status wait" role="img" aria-label="Needs you" />
      <b>{countText(parts)}</b>
      <span class="what" dir="auto">
        {first.what}
      </span>
      <span class="end">
        <button type="button" class="btn small" onClick={showNextWaiting}>
          <Icon name="arrow-up" />
          Show
          <kbd aria-hidden="true">Alt W</kbd>
        </button>
      </span>
    </div>
  );
}

function countText(parts: readonly WaitingPart[]): string {
  const approvals = parts.filter(({ kind }) => kind === 'approval').length;
  const questions = parts.length - approvals;
  const texts = [
    ...(approvals > 0 ? [`${approvals} ${approvals === 1 ? 'approval' : 'approvals'}`] : []),
    ...(questions > 0 ? [`${questions} ${questions === 1 ? 'question' : 'questions'}`] : []),
  ];
  return `${texts.join(', ')} ${parts.length === 1 ? 'waits' : 'wait'}`;
}

/**
 * Whether the end of every element is visible; a tall one does not fit on a phone. True until that is known:
 * a bar that only comes and goes would move the buttons under the pointer.
 */
function useEndsInView(ids: readonly string[]): boolean {
  const [visible, setVisible] = useState<ReadonlySet<string> | undefined>(undefined);
  useEffect(() => {
    const elements = ids.map((id) => document.getElementById(id));
    setVisible(elements.includes(null) ? new Set() : undefined);
    const observer = new IntersectionObserver(
      (entries) =>
        setVisible((before) => {
          const next = new Set(before ?? []);
          for (const entry of entries) {
            if (isEndInView(entry)) next.add(entry.target.id);
            else next.delete(entry.target.id);
          }
          return next;
        }),
      { threshold: steps },
    );
    for (const element of elements) if (element) observer.observe(element);
    return () => observer.disconnect();
  }, [ids.join(' ')]);
  return visible === undefined || ids.every((id) => visible.has(id));
}

/** In parts of an element: how often it is looked at while it is scrolled. */
const steps = Array.from({ length: 51 }, (_, step) => step / 50);

/** In pixels: more of it must be visible than its last button, or all of it. */
const leastInView = 160;

function isEndInView({
  boundingClientRect: whole,
  intersectionRect: seen,
}: IntersectionObserverEntry): boolean {
  const missing = whole.height / 50;
  return (
    seen.bottom >= whole.bottom - missing && seen.height >= Math.min(leastInView, whole.height - missing)
  );
}
