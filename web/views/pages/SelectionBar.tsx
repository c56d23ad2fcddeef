// What can be done with the selected sessions of the list: pin, archive, delete.
import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { SessionSummary } from '../../../src/protocols/ahp/v1_0/state.ts';
import { useClient } from '../../state/app.ts';
import { useHostAction } from '../../state/hostData.ts';
import { setArchived } from '../../state/sessionChanges.ts';
import { pins, selection, setPinned } from '../../state/sidebar.ts';
import { toast } from '../../state/toasts.ts';
import { isArchived, nameOf } from '../../text/format.ts';
import { IconButton } from '../parts/Icon.tsx';
import { DeleteDialog } from '../session/DeleteDialog.tsx';

export function SelectionBar({ selected }: { readonly selected: readonly SessionSummary[] }) {
  const client = useClient();
  const deletion = useRef<HTMLDialogElement>(null);
  const sessions = selected.map(({ resource }) => resource);
  const allPinned = selected.length > 0 && sessions.every((session) => pins.value.has(session));
  const allArchived = selected.length > 0 && selected.every(({ status }) => isArchived(status));
  const end = () => (selection.value = undefined);
  const disabled = selected.length === 0;
  return (
    <div class="selection-bar" role="toolbar" aria-label="Selected sessions">
      <span class="grow truncate" role="status">
        {selected.length} selected
      </span>
      <IconButton
        icon="pin"
        label={allPinned ? 'Unpin' : 'Pin'}
        disabled={disabled}
        onClick={() => {
          setPinned(sessions, !allPinned);
          end();
        }}
      />
      <IconButton
        icon="archive"
        label={allArchived ? 'Unarchive' : 'Archive'}
        disabled={disabled}
        onClick={() => {
          void setArchived(client, sessions, !allArchived);
          end();
        }}
      />
      {client.access.value !== undefined && (
        <IconButton
          icon="trash"
          label="Delete…"
          disabled={disabled}
          onClick={() => deletion.current?.showModal()}
        />
      )}
      <IconButton icon="x" label="Cancel selection" onClick={end} />
      <DeleteSelected sessions={sessions} dialog={deletion} onDone={end} />
    </div>
  );
}

interface DeleteSelectedProps {
  readonly sessions: readonly URI[];
  readonly dialog: RefObject<HTMLDialogElement | null>;
  readonly onDone: () => void;
}

function DeleteSelected({ sessions, dialog, onDone }: DeleteSelectedProps) {
  const client = useClient();
  const { busy, run } = useHostAction();
  const count = sessions.length === 1 ? '1 session' : `${sessions.length} sessions`;
  const remove = async () => {
    const deleted = await run(async () => {
      for (const session of sessions)
        await client.requestExtension('sessions/delete', { id: decodeURIComponent(nameOf(session)) });
    });
    dialog.current?.close();
    if (!deleted) return;
    toast('info', `${count} deleted`);
    onDone();
  };
  return (
    <DeleteDialog dialog={dialog} title={`Delete ${count}?`} busy={busy} onDelete={() => void remove()}>
      This permanently deletes the conversations everywhere. Your files are not touched.
    </DeleteDialog>
  );
}
