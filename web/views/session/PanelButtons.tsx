// The buttons that open the side panels of a session, with their counts.
import type { ComponentChildren } from 'preact';
import type { ChatState, SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import { findSummary } from '../../client/catalogue.ts';
import type { Channel } from '../../client/channel.ts';
import { useClient } from '../../state/app.ts';
import { useHasRole } from '../../state/role.ts';
import { Icon } from '../parts/Icon.tsx';
import { mutableProperties } from './SessionSettings.tsx';
import { panelTitles } from './SidePanel.tsx';
import type { PanelName } from './SidePanel.tsx';
import { backgroundActivity } from './Terminals.tsx';
import type { BackgroundActivity } from './Terminals.tsx';

interface PanelButtonsProps {
  readonly channel: Channel<SessionState>;
  readonly state: SessionState;
  readonly chat: Channel<ChatState>;
  readonly panel: PanelName | undefined;
  readonly onPanel: (name: PanelName) => void;
}

export function PanelButtons({ channel, state, chat, panel, onPanel }: PanelButtonsProps) {
  const client = useClient();
  const mayControl = useHasRole('control');
  const changedFiles = findSummary(client.sessions.value, channel.uri)?.changes?.files ?? 0;
  const running = countOf(backgroundActivity(channel.uri, client.root.state.value, chat.state.value));
  const button = { panel, onPanel };
  return (
    <>
      <PanelButton name="changes" {...button}>
        Changes{changedFiles > 0 && ` (${changedFiles})`}
      </PanelButton>
      {(running > 0 || mayControl || panel === 'terminals') && (
        <PanelButton name="terminals" {...button}>
          <Icon name="terminal" /> {running} <span class="unseen">running</span>
        </PanelButton>
      )}
      <PanelButton name="clients" {...button}>
        <Icon name="people" /> {state.activeClients.length} <span class="unseen">connected</span>
      </PanelButton>
      {mayControl && mutableProperties(state).length > 0 && (
        <PanelButton name="settings" {...button}>
          <Icon name="settings" /> <span class="unseen">Session settings</span>
        </PanelButton>
      )}
    </>
  );
}

interface PanelButtonProps {
  readonly name: PanelName;
  readonly panel: PanelName | undefined;
  readonly onPanel: (name: PanelName) => void;
  readonly children: ComponentChildren;
}

function PanelButton({ name, panel, onPanel, children }: PanelButtonProps) {
  return (
    <button
      type="button"
      aria-pressed={panel === name}
      title={panelTitles[name]}
      onClick={() => onPanel(name)}
    >
      {children}
    </button>
  );
}

/** A job with a terminal counts once. */
function countOf({ terminals, work }: BackgroundActivity): number {
  const ids = [
    ...terminals.map(({ resource }) => resource),
    ...work.map(({ terminal, id }) => terminal ?? id),
  ];
  return new Set(ids).size;
}
