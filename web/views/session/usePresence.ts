// Lets the other clients of a session know that somebody looks at it here.
import { useEffect } from 'preact/hooks';
import type { SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../client/channel.ts';
import { useClient } from '../../state/app.ts';

export function usePresence(channel: Channel<SessionState>): void {
  const client = useClient();
  const { clientId } = client;
  const known = channel.state.value !== undefined;
  const online = client.link.value.kind === 'online';
  useEffect(() => {
    if (!known || !online) return;
    const activeClient = { clientId, displayName: 'Console', tools: [] };
    void client.dispatch(channel, { type: 'session/activeClientSet', activeClient });
    const leave = () => void client.dispatch(channel, { type: 'session/activeClientRemoved', clientId });
    // A page that is closed or left says goodbye, too; otherwise the host waits for it to come back.
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
    };
  }, [channel, known, online]);
}
