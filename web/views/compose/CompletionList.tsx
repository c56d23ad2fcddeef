// The ways a word may go on, below the text field that keeps the focus.
import type { Completion } from './completion.ts';
import type { Offer } from './useCompletions.ts';

interface CompletionListProps {
  readonly id: string;
  readonly offer: Offer;
  readonly onChoose: (item: Completion) => void;
}

export function optionId(list: string, index: number): string {
  return `${list}-${index}`;
}

export function CompletionList({ id, offer: { items, chosen }, onChoose }: CompletionListProps) {
  return (
    <ul class="completions" role="listbox" id={id} aria-label="Completions">
      {items.map((item, index) => (
        <li
          key={index}
          id={optionId(id, index)}
          role="option"
          aria-selected={index === chosen}
          // The text field would lose the focus before the click.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(item)}
        >
          <strong>{item.insertText}</strong>
          {item.attachment.label !== item.insertText && <span class="hint">{item.attachment.label}</span>}
        </li>
      ))}
    </ul>
  );
}
