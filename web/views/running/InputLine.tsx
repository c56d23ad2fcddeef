// One line of input for something that runs: Enter sends it, and it comes back if it was not taken.
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

interface InputLineProps {
  readonly label: string;
  readonly placeholder: string;
  readonly disabled: boolean;
  /** A command reads code; otherwise somebody reads words. */
  readonly isCode?: boolean;
  /** Resolves to whether the line was taken. */
  readonly onSend: (line: string) => Promise<boolean>;
  /** Further buttons. */
  readonly children?: ComponentChildren;
}

export function InputLine(props: InputLineProps) {
  const { label, placeholder, disabled, isCode = false, onSend, children } = props;
  const field = useRef<HTMLInputElement>(null);
  // The field itself is read: Enter may follow a letter faster than a state changes.
  const send = async () => {
    const input = field.current;
    if (!input) return;
    const line = input.value;
    input.value = '';
    // What was typed meanwhile stays behind it.
    if (!(await onSend(line))) input.value = [line, input.value].filter(Boolean).join(' ');
  };
  return (
    <form
      class={isCode ? 'input-line for-code' : 'input-line'}
      onSubmit={(event) => {
        event.preventDefault();
        if (!disabled) void send();
      }}
    >
      <input
        ref={field}
        class="input"
        dir="auto"
        aria-label={label}
        placeholder={placeholder}
        autocomplete="off"
        autocapitalize={isCode ? 'off' : 'sentences'}
        spellcheck={!isCode}
      />
      <button type="submit" class="btn" disabled={disabled}>
        Send
      </button>
      {children}
    </form>
  );
}
