// What runs beside the conversation: terminals that the host offers for a session, and work that goes on in the background.
import { useState } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/newest/content.ts';
import type { BackgroundWork, ChatState, RootState } from '../../../src/protocols/ahp/newest/state.ts';
import { useClient } from '../../state/app.ts';
import { Icon } from '../parts/Icon.tsx';
import { lazy } from '../parts/lazy.tsx';

const TerminalView = lazy(async () => (await import('../tools/TerminalView.tsx')).TerminalView);

export interface Running {
  readonly terminals: readonly { readonly resource: URI; readonly title: string }[];
  readonly work: readonly BackgroundWork[];
}

export function runningIn(session: URI, root: RootState | undefined, chat: ChatState | undefined): Running {
  const own = (root?.terminals ?? []).filter(({ claim }) => claim.kind === 'session' && claim.session === session);
  return { terminals: own, work: chat?.backgroundWork ?? [] };
}

export function Terminals({ session, chat }: { readonly session: URI; readonly chat: ChatState | undefined }) {
  const client = useClient();
  const { terminals, work } = runningIn(session, client.root.state.value, chat);
  if (terminals.length + work.length === 0) return <p class="hint">Nothing runs beside the conversation.</p>;
  return (
    <ul class="running">
      {work.map(({ id, label, command, terminal }) => (
        <li key={id}>
          {terminal === undefined ? <Work label={label} command={command} /> : <Terminal resource={terminal} title={command ?? label} />}
        </li>
      ))}
      {terminals
        .filter(({ resource }) => !work.some(({ terminal }) => terminal === resource))
        .map(({ resource, title }) => (
          <li key={resource}>
            <Terminal resource={resource} title={title} />
          </li>
        ))}
    </ul>
  );
}

function Work({ label, command }: { readonly label: string; readonly command: string | undefined }) {
  return (
    <p>
      <strong>{label}</strong> {command !== undefined && <code>{command}</code>}
    </p>
  );
}

function Terminal({ resource, title }: { readonly resource: URI; readonly title: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="terminal" /> {title}
      </summary>
      {open && <TerminalView terminal={resource} title={title} />}
    </details>
  );
}
