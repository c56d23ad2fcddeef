// The MCP servers of the user's settings: status, tools and actions. The host starts them
// while this page is open.
import { useState } from 'preact/hooks';
import type { ServerAction, ServerRow } from '../../../client/connection/extensions.ts';
import { useClient } from '../../state/app.ts';
import { usePolledHostData, useHostAction } from '../../state/hostData.ts';
import { Loading } from '../parts/Loading.tsx';
import { AddForm } from './AddForm.tsx';
import { ItemRow } from './ItemRow.tsx';

const refreshMs = 2_000;

export function McpServers() {
  const { value: servers, problem, reload } = usePolledHostData('mcp/list', {}, refreshMs);
  if (problem !== undefined) return <p class="field-error">{problem}</p>;
  return (
    <>
      <p class="lead">Tools from these servers ask for approval. Projects and editors can add servers too.</p>
      {servers === undefined && <Loading what="the list" />}
      {servers?.length === 0 && <p class="empty">No MCP servers</p>}
      <ul class="list">
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

const badges: ReadonlyMap<string, string> = new Map([
  ['running', 'ok'],
  ['failed', 'bad'],
  ['requires-auth', 'wait-soft'],
]);

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
    <ItemRow
      wraps
      name={name}
      badge={<span class={`badge ${badges.get(status) ?? ''}`}>{statusLabels[status] ?? status}</span>}
      details={
        <>
          <p class="truncate">
            <code>{reach}</code>
          </p>
          {problem !== undefined && (
            <p class="field-error" dir="auto">
              {problem}
            </p>
          )}
          <Tools server={server} />
        </>
      }
      buttons={
        <>
          {actionsFor(server).map(([action, label]) => (
            <button
              key={action}
              type="button"
              class="btn small"
              disabled={busy}
              onClick={() => void act(action)}
            >
              {label}
            </button>
          ))}
          <button type="button" class="btn small danger" disabled={busy} onClick={() => void remove()}>
            Remove
          </button>
        </>
      }
    >
      {visit !== undefined && status === 'requires-auth' && <Visit url={visit} />}
    </ItemRow>
  );
}

/** Only web addresses become links. */
function Visit({ url }: { readonly url: string }) {
  if (!/^https?:\/\//.test(url)) return null;
  return (
    <p class="item-form">
      <span>
        Open{' '}
        <a href={url} target="_blank" rel="noopener noreferrer">
          {new URL(url).host}
        </a>{' '}
        on the computer that runs Parley. The server starts after you have signed in.
      </span>
    </p>
  );
}

function Tools({ server: { tools } }: { readonly server: ServerRow }) {
  if (tools.length === 0) return null;
  return (
    <details class="details">
      <summary>
        {tools.length} {tools.length === 1 ? 'tool' : 'tools'}
      </summary>
      <dl class="fields">
        {tools.map(({ name, description }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="faint">{description}</dd>
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
