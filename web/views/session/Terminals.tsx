// What runs beside the conversation: terminals that the host offers for a session, and work that goes on in the background.
import { useState } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { BackgroundWork, ChatState, RootState } from '../../../src/protocols/ahp/v1_0/state.ts';
import { isSameSession } from '../../client/catalogue.ts';
import type { Channel } from '../../client/channel.ts';
import { freshId } from '../../client/freshId.ts';
import { useClient } from '../../state/app.ts';
import { useDoing } from '../../state/asking.ts';
import { useMay } from '../../state/role.ts';
import { Icon } from '../parts/Icon.tsx';
import { lazy } from '../parts/lazy.tsx';

const TerminalView = lazy(async () => (await import('../tools/TerminalView.tsx')).TerminalView);

export interface Running {
  readonly terminals: readonly { readonly resource: URI; readonly title: string }[];
  readonly work: readonly BackgroundWork[];
}

export function runningIn(session: URI, root: RootState | undefined, chat: ChatState | undefined): Running {
  const own = (root?.terminals ?? []).filter(
    ({ claim }) => claim.kind === 'session' && isSameSession(claim.session, session),
  );
  return { terminals: own, work: chat?.backgroundWork ?? [] };
}

interface TerminalsProps {
  readonly session: URI;
  readonly chat: Channel<ChatState>;
  /** Where a terminal begins. */
  readonly folder: URI | undefined;
}

export function Terminals({ session, chat, folder }: TerminalsProps) {
  const client = useClient();
  const mayControl = useMay('control');
  const { busy, attempt } = useDoing();
  const { terminals, work } = runningIn(session, client.root.state.value, chat.state.value);
  const open = () =>
    client.request('createTerminal', {
      channel: `ahp-terminal:/${freshId()}`,
      claim: { kind: 'session', session, chat: chat.uri },
      name: 'Terminal',
      ...(folder === undefined ? {} : { cwd: folder }),
    });
  return (
    <>
      {terminals.length + work.length === 0 && <p class="hint">Nothing runs beside the conversation.</p>}
      <List work={work} terminals={terminals} />
      {mayControl && (
        <button type="button" disabled={busy} onClick={() => void attempt(open)}>
          <Icon name="terminal" /> Open a terminal
        </button>
      )}
    </>
  );
}

function List({ work, terminals }: Running) {
  return (
    <ul class="running">
      {work.map(({ id, label, command, terminal }) => (
        <li key={id}>
          {terminal === undefined ? (
            <Work label={label} command={command} />
          ) : (
            <Terminal resource={terminal} title={command ?? label} />
          )}
        </li>
      ))}
      {terminals
        .filter(({ resource }) => !work.some(({ terminal }) => terminal === resource))
        .map(({ resource, title }) => (
          <li key={resource}>
            <Terminal resource={resource} title={title} ends />
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

function Terminal({
  resource,
  title,
  ends = false,
}: {
  readonly resource: URI;
  readonly title: string;
  readonly ends?: boolean;
}) {
  const client = useClient();
  const mayControl = useMay('control');
  const { busy, attempt } = useDoing();
  const [open, setOpen] = useState(false);
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="terminal" /> {title}
      </summary>
      {open && <TerminalView terminal={resource} title={title} />}
      {open && ends && mayControl && (
        <button
          type="button"
          class="danger"
          disabled={busy}
          onClick={() => void attempt(() => client.request('disposeTerminal', { channel: resource }))}
        >
          End it
        </button>
      )}
    </details>
  );
}
