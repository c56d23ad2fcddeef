// The head of a session: its name, how it stands, where it works, who is there and what it has used.
import { useState } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import { statusBits, withFlag } from '../../../src/protocols/ahp/status.ts';
import type { AgentInfo, ChatState, SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import { findSummary } from '../../client/catalogue.ts';
import type { Channel } from '../../client/channel.ts';
import type { Client } from '../../client/client.ts';
import { freshId } from '../../client/freshId.ts';
import { useClient } from '../../state/app.ts';
import { act } from '../../state/chat.ts';
import { useMay } from '../../state/role.ts';
import { goTo } from '../../state/route.ts';
import { problemText, toast } from '../../state/toasts.ts';
import { isArchived, nameOf, placeOf } from '../../text/words.ts';
import { Icon } from '../parts/Icon.tsx';
import { StatusMark } from '../parts/StatusMark.tsx';
import { UsageLine } from '../parts/UsageLine.tsx';
import { Deletion } from './Deletion.tsx';
import type { PanelName } from './SidePanel.tsx';
import { runningIn } from './Terminals.tsx';

interface SessionHeaderProps {
  readonly channel: Channel<SessionState>;
  readonly state: SessionState;
  readonly chat: Channel<ChatState>;
  readonly agent: AgentInfo | undefined;
  readonly panel: PanelName | undefined;
  readonly onPanel: (name: PanelName) => void;
}

export function SessionHeader({ channel, state, chat, agent, panel, onPanel }: SessionHeaderProps) {
  const client = useClient();
  const mayControl = useMay('control');
  const summary = findSummary(client.sessions.value, channel.uri);
  const chatState = chat.state.value;
  const usages = [
    ...(chatState?.turns ?? []),
    ...(chatState?.activeTurn ? [chatState.activeTurn] : []),
  ].flatMap(({ usage }) => usage ?? []);
  const directory = state.workingDirectories?.[0];
  const archived = isArchived(summary?.status ?? state.status);
  const changes = summary?.changes;
  const { terminals, work } = runningIn(channel.uri, client.root.state.value, chatState);
  const running = new Set([
    ...terminals.map(({ resource }) => resource),
    ...work.map(({ terminal, id }) => terminal ?? id),
  ]).size;
  return (
    <header class="session-header">
      <a class="back" href="#/" aria-label="Back to the sessions">
        <Icon name="back" />
      </a>
      <div class="session-name">
        <Title channel={channel} title={state.title} />
        <p class="about">
          <StatusMark status={asRead(chatState?.status ?? state.status)} worded />
          <span>{agent?.displayName ?? state.provider}</span>
          {directory !== undefined && (
            <span title={placeOf(directory)}>
              <Icon name="folder" /> {nameOf(directory)}
            </span>
          )}
          {(chatState?.activity ?? '') !== '' && <span class="activity">{chatState?.activity}</span>}
          <UsageLine usages={usages} />
        </p>
      </div>
      <div class="session-tools" role="group" aria-label="Session">
        <button type="button" aria-pressed={panel === 'changes'} onClick={() => onPanel('changes')}>
          Changes{changes?.files !== undefined && changes.files > 0 && ` (${changes.files})`}
        </button>
        {(running > 0 || mayControl || panel === 'terminals') && (
          <button
            type="button"
            aria-pressed={panel === 'terminals'}
            title="Running"
            onClick={() => onPanel('terminals')}
          >
            <Icon name="terminal" /> {running} <span class="unseen">running</span>
          </button>
        )}
        <button
          type="button"
          aria-pressed={panel === 'people'}
          title="Who is here"
          onClick={() => onPanel('people')}
        >
          <Icon name="people" /> {state.activeClients.length} <span class="unseen">connected</span>
        </button>
        {mayControl && agent?.capabilities?.multipleChats !== undefined && (
          <button
            type="button"
            class="quiet"
            aria-label="New chat"
            title="New chat"
            onClick={() => void newChat(client, channel.uri)}
          >
            <Icon name="plus" />
          </button>
        )}
        {mayControl && (
          <button
            type="button"
            class="quiet"
            aria-label={archived ? 'Take out of the archive' : 'Archive'}
            title={archived ? 'Take out of the archive' : 'Archive'}
            onClick={() => archive()}
          >
            <Icon name="archive" />
          </button>
        )}
        {mayControl && client.me.value !== undefined && <Deletion session={channel.uri} />}
      </div>
    </header>
  );

  function archive(): void {
    void act(client, channel, { type: 'session/isArchivedChanged', isArchived: !archived });
    if (!archived) goTo({ page: 'sessions' });
  }
}

/** Whoever sees this reads it. */
function asRead(status: number): number {
  return withFlag(status, statusBits.isRead, true);
}

async function newChat(client: Client, session: URI): Promise<void> {
  const chat = `ahp-chat:/${freshId()}`;
  try {
    await client.request('createChat', { channel: session, chat });
    goTo({ page: 'session', session, chat });
  } catch (error) {
    toast('problem', problemText(error));
  }
}

function Title({ channel, title }: { readonly channel: Channel<SessionState>; readonly title: string }) {
  const client = useClient();
  const mayControl = useMay('control');
  const [edited, setEdited] = useState<string>();
  const save = (event: Event): void => {
    event.preventDefault();
    const next = edited?.trim() ?? '';
    if (next !== '' && next !== title)
      void act(client, channel, { type: 'session/titleChanged', title: next });
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
