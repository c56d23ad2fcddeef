// The MCP servers of the user's settings: status, tools and actions. The host starts them
// while this page is open.
import { useState } from 'preact/hooks';
import { errorText } from '../../../src/base/errorText.ts';
import type { ServerAction, ServerRow } from '../../../client/connection/extensions.ts';
import { useClient } from '../../state/app.ts';
import { usePolledHostData, useHostAction } from '../../state/hostData.ts';
import { Loading } from '../parts/Loading.tsx';
import { ItemRow } from './ItemRow.tsx';
import { reachText, ServerForm } from './ServerForm.tsx';

const refreshMs = 2_000;

export function McpServers() {
  const client = useClient();
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
      <h3>Add a server</h3>
      <ServerForm
        save={(fields) => client.requestExtension('mcp/add', fields)}
        onSaved={() => void reload()}
      />
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
  const [edited, setEdited] = useState(false);
  const { result, test } = useTest(server.name, onChanged);
  const { name, status, problem } = server;
  const act = async (action: ServerAction) => {
    await run(async () =>
      setVisit((await client.requestExtension('mcp/act', { server: name, action }))?.visit),
    );
    onChanged();
  };
  const closeForm = () => {
    setEdited(false);
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
      details={<ServerDetails server={server} result={result} />}
      buttons={
        <>
          {actionsFor(server).map(([action, label]) => (
            <RowButton key={action} label={label} disabled={busy} onClick={() => void act(action)} />
          ))}
          {status !== 'disabled' && (
            <RowButton label="Test" disabled={result === testing} onClick={() => void test()} />
          )}
          <RowButton label="Edit" onClick={() => setEdited(!edited)} />
          <RowButton label="Remove" kind="danger" disabled={busy} onClick={() => void remove()} />
        </>
      }
    >
      {problem !== undefined && (
        <pre class="term row-problem" tabIndex={0} aria-label={`Error of ${name}`} dir="auto">
          {problem}
        </pre>
      )}
      {edited && (
        <div class="item-form">
          <ServerForm
            server={server}
            save={(fields) => client.requestExtension('mcp/update', fields)}
            onSaved={closeForm}
            onCancel={() => setEdited(false)}
          />
        </div>
      )}
      {visit !== undefined && status === 'requires-auth' && <Visit url={visit} />}
    </ItemRow>
  );
}

function ServerDetails({ server, result }: { readonly server: ServerRow; readonly result: string }) {
  return (
    <>
      <p class="truncate">
        <code>{reachText(server)}</code>
      </p>
      {server.source !== undefined && <p class="truncate">From {server.source}</p>}
      <p role="status">{result}</p>
      <Tools server={server} />
    </>
  );
}

interface RowButtonProps {
  readonly label: string;
  readonly kind?: 'danger' | '';
  readonly disabled?: boolean;
  readonly onClick: () => void;
}

function RowButton({ label, kind = '', disabled = false, onClick }: RowButtonProps) {
  return (
    <button type="button" class={`btn small ${kind}`} disabled={disabled} onClick={onClick}>
      {label}
    </button>
  );
}

const testing = 'Testing…';

/** Restarts the server and shows the result; after a failure, the server's own message. */
function useTest(server: string, onChanged: () => void) {
  const client = useClient();
  const [result, setResult] = useState('');
  const test = async () => {
    setResult(testing);
    try {
      const answer = await client.requestExtension('mcp/test', { server });
      setResult(
        'problem' in answer
          ? `The test failed: ${answer.problem}`.split('\n', 1).join('')
          : `Works: ${answer.tools} ${answer.tools === 1 ? 'tool' : 'tools'}, started in ${answer.startMs} ms`,
      );
    } catch (error) {
      setResult(errorText(error));
    }
    onChanged();
  };
  return { result, test };
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
