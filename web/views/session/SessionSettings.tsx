// The settings of a session that can be changed while it runs.
import type { ConfigPropertySchema } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../../client/connection/channel.ts';
import { useClient } from '../../state/app.ts';
import { dispatchOrToast } from '../../state/chat.ts';
import { ConfigForm } from '../parts/ConfigForm.tsx';

interface SessionSettingsProps {
  readonly session: Channel<SessionState>;
  readonly state: SessionState;
}

export function SessionSettings({ session, state }: SessionSettingsProps) {
  const client = useClient();
  return (
    <ConfigForm
      properties={Object.fromEntries(mutableProperties(state))}
      values={state.config?.values ?? {}}
      onChange={(config) => void dispatchOrToast(client, session, { type: 'session/configChanged', config })}
    />
  );
}

export function mutableProperties({ config }: SessionState): readonly [string, ConfigPropertySchema][] {
  return Object.entries(config?.schema.properties ?? {}).filter(
    ([, property]) => property.sessionMutable === true,
  );
}
