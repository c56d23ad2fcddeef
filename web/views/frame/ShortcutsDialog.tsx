// The list of all keyboard shortcuts, opened by the question mark.
import { useEffect, useRef } from 'preact/hooks';
import { shortcutList, shortcutsOpen } from '../../state/shortcuts.ts';

export function ShortcutsDialog() {
  const box = useRef<HTMLDialogElement>(null);
  const open = shortcutsOpen.value;
  useEffect(() => {
    if (open) box.current?.showModal();
    else box.current?.close();
  }, [open]);
  return (
    <dialog
      ref={box}
      class="dialog keys-dialog"
      aria-labelledby="shortcuts-title"
      onClose={() => (shortcutsOpen.value = false)}
    >
      <h2 id="shortcuts-title">Keyboard shortcuts</h2>
      {open && <ShortcutTable />}
      <div class="answers">
        <button type="button" class="btn" onClick={() => (shortcutsOpen.value = false)}>
          Close
        </button>
      </div>
    </dialog>
  );
}

export function ShortcutTable() {
  return (
    <dl class="keys">
      {shortcutList.map(([keys, meaning]) => (
        <div key={keys}>
          <dt>
            <kbd>{keys}</kbd>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
