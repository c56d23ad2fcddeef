// One session: its page, header, chats, side panels, and what runs in it.
import type { ChatState, SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../../client/connection/channel.ts';
import { renaming } from '../../state/sessionChanges.ts';
import { OpenBesideContext } from '../../views/running/openBeside.ts';
import { ChatTabs } from '../../views/session/ChatTabs.tsx';
import { SessionHeader } from '../../views/session/SessionHeader.tsx';
import { SessionPage } from '../../views/session/SessionPage.tsx';
import { SidePanel } from '../../views/session/SidePanel.tsx';
import type { Panel } from '../../views/session/SidePanel.tsx';
import { Area, Host, Opened, Part, Pressed, Stage } from '../Part.tsx';
import { root } from '../samples/agents.ts';
import { shop, shopChat } from '../samples/sessions.ts';
import { empty, failing, world } from '../samples/world.ts';
import { client, nothing, target } from '../surroundings.ts';

export function Session() {
  return (
    <Area title="Session">
      <Part title="Page">
        <Stage size="tall">
          <SessionPage session={shop} />
        </Stage>
      </Part>
      <Part title="On another host">
        <Host tables={{ ...world, ...otherHost }}>
          <Stage>
            <SessionPage session="ahp-session:/other" />
          </Stage>
        </Host>
      </Part>
      <Part title="Header">
        <Header />
      </Part>
      <Part title="Chats">
        <Tabs />
      </Part>
      <Part title="Not found">
        <Stage size="low">
          <SessionPage session="ahp-session:/gone" />
        </Stage>
      </Part>
      <Part title="Loading">
        <Stage size="low">
          <SessionPage session="ahp-session:/late" />
        </Stage>
      </Part>
    </Area>
  );
}

/** Without what only Parley serves. */
const otherHost = { access: undefined, answers: {} };

const channel = client.open('session', shop);

function Header() {
  const state = channel.state.value;
  if (!state) return null;
  const long = { ...state, title: 'Explain why the nightly job sometimes sends the same invoice twice' };
  const other = client.open('session', 'ahp-session:/renamed');
  renaming.value = other.uri;
  const common = { channel, chat: target.channel, agent: root.agents[0], onPanel: nothing };
  return (
    <>
      <SessionHeader {...common} state={long} panel="running" />
      <SessionHeader {...common} channel={other} state={state} panel={undefined} />
      <Opened>
        <Stage>
          <SessionHeader {...common} state={state} panel={undefined} />
        </Stage>
      </Opened>
    </>
  );
}

function Tabs() {
  const state = channel.state.value;
  return state ? <ChatTabs session={shop} state={state} chat={shopChat} /> : null;
}

const running: Panel = { name: 'running' };

/** The rows of a sub-agent, of a terminal and of a job that has ended. */
const opened = ['general: audit', 'npm run dev', 'Types'];

const panels: readonly (readonly [title: string, panel: Panel])[] = [
  ['Running', running],
  ['Usage', { name: 'usage' }],
  ['Clients', { name: 'clients' }],
  ['Session settings', { name: 'settings' }],
  ['Sub-agent', { chat: 'ahp-chat:/audit' }],
];

export function Panels() {
  const state = channel.state.value;
  if (!state) return null;
  const none: SessionState = { ...state, chats: [], activeClients: [] };
  return (
    <Area title="Side panels">
      {panels.map(([title, panel]) => (
        <Part key={title} title={title}>
          <Pressed names={panel === running ? opened : []}>
            <OpenPanel panel={panel} state={state} />
          </Pressed>
        </Part>
      ))}
      <Part title="Work on another host">
        <Pressed names={['Watch the tests']}>
          <OpenPanel
            panel={running}
            state={{ ...state, chats: [] }}
            chat={client.open('chat', 'ahp-chat:/other')}
          />
        </Pressed>
      </Part>
      <Part title="Nothing runs">
        <Host tables={{ ...empty, root: { agents: [] } }}>
          <OpenPanel panel={running} state={none} />
        </Host>
      </Part>
      <Part title="Usage, failed">
        <Host tables={failing}>
          <OpenPanel panel={{ name: 'usage' }} state={state} />
        </Host>
      </Part>
    </Area>
  );
}

interface OpenPanelProps {
  readonly panel: Panel;
  readonly state: SessionState;
  readonly chat?: Channel<ChatState>;
}

function OpenPanel({ panel, state, chat = target.channel }: OpenPanelProps) {
  return (
    <OpenBesideContext.Provider value={nothing}>
      <Stage size="panel">
        <SidePanel panel={panel} channel={channel} state={state} chat={chat} onClose={nothing} />
      </Stage>
    </OpenBesideContext.Provider>
  );
}
