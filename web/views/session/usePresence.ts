// Announces this page to the other clients of the session as long as the session is open here.
import { useEffect } from 'preact/hooks';
import type { SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../../client/connection/channel.ts';
import { useClient } from '../../state/app.ts';

export function usePresence(channel: Channel<SessionState>): void {
  const client = useClient();
  const { clientId } = client;
  const loaded = channel.state.value !== undefined;
  const online = client.connection.value.kind === 'online';
  useEffect(() => {
    if (!loaded || !online) return;
    const activeClient = { clientId, displayName: 'Console', tools: [] };
    void client.dispatch(channel, { type: 'session/activeClientSet', activeClient });
    const leave = () => void client.dispatch(channel, { type: 'session/activeClientRemoved', clientId });
    // A page that is closed says so; otherwise the host waits for it to reconnect.
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
    };
  }, [channel, loaded, online]);
}
