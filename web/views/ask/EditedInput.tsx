// Lets the user edit the input of a call before allowing it. Input that was a JSON object must stay one.
import { useId, useState } from 'preact/hooks';
import { Icon } from '../parts/Icon.tsx';
import { parseObject } from '../../text/parseObject.ts';

/** `input` is what the call will run with. An invalid edit blocks the approval. */
export type InputEdit =
  | { readonly kind: 'none' }
  /** The editor is open and nothing was changed yet. */
  | { readonly kind: 'begun' }
  | { readonly kind: 'valid'; readonly input: string }
  | { readonly kind: 'invalid' };

interface EditedInputProps {
  readonly original: string;
  readonly edit: InputEdit;
  readonly onEdit: (edit: InputEdit) => void;
}

export function EditedInput({ original, edit, onEdit }: EditedInputProps) {
  const id = useId();
  const originalObject = parseObject(original);
  const [text, setText] = useState(
    originalObject === undefined ? original : JSON.stringify(originalObject, null, 2),
  );
  const change = (next: string): void => {
    setText(next);
    onEdit(originalObject === undefined ? commandEdit(next) : jsonEdit(next));
  };
  return (
    <div class="field">
      {/* Tools whose input is plain text are shells: the text is the command. */}
      <label for={id}>{originalObject === undefined ? 'Command' : 'Arguments'}</label>
      <textarea
        ref={(element) => {
          if (edit.kind === 'begun') element?.focus();
        }}
        id={id}
        class="input mono"
        dir="ltr"
        value={text}
        spellcheck={false}
        aria-invalid={edit.kind === 'invalid'}
        aria-describedby={edit.kind === 'invalid' ? `${id}-problem` : undefined}
        onInput={(event) => change(event.currentTarget.value)}
      />
      {edit.kind === 'invalid' && (
        <p class="error" id={`${id}-problem`} role="alert">
          <Icon name="warn" />
          <span>
            {originalObject === undefined ? 'The command is empty' : 'Not valid JSON'} – fix it or discard
            your edit.
          </span>
        </p>
      )}
      {edit.kind === 'valid' && <p class="help">Your edited version will run.</p>}
      <div>
        <button type="button" class="btn small" onClick={() => onEdit({ kind: 'none' })}>
          Discard edit
        </button>
      </div>
    </div>
  );
}

function commandEdit(text: string): InputEdit {
  return text.trim() === '' ? { kind: 'invalid' } : { kind: 'valid', input: text };
}

function jsonEdit(text: string): InputEdit {
  const object = parseObject(text);
  return object === undefined ? { kind: 'invalid' } : { kind: 'valid', input: JSON.stringify(object) };
}
