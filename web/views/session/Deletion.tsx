// Deletes a session for good, after a second word. Only our own host can; others keep what they have.
import { useRef } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import { useClient } from '../../state/app.ts';
import { useDoing } from '../../state/asking.ts';
import { goTo } from '../../state/route.ts';
import { announce } from '../../state/toasts.ts';
import { nameOf } from '../../text/words.ts';
import { Icon } from '../parts/Icon.tsx';

export function Deletion({ session }: { readonly session: URI }) {
  const client = useClient();
  const { busy, attempt } = useDoing();
  const dialog = useRef<HTMLDialogElement>(null);
  const remove = async () => {
    const gone = await attempt(() =>
      client.ask('sessions/delete', { id: decodeURIComponent(nameOf(session)) }),
    );
    dialog.current?.close();
    if (!gone) return;
    announce('The session was deleted.');
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
        <p>Everything that was said in it is forgotten for good, for every client. Files stay as they are.</p>
        <div class="ask-actions">
          <button type="button" class="danger" disabled={busy} onClick={() => void remove()}>
            Delete for good
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Keep it
          </button>
        </div>
      </dialog>
    </>
  );
}
