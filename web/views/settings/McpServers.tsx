// The MCP servers of the user's settings: status, tools and actions. The host starts them
// while this page is open.
import { useState } from 'preact/hooks';
import type { ServerAction, ServerRow } from '../../client/extensions.ts';
import { useClient } from '../../state/app.ts';
import { usePolledHostData, useHostAction } from '../../state/hostData.ts';
import { AddForm } from './AddForm.tsx';

const refreshMs = 2_000;

export function McpServers() {
  const { value: servers, problem, reload } = usePolledHostData('mcp/list', {}, refreshMs);
  if (problem !== undefined) return <p class="problem">{problem}</p>;
  return (
    <>
      <p class="hint">Tools from these servers ask for approval. Projects and editors can add servers too.</p>
      {servers === undefined && <p class="hint">Loading…</p>}
      {servers?.length === 0 && <p class="empty">No MCP servers</p>}
      <ul class="cards">
        {servers?.map((server) => (
          <Row key={server.name} server={server} onChanged={() => void reload()} />
        ))}
      </ul>
      <NewServer onChanged={() => void reload()} />
    </>
  );
}

const statusLabels: Readonly<Record<string, string>> = {
  starting: 'Starting',
  running: 'Running',
  failed: 'Failed',
  stopped: 'Stopped',
  disabled: 'Disabled',
  'requires-auth': 'Needs sign-in',
};

type ActionButton = readonly [ServerAction, string];

function actionsFor({ status, signedIn }: ServerRow): readonly ActionButton[] {
  if (status === 'disabled') return [['enable', 'Enable']];
  const signOut: readonly ActionButton[] = signedIn ? [['signOut', 'Sign out']] : [];
  return [...mainActions(status), ...signOut, ['disable', 'Disable']];
}

function mainActions(status: string): readonly ActionButton[] {
  if (status === 'requires-auth') return [['signIn', 'Sign in']];
  if (status !== 'running' && status !== 'starting') return [['start', 'Start']];
  return [
    ['restart', 'Restart'],
    ['stop', 'Stop'],
  ];
}

function Row({ server, onChanged }: { readonly server: ServerRow; readonly onChanged: () => void }) {
  const client = useClient();
  const { busy, run } = useHostAction();
  const [visit, setVisit] = useState<string>();
  const { name, reach, status, problem } = server;
  const act = async (action: ServerAction) => {
    await run(async () =>
      setVisit((await client.requestExtension('mcp/act', { server: name, action }))?.visit),
    );
    onChanged();
  };
  const remove = async () => {
    await run(() => client.requestExtension('mcp/remove', { server: name }));
    onChanged();
  };
  return (
    <li class="card" aria-label={name}>
      <div class="card-text">
        <strong>{name}</strong>{' '}
        <span class={status === 'failed' ? 'failed' : 'hint'}>{statusLabels[status] ?? status}</span>
        <p class="hint">
          <code>{reach}</code>
        </p>
        {problem !== undefined && <p class="problem">{problem}</p>}
        <Tools server={server} />
      </div>
      <div class="ask-actions">
        {actionsFor(server).map(([action, label]) => (
          <button key={action} type="button" disabled={busy} onClick={() => void act(action)}>
            {label}
          </button>
        ))}
        <button type="button" class="danger" disabled={busy} onClick={() => void remove()}>
          Remove
        </button>
      </div>
      {visit !== undefined && status === 'requires-auth' && /^https?:\/\//.test(visit) && (
        <p class="card-more">
          <span>
            Open{' '}
            <a href={visit} target="_blank" rel="noopener noreferrer">
              {new URL(visit).host}
            </a>{' '}
            on the computer that runs Parley. The server starts after you have signed in.
          </span>
        </p>
      )}
    </li>
  );
}

function Tools({ server: { tools } }: { readonly server: ServerRow }) {
  if (tools.length === 0) return null;
  return (
    <details>
      <summary>
        {tools.length} {tools.length === 1 ? 'tool' : 'tools'}
      </summary>
      <dl class="fields">
        {tools.map(({ name, description }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="hint">{description}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function NewServer({ onChanged }: { readonly onChanged: () => void }) {
  const client = useClient();
  const add = (server: string, reach: string) => {
    const [command = '', ...args] = reach.split(/\s+/);
    return client.requestExtension('mcp/add', {
      server,
      ...(/^https?:\/\//.test(reach) ? { url: reach } : { command, args }),
    });
  };
  return (
    <AddForm
      title="Add a server"
      label="Command or URL"
      placeholder="npx -y some-server, or https://…"
      add={add}
      onChanged={onChanged}
    />
  );
}
