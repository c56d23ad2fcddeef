// Lets the other clients of a session know that somebody looks at it here.
import { useEffect } from 'preact/hooks';
import type { SessionState } from '../../../src/protocols/ahp/newest/state.ts';
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
    return () => void client.dispatch(channel, { type: 'session/activeClientRemoved', clientId });
  }, [channel, known, online]);
}
