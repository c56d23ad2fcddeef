// The list of completions. The text field keeps the focus.
import type { Completion } from './completion.ts';
import type { CompletionOffer } from './useCompletions.ts';

interface CompletionListProps {
  readonly id: string;
  readonly offer: CompletionOffer;
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
          // Keeps the focus in the text field.
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
