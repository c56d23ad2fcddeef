// Deletes a session after a confirmation. Only Parley offers this; AHP does not.
import { useRef } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import { useClient } from '../../state/app.ts';
import { useHostAction } from '../../state/hostData.ts';
import { goTo } from '../../state/route.ts';
import { announce } from '../../state/toasts.ts';
import { nameOf } from '../../text/format.ts';
import { Icon } from '../parts/Icon.tsx';

export function DeleteSession({ session }: { readonly session: URI }) {
  const client = useClient();
  const { busy, run } = useHostAction();
  const dialog = useRef<HTMLDialogElement>(null);
  const remove = async () => {
    const deleted = await run(() =>
      client.requestExtension('sessions/delete', { id: decodeURIComponent(nameOf(session)) }),
    );
    dialog.current?.close();
    if (!deleted) return;
    announce('Session deleted.');
    goTo({ page: 'sessions' });
  };
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-label="Delete"
        title="Delete"
        onClick={() => dialog.current?.showModal()}
      >
        <Icon name="trash" />
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby="deletion-title">
        <h2 id="deletion-title">Delete this session?</h2>
        <p>This permanently deletes the conversation everywhere. Your files are not touched.</p>
        <div class="ask-actions">
          <button type="button" class="danger" disabled={busy} onClick={() => void remove()}>
            Delete
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </dialog>
    </>
  );
}
