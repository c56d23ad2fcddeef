// The list of all keyboard shortcuts, opened by the question mark.
import { shortcutList, shortcutsOpen } from '../../state/shortcuts.ts';
import { useDialog } from './useDialog.ts';

export function ShortcutsDialog() {
  const open = shortcutsOpen.value;
  const { box, onClose } = useDialog(shortcutsOpen);
  return (
    <dialog ref={box} class="dialog keys-dialog" aria-labelledby="shortcuts-title" onClose={onClose}>
      {/* Else the button at the end takes the focus, and the list is scrolled to its end. */}
      <h2 id="shortcuts-title" tabIndex={-1} autofocus>
        Keyboard shortcuts
      </h2>
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
