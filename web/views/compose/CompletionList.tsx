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
    <ul class="menu completions" role="listbox" id={id} aria-label="Completions">
      {items.map((item, index) => (
        <li
          key={index}
          id={optionId(id, index)}
          class="item"
          role="option"
          aria-selected={index === chosen}
          // Keeps the focus in the text field.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(item)}
        >
          <b class="truncate">{item.insertText}</b>
          <span class="end truncate">{noteOf(item)}</span>
        </li>
      ))}
    </ul>
  );
}

/** What the entry is, unless that repeats its name. */
function noteOf({ insertText, attachment: { label, _meta: ours } }: Completion): string {
  const description = ours?.['description'];
  if (typeof description === 'string') return description;
  return insertText.trim().endsWith(label) ? '' : label;
}
