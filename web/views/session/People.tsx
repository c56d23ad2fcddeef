// Who is connected to a session, and with what.
import type { SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../client/channel.ts';
import { useClient } from '../../state/app.ts';
import { act } from '../../state/chat.ts';
import { useMay } from '../../state/role.ts';
import { ConfigForm } from '../parts/ConfigForm.tsx';

export function People({
  session,
  state,
}: {
  readonly session: Channel<SessionState>;
  readonly state: SessionState;
}) {
  const client = useClient();
  const mayControl = useMay('control');
  const { activeClients, config, serverTools = [] } = state;
  const mutable = Object.entries(config?.schema.properties ?? {}).filter(
    ([, property]) => property.sessionMutable === true,
  );
  return (
    <div class="people">
      {activeClients.length === 0 ? (
        <p class="hint">Nobody has said so.</p>
      ) : (
        <ul>
          {activeClients.map(({ clientId, displayName, tools }) => (
            <li key={clientId}>
              <strong>{displayName ?? 'A client'}</strong>
              {clientId === client.clientId && <span class="hint"> (this page)</span>}
              {tools.length > 0 && <span class="hint"> brings {tools.length} tools</span>}
            </li>
          ))}
        </ul>
      )}
      {mayControl && config && mutable.length > 0 && (
        <>
          <h3>Settings of this session</h3>
          <ConfigForm
            properties={Object.fromEntries(mutable)}
            values={config.values}
            onChange={(change) =>
              void act(client, session, { type: 'session/configChanged', config: change })
            }
          />
        </>
      )}
      {serverTools.length > 0 && (
        <details>
          <summary>{serverTools.length} tools of the agent</summary>
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
