// The MCP servers of the user's settings: how each stands, its tools, and what can be done about it. They run while this is open.
import { useState } from 'preact/hooks';
import type { ServerAction, ServerRow } from '../../client/own.ts';
import { useClient } from '../../state/app.ts';
import { useAskedOften, useDoing } from '../../state/asking.ts';
import { AddForm } from './AddForm.tsx';

const refreshMs = 2_000;

export function Servers() {
  const { value: servers, problem, again } = useAskedOften('mcp/list', {}, refreshMs);
  if (problem !== undefined) return <p class="problem">{problem}</p>;
  return (
    <>
      <p class="hint">
        Their tools are asked about like anything unknown. Folders and editors may bring servers of their own.
      </p>
      {servers === undefined && <p class="hint">Loading…</p>}
      {servers?.length === 0 && <p class="empty">No MCP server is set up.</p>}
      <ul class="cards">
        {servers?.map((server) => (
          <Row key={server.name} server={server} onChanged={() => void again()} />
        ))}
      </ul>
      <NewServer onChanged={() => void again()} />
    </>
  );
}

const words: Readonly<Record<string, string>> = {
  starting: 'Starting',
  running: 'Running',
  failed: 'Failed',
  stopped: 'Stopped',
  disabled: 'Turned off',
  'requires-auth': 'Needs a sign-in',
};

type Offered = readonly [ServerAction, string];

function actionsFor({ status, signedIn }: ServerRow): readonly Offered[] {
  if (status === 'disabled') return [['enable', 'Turn on']];
  const main: readonly Offered[] =
    status === 'requires-auth'
      ? [['signIn', 'Sign in']]
      : status === 'running' || status === 'starting'
        ? [
            ['restart', 'Restart'],
            ['stop', 'Stop'],
          ]
        : [['start', 'Start']];
  return [...main, ...(signedIn ? [['signOut', 'Sign out'] as const] : []), ['disable', 'Turn off']];
}

function Row({ server, onChanged }: { readonly server: ServerRow; readonly onChanged: () => void }) {
  const client = useClient();
  const { busy, attempt } = useDoing();
  const [visit, setVisit] = useState<string>();
  const { name, reach, status, problem } = server;
  const act = async (action: ServerAction) => {
    await attempt(async () => setVisit((await client.ask('mcp/act', { server: name, action }))?.visit));
    onChanged();
  };
  const remove = async () => {
    await attempt(() => client.ask('mcp/remove', { server: name }));
    onChanged();
  };
  return (
    <li class="card" aria-label={name}>
      <div class="card-text">
        <strong>{name}</strong>{' '}
        <span class={status === 'failed' ? 'failed' : 'hint'}>{words[status] ?? status}</span>
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
            Sign in at{' '}
            <a href={visit} target="_blank" rel="noopener noreferrer">
              {new URL(visit).host}
            </a>{' '}
            in a browser on the machine of the host; the server starts by itself afterwards.
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
    return client.ask('mcp/add', {
      server,
      ...(/^https?:\/\//.test(reach) ? { url: reach } : { command, args }),
    });
  };
  return (
    <AddForm
      title="Add a server"
      label="Command or address"
      placeholder="npx -y some-server, or https://…"
      add={add}
      onChanged={onChanged}
    />
  );
}
