// The header of a session: title, status, agent, folder, usage, and buttons for panels and actions.
import { useState } from 'preact/hooks';
import { errorText } from '../../../src/base/errorText.ts';
import { statusBits, withFlag } from '../../../src/protocols/ahp/status.ts';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { AgentInfo, ChatState, SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import { findSummary } from '../../client/catalogue.ts';
import type { Channel } from '../../client/channel.ts';
import type { Client } from '../../client/client.ts';
import { freshId } from '../../client/freshId.ts';
import { useClient } from '../../state/app.ts';
import { dispatchOrToast } from '../../state/chat.ts';
import { useHasRole } from '../../state/role.ts';
import { goTo } from '../../state/route.ts';
import { toast } from '../../state/toasts.ts';
import { isArchived, nameOf, pathOf } from '../../text/format.ts';
import { Icon } from '../parts/Icon.tsx';
import type { IconName } from '../parts/Icon.tsx';
import { StatusMark } from '../parts/StatusMark.tsx';
import { UsageLine } from '../parts/UsageLine.tsx';
import { DeleteSession } from './DeleteSession.tsx';
import { PanelButtons } from './PanelButtons.tsx';
import type { PanelName } from './SidePanel.tsx';

interface SessionHeaderProps {
  readonly channel: Channel<SessionState>;
  readonly state: SessionState;
  readonly chat: Channel<ChatState>;
  readonly agent: AgentInfo | undefined;
  readonly panel: PanelName | undefined;
  readonly onPanel: (name: PanelName) => void;
}

export function SessionHeader(props: SessionHeaderProps) {
  const { channel, state, chat, agent } = props;
  const mayControl = useHasRole('control');
  return (
    <header class="session-header">
      <a class="back" href="#/" aria-label="Back to the sessions">
        <Icon name="back" />
      </a>
      <div class="session-name">
        <Title channel={channel} title={state.title} />
        <About state={state} chat={chat.state.value} agent={agent} />
      </div>
      <div class="session-tools" role="group" aria-label="Session">
        <PanelButtons {...props} />
        {mayControl && <SessionActions channel={channel} state={state} agent={agent} />}
      </div>
    </header>
  );
}

interface AboutProps {
  readonly state: SessionState;
  readonly chat: ChatState | undefined;
  readonly agent: AgentInfo | undefined;
}

function About({ state, chat, agent }: AboutProps) {
  const directory = state.workingDirectories?.[0];
  const { activity = '', turns = [], activeTurn } = chat ?? {};
  const usages = [...turns, ...(activeTurn ? [activeTurn] : [])].flatMap(({ usage }) => usage ?? []);
  return (
    <p class="about">
      <StatusMark status={asRead(chat?.status ?? state.status)} labelled />
      <span>{agent?.displayName ?? state.provider}</span>
      {directory !== undefined && (
        <span title={pathOf(directory)}>
          <Icon name="folder" /> {nameOf(directory)}
        </span>
      )}
      {activity !== '' && <span class="activity">{activity}</span>}
      <UsageLine usages={usages} />
    </p>
  );
}

/** A session that the user looks at is not shown as unread. */
function asRead(status: number): number {
  return withFlag(status, statusBits.isRead, true);
}

interface SessionActionsProps {
  readonly channel: Channel<SessionState>;
  readonly state: SessionState;
  readonly agent: AgentInfo | undefined;
}

function SessionActions({ channel, state, agent }: SessionActionsProps) {
  const client = useClient();
  const summary = findSummary(client.sessions.value, channel.uri);
  const archived = isArchived(summary?.status ?? state.status);
  const archive = (): void => {
    void dispatchOrToast(client, channel, { type: 'session/isArchivedChanged', isArchived: !archived });
    if (!archived) goTo({ page: 'sessions' });
  };
  return (
    <>
      {agent?.capabilities?.multipleChats !== undefined && (
        <IconButton icon="plus" label="New chat" onClick={() => void createChat(client, channel.uri)} />
      )}
      <IconButton icon="archive" label={archived ? 'Unarchive' : 'Archive'} onClick={archive} />
      {client.access.value !== undefined && <DeleteSession session={channel.uri} />}
    </>
  );
}

interface IconButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
}

function IconButton({ icon, label, onClick }: IconButtonProps) {
  return (
    <button type="button" class="quiet" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

async function createChat(client: Client, session: URI): Promise<void> {
  const chat = `ahp-chat:/${freshId()}`;
  try {
    await client.request('createChat', { channel: session, chat });
    goTo({ page: 'session', session, chat });
  } catch (error) {
    toast('problem', errorText(error));
  }
}

function Title({ channel, title }: { readonly channel: Channel<SessionState>; readonly title: string }) {
  const client = useClient();
  const mayControl = useHasRole('control');
  const [edited, setEdited] = useState<string>();
  const save = (event: Event): void => {
    event.preventDefault();
    const next = edited?.trim() ?? '';
    if (next !== '' && next !== title)
      void dispatchOrToast(client, channel, { type: 'session/titleChanged', title: next });
    setEdited(undefined);
  };
  if (edited !== undefined) {
    return (
      <form class="rename" onSubmit={save}>
        <label>
          <span class="unseen">Title</span>
          <input
            ref={(element) => element?.focus()}
            value={edited}
            onInput={(event) => setEdited(event.currentTarget.value)}
            onKeyDown={(event) => event.key === 'Escape' && setEdited(undefined)}
          />
        </label>
        <button type="submit">Save</button>
      </form>
    );
  }
  return (
    <div class="title">
      <h1 tabIndex={-1}>{title || 'New session'}</h1>
      {mayControl && (
        <button type="button" class="quiet" aria-label="Rename" onClick={() => setEdited(title)}>
          <Icon name="edit" />
        </button>
      )}
    </div>
  );
}
