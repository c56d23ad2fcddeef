// The text field of the composer with its keyboard: Enter sends or queues, Ctrl+Enter steers, Shift+Tab goes
// to the next mode, and keys for completions.
import type { Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { optionId } from './CompletionList.tsx';
import type { MessageDraft } from './drafts.ts';
import { filesPasted } from './attachFiles.ts';
import type { Completions } from './useCompletions.ts';

interface MessageFieldProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  /** The id of the completion list. */
  readonly listId: string;
  readonly draft: Signal<MessageDraft>;
  readonly completions: Completions;
  readonly placeholder: string;
  /** `steer` falls back to `turn` if no turn is running. */
  readonly onSend: (lane: 'turn' | 'steer') => void;
  readonly onEscape?: (() => void) | undefined;
  /** Shift+Tab. */
  readonly onNextMode: () => void;
  readonly onFiles: (files: readonly File[]) => void;
}

export function MessageField(props: MessageFieldProps) {
  const { field, listId, draft, completions, placeholder, onSend, onEscape, onNextMode, onFiles } = props;
  const { text } = draft.value;
  const offer = completions.offer.value;
  const write = ({ value, selectionStart }: HTMLTextAreaElement): void => {
    draft.value = { ...draft.value, text: value };
    completions.update(value, selectionStart);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.isComposing || completions.handleKey(event)) return;
    if (event.key === 'Tab' && event.shiftKey) {
      event.preventDefault();
      onNextMode();
    }
    if (event.key === 'Escape' && onEscape) {
      // It also stops turns.
      event.preventDefault();
      onEscape();
    }
    if (event.key !== 'Enter' || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onSend(event.ctrlKey || event.metaKey ? 'steer' : 'turn');
  };
  return (
    <>
      <label class="unseen" for={`${listId}-field`}>
        Message
      </label>
      <textarea
        ref={field}
        id={`${listId}-field`}
        class="message-field"
        rows={1}
        dir="auto"
        placeholder={placeholder}
        value={text}
        aria-autocomplete="list"
        aria-controls={offer ? listId : undefined}
        aria-activedescendant={offer ? optionId(listId, offer.chosen) : undefined}
        onInput={(event) => write(event.currentTarget)}
        onKeyDown={press}
        onPaste={(event) => onFiles(filesPasted(event))}
        onBlur={() => completions.close()}
      />
    </>
  );
}
