// The panel beside a conversation: what runs, another chat, context and cost, clients or session settings.
import { useEffect, useRef } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { ChatState, SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../../client/connection/channel.ts';
import { IconButton } from '../parts/Icon.tsx';
import { RunningPanel } from '../running/RunningPanel.tsx';
import { UsagePanel } from '../usage/UsagePanel.tsx';
import { BesideChat } from './BesideChat.tsx';
import { ConnectedClients } from './ConnectedClients.tsx';
import { SessionSettings } from './SessionSettings.tsx';

export type PanelName = 'running' | 'usage' | 'clients' | 'settings';

/** A panel, or the chat that is open beside its parent. */
export type Panel = { readonly name: PanelName } | { readonly chat: URI };

interface SidePanelProps {
  readonly panel: Panel;
  readonly channel: Channel<SessionState>;
  readonly state: SessionState;
  readonly chat: Channel<ChatState>;
  readonly onClose: () => void;
}

const panelTitles: Readonly<Record<PanelName, string>> = {
  running: 'Sub-agents, jobs and terminals',
  usage: 'Context and cost',
  clients: 'Connected clients',
  settings: 'Session settings',
};

export function SidePanel({ panel, channel, state, chat, onClose }: SidePanelProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const title = titleOf(panel, state);
  useEffect(() => heading.current?.focus(), [JSON.stringify(panel)]);
  return (
    <aside class={`side-panel ${'chat' in panel ? 'has-chat' : ''}`} aria-label={title}>
      <header>
        <h2 ref={heading} class="truncate" tabIndex={-1} dir="auto">
          {title}
        </h2>
        <IconButton icon="x" label="Close" onClick={onClose} />
      </header>
      {'chat' in panel ? (
        <BesideChat key={panel.chat} session={channel.uri} chat={panel.chat} />
      ) : (
        <PanelBody name={panel.name} channel={channel} state={state} chat={chat} />
      )}
    </aside>
  );
}

interface PanelBodyProps {
  readonly name: PanelName;
  readonly channel: Channel<SessionState>;
  readonly state: SessionState;
  readonly chat: Channel<ChatState>;
}

function PanelBody({ name, channel, state, chat }: PanelBodyProps) {
  switch (name) {
    case 'running':
      return <RunningPanel session={channel.uri} state={state} chat={chat} />;
    case 'usage':
      return <UsagePanel session={channel.uri} chat={chat} />;
    case 'clients':
      return <ConnectedClients state={state} />;
    case 'settings':
      return <SessionSettings session={channel} state={state} />;
    default:
      return name satisfies never;
  }
}

function titleOf(panel: Panel, { chats }: SessionState): string {
  if ('name' in panel) return panelTitles[panel.name];
  return chats.find(({ resource }) => resource === panel.chat)?.title || 'Sub-agent';
}
