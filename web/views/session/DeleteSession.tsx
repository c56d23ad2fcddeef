// Deletes a session after a confirmation. Only Parley offers this; AHP does not.
import type { RefObject } from 'preact';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import { useClient } from '../../state/app.ts';
import { useHostAction } from '../../state/hostData.ts';
import { goTo } from '../../state/route.ts';
import { announce } from '../../state/toasts.ts';
import { nameOf } from '../../text/format.ts';

interface DeleteSessionProps {
  readonly session: URI;
  readonly title: string;
  readonly dialog: RefObject<HTMLDialogElement | null>;
}

export function DeleteSession({ session, title, dialog }: DeleteSessionProps) {
  const client = useClient();
  const { busy, run } = useHostAction();
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
    <dialog ref={dialog} class="dialog" aria-labelledby="deletion-title">
      <h2 id="deletion-title" dir="auto">
        Delete “{title}”?
      </h2>
      <p>This permanently deletes the conversation everywhere. Your files are not touched.</p>
      <div class="answers">
        <button type="button" class="btn" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <button type="button" class="btn danger-solid" disabled={busy} onClick={() => void remove()}>
          Delete
        </button>
      </div>
    </dialog>
  );
}
