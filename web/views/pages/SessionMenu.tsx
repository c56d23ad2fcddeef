// The context menu of a session in the list: opened by the right button, a long press or the menu key.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { SessionSummary } from '../../../src/protocols/ahp/v1_0/state.ts';
import { useClient } from '../../state/app.ts';
import { addressOf, goTo } from '../../state/route.ts';
import { renaming, setArchived } from '../../state/sessionChanges.ts';
import { pins, togglePin, toggleSelected } from '../../state/sidebar.ts';
import { toast } from '../../state/toasts.ts';
import { isArchived } from '../../text/format.ts';
import { Menu, MenuItem } from '../parts/Menu.tsx';
import { DeleteSession } from '../session/DeleteSession.tsx';

interface OpenMenu {
  readonly summary: SessionSummary;
  readonly at: readonly [x: number, y: number];
}

const openMenu = signal<OpenMenu | undefined>(undefined);

/** A menu key has no place of its own: the menu opens at the row. */
export function openSessionMenu(event: MouseEvent, summary: SessionSummary): void {
  event.preventDefault();
  const row =
    event.currentTarget instanceof Element ? event.currentTarget.getBoundingClientRect() : undefined;
  const isKey = event.clientX === 0 && event.clientY === 0;
  const at = isKey && row ? ([row.left, row.bottom] as const) : ([event.clientX, event.clientY] as const);
  openMenu.value = { summary, at };
}

export function SessionMenu() {
  const deletion = useRef<HTMLDialogElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const open = openMenu.value;
  const last = useRef<SessionSummary>(undefined);
  if (open) last.current = open.summary;
  useEffect(() => {
    if (!open || !box.current) return;
    const [x, y] = open.at;
    box.current.style.setProperty('--menu-x', `${x}px`);
    box.current.style.setProperty('--menu-y', `${y}px`);
    box.current.showPopover();
  }, [open]);
  return (
    <>
      <Menu box={box} class="at-point" label="Session" onToggle={forget}>
        {open && (
          <Entries summary={open.summary} onDelete={() => deletion.current?.showModal()} close={closeMenu} />
        )}
      </Menu>
      {last.current && (
        <DeleteSession
          session={last.current.resource}
          title={last.current.title || 'New session'}
          dialog={deletion}
        />
      )}
    </>
  );

  function forget(isOpen: boolean): void {
    if (!isOpen) openMenu.value = undefined;
  }

  function closeMenu(): void {
    box.current?.hidePopover();
  }
}

interface EntriesProps {
  readonly summary: SessionSummary;
  readonly onDelete: () => void;
  readonly close: () => void;
}

function Entries({ summary: { resource, status }, onDelete, close }: EntriesProps) {
  const client = useClient();
  const archived = isArchived(status);
  const address = addressOf({ page: 'session', session: resource });
  const after = (run: () => void) => () => {
    close();
    run();
  };
  const rename = (): void => {
    goTo({ page: 'session', session: resource });
    renaming.value = resource;
  };
  return (
    <>
      <MenuItem icon="edit" label="Rename" end={<kbd>F2</kbd>} onChoose={after(rename)} />
      <MenuItem
        icon="pin"
        label={pins.value.has(resource) ? 'Unpin' : 'Pin'}
        onChoose={after(() => togglePin(resource))}
      />
      <MenuItem icon="check" label="Select" onChoose={after(() => toggleSelected(resource))} />
      <MenuItem icon="copy" label="Copy link" onChoose={after(() => void copyLink(address))} />
      <MenuItem
        icon="archive"
        label={archived ? 'Unarchive' : 'Archive'}
        end={<kbd>Alt E</kbd>}
        onChoose={after(() => void setArchived(client, [resource], !archived))}
      />
      {client.access.value !== undefined && (
        <MenuItem icon="trash" label="Delete…" danger onChoose={after(onDelete)} />
      )}
    </>
  );
}

async function copyLink(address: string): Promise<void> {
  await navigator.clipboard.writeText(new URL(address, location.href).href);
  toast('info', 'Link copied');
}
