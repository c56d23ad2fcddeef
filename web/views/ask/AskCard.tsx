// The card of everything that waits for the user: a coloured head with the question, and the body. Alt+W
// brings the focus to it.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { waitingId } from '../transcript/waiting.ts';

interface AskCardProps {
  /** The id of the approval or question. */
  readonly id: string;
  readonly title: ComponentChildren;
  /** At the end of the head. */
  readonly end?: string | undefined;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  readonly children: ComponentChildren;
}

export function AskCard({ id, title, end, onKeyDown, children }: AskCardProps) {
  const heading = useId();
  return (
    <div
      role="group"
      class="ask"
      id={waitingId(id)}
      aria-labelledby={heading}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <header class="ask-head">
        <span class="status wait" role="img" aria-label="Needs you" />
        <h2 id={heading} dir="auto">
          {title}
        </h2>
        {end !== undefined && <span class="end">{end}</span>}
      </header>
      <div class="ask-body">{children}</div>
    </div>
  );
}
