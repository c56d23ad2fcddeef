// The panel beside a conversation: terminals and jobs, connected clients or session settings.
import { useEffect, useRef } from 'preact/hooks';
import type { ChatState, SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../../client/connection/channel.ts';
import { Icon } from '../parts/Icon.tsx';
import { ConnectedClients } from './ConnectedClients.tsx';
import { SessionSettings } from './SessionSettings.tsx';
import { Terminals } from './Terminals.tsx';

export type PanelName = 'terminals' | 'clients' | 'settings';

interface SidePanelProps {
  readonly name: PanelName;
  readonly channel: Channel<SessionState>;
  readonly state: SessionState;
  readonly chat: Channel<ChatState>;
  readonly onClose: () => void;
}

const panelTitles: Readonly<Record<PanelName, string>> = {
  terminals: 'Terminals and jobs',
  clients: 'Connected clients',
  settings: 'Session settings',
};

export function SidePanel({ name, channel, state, chat, onClose }: SidePanelProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [name]);
  return (
    <aside class="side-panel" aria-label={panelTitles[name]}>
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {panelTitles[name]}
        </h2>
        <button type="button" class="btn ghost icon-only small" aria-label="Close" onClick={onClose}>
          <Icon name="x" />
        </button>
      </header>
      {name === 'terminals' && (
        <Terminals session={channel.uri} chat={chat} folder={state.workingDirectories?.[0]} />
      )}
      {name === 'clients' && <ConnectedClients state={state} />}
      {name === 'settings' && <SessionSettings session={channel} state={state} />}
    </aside>
  );
}
