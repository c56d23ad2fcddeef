// The clients that are connected to a session, and the tools of its agent.
import type { SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import { useClient } from '../../state/app.ts';

export function ConnectedClients({ state }: { readonly state: SessionState }) {
  const client = useClient();
  const { activeClients, serverTools = [] } = state;
  return (
    <div class="people">
      {activeClients.length === 0 ? (
        <p class="empty">No clients connected</p>
      ) : (
        <ul>
          {activeClients.map(({ clientId, displayName, tools }) => (
            <li key={clientId}>
              <strong>{displayName ?? 'Unnamed client'}</strong>
              {clientId === client.clientId && <span class="faint"> (this page)</span>}
              {tools.length > 0 && <span class="faint"> provides {countTools(tools.length)}</span>}
            </li>
          ))}
        </ul>
      )}
      {serverTools.length > 0 && (
        <details class="details">
          <summary>The agent has {countTools(serverTools.length)}</summary>
          <ul>
            {serverTools.map(({ name, title }) => (
              <li key={name}>{title ?? name}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function countTools(count: number): string {
  return count === 1 ? '1 tool' : `${count} tools`;
}
