// Asks before sessions are deleted.
import type { ComponentChildren, RefObject } from 'preact';
import { useId } from 'preact/hooks';

interface DeleteDialogProps {
  readonly dialog: RefObject<HTMLDialogElement | null>;
  readonly title: string;
  readonly busy: boolean;
  readonly onDelete: () => void;
  readonly children: ComponentChildren;
}

export function DeleteDialog({ dialog, title, busy, onDelete, children }: DeleteDialogProps) {
  const id = useId();
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id}>
      <h2 id={id} dir="auto">
        {title}
      </h2>
      <p>{children}</p>
      <div class="answers">
        <button type="button" class="btn" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <button type="button" class="btn danger-solid" disabled={busy} onClick={onDelete}>
          Delete
        </button>
      </div>
    </dialog>
  );
}
