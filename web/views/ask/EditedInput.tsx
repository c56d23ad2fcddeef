// Lets the user edit the input of a call before allowing it. Input that was a JSON object must stay one.
import { useState } from 'preact/hooks';
import { parseObject } from '../tools/ToolInputView.tsx';

/** `input` is what the call will run with. An invalid edit blocks the approval. */
export type InputEdit =
  | { readonly kind: 'none' }
  | { readonly kind: 'valid'; readonly input: string }
  | { readonly kind: 'invalid' };

interface EditedInputProps {
  readonly original: string;
  readonly edit: InputEdit;
  readonly onEdit: (edit: InputEdit) => void;
}

export function EditedInput({ original, edit, onEdit }: EditedInputProps) {
  const [text, setText] = useState<string>();
  const originalObject = parseObject(original);
  // Tools whose input is plain text are shells: the text is the command.
  const noun = originalObject === undefined ? 'command' : 'arguments';
  const begin = (): void =>
    setText(originalObject === undefined ? original : JSON.stringify(originalObject, null, 2));
  const change = (next: string): void => {
    setText(next);
    onEdit(originalObject === undefined ? { kind: 'valid', input: next } : jsonEdit(next));
  };
  const discard = (): void => {
    setText(undefined);
    onEdit({ kind: 'none' });
  };
  if (text === undefined) {
    return (
      <button type="button" class="link" onClick={begin}>
        Edit {noun}
      </button>
    );
  }
  return (
    <div class="edited-input">
      <label>
        <span>{noun === 'command' ? 'Command' : 'Arguments'}</span>
        <textarea
          rows={Math.min(16, text.split('\n').length + 1)}
          value={text}
          spellcheck={false}
          aria-invalid={edit.kind === 'invalid'}
          onInput={(event) => change(event.currentTarget.value)}
        />
      </label>
      {edit.kind === 'invalid' && (
        <p class="problem" role="alert">
          Not valid JSON – fix it or discard your edit.
        </p>
      )}
      {edit.kind === 'valid' && <p class="hint">Your edited version will run.</p>}
      <button type="button" class="link" onClick={discard}>
        Discard edit
      </button>
    </div>
  );
}

function jsonEdit(text: string): InputEdit {
  const object = parseObject(text);
  return object === undefined ? { kind: 'invalid' } : { kind: 'valid', input: JSON.stringify(object) };
}
