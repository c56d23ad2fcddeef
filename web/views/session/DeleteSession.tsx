// Deletes a session after a confirmation. Only Parley offers this; AHP does not.
import type { RefObject } from 'preact';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import { useClient } from '../../state/app.ts';
import { useHostAction } from '../../state/hostData.ts';
import { goTo } from '../../state/route.ts';
import { announce } from '../../state/toasts.ts';
import { nameOf } from '../../text/format.ts';
import { DeleteDialog } from './DeleteDialog.tsx';

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
    <DeleteDialog dialog={dialog} title={`Delete “${title}”?`} busy={busy} onDelete={() => void remove()}>
      This permanently deletes the conversation everywhere. Your files are not touched.
    </DeleteDialog>
  );
}
