// The header of a session: title, folder, git branch, the lines it changed, what runs, and a menu with
// everything else.
import { useEffect, useRef } from 'preact/hooks';
import { errorText } from '../../../src/base/errorText.ts';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { AgentInfo, ChatState, SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import { findSummary } from '../../../client/connection/catalogue.ts';
import type { Channel } from '../../../client/connection/channel.ts';
import type { Client } from '../../../client/connection/client.ts';
import { freshId } from '../../../client/connection/freshId.ts';
import { useClient } from '../../state/app.ts';
import { dispatchOrToast } from '../../state/chat.ts';
import { useHostData } from '../../state/hostData.ts';
import { useHasRole } from '../../state/role.ts';
import { goTo } from '../../state/route.ts';
import { archiveOpenSession, renaming } from '../../state/sessionChanges.ts';
import { pins, togglePin } from '../../state/sidebar.ts';
import { toast } from '../../state/toasts.ts';
import { isArchived, nameOf, pathOf } from '../../text/format.ts';
import { SidebarButton } from '../frame/SidebarButton.tsx';
import { Icon } from '../parts/Icon.tsx';
import type { IconName } from '../parts/Icon.tsx';
import { LineCounts } from '../parts/LineCounts.tsx';
import { MenuButton, MenuItem } from '../parts/Menu.tsx';
import { countRunning, useActivity } from '../running/activity.ts';
import { DeleteSession } from './DeleteSession.tsx';
import { mutableProperties } from './SessionSettings.tsx';
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
  const { channel, state } = props;
  const isRenaming = renaming.value === channel.uri;
  useEffect(() => () => stopRenaming(channel.uri), [channel.uri]);
  const directory = state.workingDirectories?.[0];
  const client = useClient();
  const isOwnHost = useHasRole('control') && client.access.value !== undefined;
  return (
    <header class="head">
      <SidebarButton />
      {!isRenaming ? (
        <div class="title">
          <h1 class="truncate" tabIndex={-1} dir="auto">
            {state.title || 'New session'}
          </h1>
          {directory !== undefined && (
            <div class="places">
              <span class="where" title={pathOf(directory)}>
                <Icon name="folder" />
                <span class="truncate">{nameOf(directory)}</span>
              </span>
              {isOwnHost && (
                <Branch folder={pathOf(directory)} turns={props.chat.state.value?.turns.length ?? 0} />
              )}
            </div>
          )}
        </div>
      ) : (
        <Rename channel={channel} title={state.title} onDone={() => stopRenaming(channel.uri)} />
      )}
      <div class="tools" role="group" aria-label="Session">
        <PanelButtons {...props} />
        <MoreMenu {...props} onRename={() => (renaming.value = channel.uri)} />
      </div>
    </header>
  );
}

/** Another session may be about to be renamed. */
function stopRenaming(session: URI): void {
  if (renaming.value === session) renaming.value = undefined;
}

/** The git branch of the folder. A turn may have switched it, so it is read again after each. */
function Branch({ folder, turns }: { readonly folder: string; readonly turns: number }) {
  const { value, reload } = useHostData('console/folders', { at: folder });
  useEffect(() => {
    if (turns > 0) void reload();
  }, [turns, reload]);
  if (value?.branch === undefined) return null;
  return (
    <span class="where branch-name truncate" title={`Git branch ${value.branch}`}>
      <Icon name="branch" />
      <span class="unseen">Branch</span>
      <span class="truncate" dir="ltr">
        {value.branch}
      </span>
    </span>
  );
}

function PanelButtons({ channel, state, chat, panel, onPanel }: SessionHeaderProps) {
  const client = useClient();
  const changes = findSummary(client.sessions.value, channel.uri)?.changes;
  const running = countRunning(useActivity(channel.uri, state, chat.state.value).activity);
  return (
    <>
      <button
        type="button"
        class="btn ghost changes-button"
        title="Changes (Alt+C)"
        onClick={() => goTo({ page: 'session', session: channel.uri, chat: chat.uri, view: 'changes' })}
      >
        <Icon name="changes" />
        <span class="unseen">Changes</span>
        <span class="desk-only" aria-hidden="true">
          Changes
        </span>
        <LineCounts added={changes?.additions} removed={changes?.deletions} />
      </button>
      <button
        type="button"
        class="btn ghost desk-only jobs-button"
        aria-pressed={panel === 'running'}
        title="Sub-agents, jobs and terminals (Ctrl+`)"
        onClick={() => onPanel('running')}
      >
        <Icon name="terminal" />
        Jobs
        {running > 0 && <span class="badge">{running}</span>}
      </button>
    </>
  );
}

interface MoreMenuProps extends SessionHeaderProps {
  readonly onRename: () => void;
}

function MoreMenu(props: MoreMenuProps) {
  const { channel, state } = props;
  const deletion = useRef<HTMLDialogElement>(null);
  const entries = useMenuEntries(props, () => deletion.current?.showModal());
  return (
    <>
      <MenuButton
        class="btn ghost icon-only"
        label="More"
        title="More"
        menu="More"
        shape="below"
        face={<Icon name="more" />}
      >
        {(close) =>
          entries.map(({ run, ...entry }) => (
            <MenuItem
              key={entry.label}
              {...entry}
              onChoose={() => {
                close();
                run();
              }}
            />
          ))
        }
      </MenuButton>
      <DeleteSession session={channel.uri} title={state.title || 'New session'} dialog={deletion} />
    </>
  );
}

interface MenuEntry {
  readonly icon: IconName;
  readonly label: string;
  readonly end?: number;
  readonly danger?: boolean;
  readonly run: () => void;
}

function useMenuEntries(props: MoreMenuProps, remove: () => void): readonly MenuEntry[] {
  const { channel, state, agent, onPanel, onRename } = props;
  const client = useClient();
  const mayControl = useHasRole('control');
  const archived = isArchived(findSummary(client.sessions.value, channel.uri)?.status ?? state.status);
  const when = (shown: boolean, entry: MenuEntry) => (shown ? [entry] : []);
  const pinned = pins.value.has(channel.uri);
  return [
    ...when(mayControl, { icon: 'edit', label: 'Rename', run: onRename }),
    { icon: 'pin', label: pinned ? 'Unpin' : 'Pin', run: () => togglePin(channel.uri) },
    ...when(mayControl && agent?.capabilities?.multipleChats !== undefined, {
      icon: 'plus',
      label: 'New chat in this session',
      run: () => void createChat(client, channel.uri),
    }),
    { icon: 'terminal', label: 'Sub-agents, jobs and terminals', run: () => onPanel('running') },
    ...when(client.access.value !== undefined, {
      icon: 'coin',
      label: 'Context and cost',
      run: () => onPanel('usage'),
    }),
    ...when(mayControl && mutableProperties(state).length > 0, {
      icon: 'sliders',
      label: 'Session settings',
      run: () => onPanel('settings'),
    }),
    {
      icon: 'phone',
      label: 'Connected clients',
      end: state.activeClients.length,
      run: () => onPanel('clients'),
    },
    ...when(mayControl, {
      icon: 'archive',
      label: archived ? 'Unarchive' : 'Archive',
      run: () => archiveOpenSession(client),
    }),
    ...when(mayControl && client.access.value !== undefined, {
      icon: 'trash',
      label: 'Delete…',
      danger: true,
      run: remove,
    }),
  ];
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

interface RenameProps {
  readonly channel: Channel<SessionState>;
  readonly title: string;
  readonly onDone: () => void;
}

/** Reads the field itself: the last keys may not be rendered yet when Enter follows at once. */
function Rename({ channel, title, onDone }: RenameProps) {
  const client = useClient();
  const field = useRef<HTMLInputElement>(null);
  const save = (event: Event): void => {
    event.preventDefault();
    const next = field.current?.value.trim() ?? '';
    if (next !== '' && next !== title)
      void dispatchOrToast(client, channel, { type: 'session/titleChanged', title: next });
    onDone();
  };
  return (
    <form class="title" onSubmit={save}>
      <label class="grow">
        <span class="unseen">Title</span>
        <input
          ref={(element) => {
            if (element && !field.current) element.select();
            field.current = element;
          }}
          class="input"
          dir="auto"
          defaultValue={title}
          onKeyDown={(event) => event.key === 'Escape' && onDone()}
        />
      </label>
      <button type="submit" class="btn small primary">
        Save
      </button>
    </form>
  );
}
