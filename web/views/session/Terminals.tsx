// The terminals and background jobs of a session.
import { useState } from 'preact/hooks';
import { present } from '../../../src/base/present.ts';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { BackgroundWork, ChatState, RootState } from '../../../src/protocols/ahp/v1_0/state.ts';
import { isSameSession } from '../../../client/connection/catalogue.ts';
import type { Channel } from '../../../client/connection/channel.ts';
import { freshId } from '../../../client/connection/freshId.ts';
import { useClient } from '../../state/app.ts';
import { useHostAction } from '../../state/hostData.ts';
import { useHasRole } from '../../state/role.ts';
import { Icon } from '../parts/Icon.tsx';
import { lazy } from '../parts/lazy.tsx';

const TerminalView = lazy(async () => (await import('../tools/TerminalView.tsx')).TerminalView);

export interface BackgroundActivity {
  readonly terminals: readonly { readonly resource: URI; readonly title: string }[];
  readonly work: readonly BackgroundWork[];
}

export function backgroundActivity(
  session: URI,
  root: RootState | undefined,
  chat: ChatState | undefined,
): BackgroundActivity {
  const terminals = (root?.terminals ?? []).filter(
    ({ claim }) => claim.kind === 'session' && isSameSession(claim.session, session),
  );
  return { terminals, work: chat?.backgroundWork ?? [] };
}

interface TerminalsProps {
  readonly session: URI;
  readonly chat: Channel<ChatState>;
  /** The working directory of a new terminal. */
  readonly folder: URI | undefined;
}

export function Terminals({ session, chat, folder }: TerminalsProps) {
  const client = useClient();
  const mayControl = useHasRole('control');
  const { busy, run } = useHostAction();
  const { terminals, work } = backgroundActivity(session, client.root.state.value, chat.state.value);
  const open = () =>
    client.request('createTerminal', {
      channel: `ahp-terminal:/${freshId()}`,
      claim: { kind: 'session', session, chat: chat.uri },
      name: 'Terminal',
      ...present({ cwd: folder }),
    });
  return (
    <>
      {terminals.length + work.length === 0 && <p class="empty">No terminals or background jobs</p>}
      <List work={work} terminals={terminals} />
      {mayControl && (
        <button type="button" class="btn small" disabled={busy} onClick={() => void run(open)}>
          <Icon name="terminal" /> New terminal
        </button>
      )}
    </>
  );
}

function List({ work, terminals }: BackgroundActivity) {
  return (
    <ul class="running">
      {work.map(({ id, label, command, terminal }) => (
        <li key={id}>
          {terminal === undefined ? (
            <Job label={label} command={command} />
          ) : (
            <Terminal resource={terminal} title={command ?? label} />
          )}
        </li>
      ))}
      {terminals
        .filter(({ resource }) => !work.some(({ terminal }) => terminal === resource))
        .map(({ resource, title }) => (
          <li key={resource}>
            <Terminal resource={resource} title={title} closable />
          </li>
        ))}
    </ul>
  );
}

function Job({ label, command }: { readonly label: string; readonly command: string | undefined }) {
  return (
    <p class="call-line">
      <span class="status running" role="img" aria-label="Running" />
      <b>{label}</b> {command !== undefined && <code>{command}</code>}
    </p>
  );
}

function Terminal({
  resource,
  title,
  closable = false,
}: {
  readonly resource: URI;
  readonly title: string;
  readonly closable?: boolean;
}) {
  const client = useClient();
  const mayControl = useHasRole('control');
  const { busy, run } = useHostAction();
  const [open, setOpen] = useState(false);
  return (
    <details class="call" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="terminal" kind="kind" />
        <code class="object">{title}</code>
        <Icon name="chev" kind="chev" />
      </summary>
      {open && <TerminalView terminal={resource} title={title} />}
      {open && closable && mayControl && (
        <button
          type="button"
          class="btn small danger"
          disabled={busy}
          onClick={() => void run(() => client.request('disposeTerminal', { channel: resource }))}
        >
          Close terminal
        </button>
      )}
    </details>
  );
}

/** A job with a terminal counts once. */
export function countOf({ terminals, work }: BackgroundActivity): number {
  const ids = [
    ...terminals.map(({ resource }) => resource),
    ...work.map(({ terminal, id }) => terminal ?? id),
  ];
  return new Set(ids).size;
}
