// Lets a person change the arguments before allowing the call. Arguments that were JSON must stay JSON.
import { useState } from 'preact/hooks';
import { readFields } from '../tools/ToolInputView.tsx';

interface EditedInputProps {
  readonly original: string;
  /** The valid edit so far; absent means unchanged. */
  readonly edited: string | undefined;
  readonly onEdit: (edited: string | undefined) => void;
}

export function EditedInput({ original, edited, onEdit }: EditedInputProps) {
  const [text, setText] = useState<string>();
  const wasJson = readFields(original) !== undefined;
  const broken = text !== undefined && wasJson && readFields(text) === undefined;
  if (text === undefined) {
    return (
      <button type="button" class="link" onClick={() => begin()}>
        Edit arguments
      </button>
    );
  }
  return (
    <div class="edited-input">
      <label>
        <span>Arguments</span>
        <textarea
          rows={Math.min(16, text.split('\n').length + 1)}
          value={text}
          spellcheck={false}
          aria-invalid={broken}
          onInput={(event) => change(event.currentTarget.value)}
        />
      </label>
      {broken && (
        <p class="problem" role="alert">
          This is not a JSON object; the original arguments would be used.
        </p>
      )}
      {edited !== undefined && !broken && <p class="hint">The call will run with these arguments.</p>}
      <button type="button" class="link" onClick={() => end()}>
        Undo the edit
      </button>
    </div>
  );

  function begin(): void {
    const pretty = wasJson ? JSON.stringify(readFields(original), null, 2) : original;
    setText(pretty);
    onEdit(undefined);
  }

  function change(next: string): void {
    setText(next);
    const fields = wasJson ? readFields(next) : undefined;
    if (wasJson) onEdit(fields === undefined ? undefined : JSON.stringify(fields));
    else onEdit(next);
  }

  function end(): void {
    setText(undefined);
    onEdit(undefined);
  }
}
