// A bar above the composer that names what waits for the user in this chat and jumps to it. Hidden while all
// of it is in view.
import { useEffect, useState } from 'preact/hooks';
import type { ChatState } from '../../../src/protocols/ahp/v1_0/state.ts';
import { showNextWaiting } from '../../state/showWaiting.ts';
import { Icon } from '../parts/Icon.tsx';
import { waitingIn } from '../transcript/waiting.ts';
import type { WaitingPart } from '../transcript/waiting.ts';

export function Waits({ chat: { activeTurn } }: { readonly chat: ChatState }) {
  const parts = waitingIn(activeTurn);
  const inView = useAllInView(parts.map(({ id }) => id));
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

/** Whether the whole of every element is visible. */
function useAllInView(ids: readonly string[]): boolean {
  const [visible, setVisible] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    setVisible(new Set());
    const observer = new IntersectionObserver(
      (entries) =>
        setVisible((before) => {
          const next = new Set(before);
          for (const { target, intersectionRatio } of entries) {
            if (intersectionRatio > 0.98) next.add(target.id);
            else next.delete(target.id);
          }
          return next;
        }),
      { threshold: [0, 0.5, 0.99, 1] },
    );
    for (const id of ids) {
      const element = document.getElementById(id);
      if (element) observer.observe(element);
    }
    return () => observer.disconnect();
  }, [ids.join(' ')]);
  return ids.every((id) => visible.has(id));
}
