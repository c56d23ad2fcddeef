// One session: header, chat tabs, transcript, composer and side panel.
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { isRecord } from '../../../src/base/isRecord.ts';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { AgentInfo, ChatState, SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import { findSummary } from '../../../client/connection/catalogue.ts';
import type { Channel } from '../../../client/connection/channel.ts';
import { useChannel, useClient } from '../../state/app.ts';
import { ChatContext, chatPort } from '../../state/chat.ts';
import { OpenBesideContext, OpenUsageContext } from '../running/openBeside.ts';
import { usePageTitle } from '../../state/pageTitle.ts';
import { useHasRole } from '../../state/role.ts';
import { isRead, nameOf } from '../../text/format.ts';
import { Composer } from '../compose/Composer.tsx';
import { stopTurn } from '../compose/sending.ts';
import type { ChatTarget } from '../compose/sending.ts';
import { Waits } from '../compose/Waits.tsx';
import { lazy } from '../parts/lazy.tsx';
import { Loading } from '../parts/Loading.tsx';
import { planIn, PlanView } from '../parts/PlanView.tsx';
import { TurnActionsContext, turnActionsIn } from '../transcript/turnActions.ts';
import { FoundPlaceContext } from '../transcript/foundPlace.ts';
import { Transcript } from '../transcript/Transcript.tsx';
import { ChatTabs } from './ChatTabs.tsx';
import { SessionHeader } from './SessionHeader.tsx';
import { SidePanel } from './SidePanel.tsx';
import type { Panel, PanelName } from './SidePanel.tsx';
import { usePresence } from './usePresence.ts';
import { useSearchedLine } from './useSearchedLine.ts';

interface SessionPageProps {
  readonly session: URI;
  readonly chat?: URI | undefined;
  readonly view?: 'changes' | undefined;
}

export function SessionPage({ session, chat, view }: SessionPageProps) {
  const channel = useChannel('session', session);
  const state = channel.state.value;
  const status = channel.status.value;
  if (status.kind === 'gone') return <NotFound reason={status.reason} />;
  if (!state) return <Loading what="the session" />;
  const shown = chat ?? state.defaultChat ?? state.chats[0]?.resource;
  if (state.lifecycle === 'failed')
    return <NotFound reason={state.creationError?.message ?? 'The session could not be created.'} />;
  if (shown === undefined) return <Loading what="the new session" />;
  const Shown = view === 'changes' ? OpenChanges : OpenSession;
  return <Shown key={shown} channel={channel} state={state} chat={shown} />;
}

function NotFound({ reason }: { readonly reason: string }) {
  return (
    <div class="scroll">
      <section class="page">
        <h1 tabIndex={-1}>Session not found</h1>
        <p>{reason}</p>
        <p>
          <a href="#/">Back to the sessions</a>
        </p>
      </section>
    </div>
  );
}

interface OpenSessionProps {
  readonly channel: Channel<SessionState>;
  readonly state: SessionState;
  readonly chat: URI;
}

/** Earlier turns are loaded when the user scrolls up to them. */
const initialTurns = 8;

function OpenChanges({ channel, state, chat: uri }: OpenSessionProps) {
  const chat = useChannel('chat', uri, initialTurns);
  usePresence(channel);
  usePageTitle('Changes', state.title || 'New session', nameOf(state.workingDirectories?.[0] ?? ''));
  return <Review session={channel.uri} state={state} chat={chat} />;
}

const Review = lazy(async () => (await import('../review/Review.tsx')).Review, 'Changes');

function OpenSession({ channel, state, chat: uri }: OpenSessionProps) {
  const client = useClient();
  const chat = useChannel('chat', uri, initialTurns);
  const [panel, setPanel] = useState<Panel>();
  const port = useMemo(() => chatPort(client, channel.uri, chat), [chat]);
  const actions = useMemo(() => turnActionsIn({ client, channel: chat }, channel), [chat]);
  const mayControl = useHasRole('control');
  usePresence(channel);
  useEscape({ client, channel: chat }, mayControl);
  usePageTitle(state.title || 'New session', nameOf(state.workingDirectories?.[0] ?? ''));
  useMarkRead(channel, chat);
  const agent = client.root.state.value?.agents.find(({ provider }) => provider === state.provider);
  const shownPanel = panel && 'name' in panel ? panel.name : undefined;
  const openBeside = useCallback((beside: URI) => setPanel({ chat: beside }), []);
  const openUsage = useCallback(() => setPanel({ name: 'usage' }), []);
  const toggle = (name: PanelName) => setPanel(shownPanel === name ? undefined : { name });

  return (
    <ChatContext.Provider value={port}>
      <TurnActionsContext.Provider value={mayControl ? actions : undefined}>
        <section class="session-page" aria-label={state.title || 'New session'}>
          <SessionHeader
            channel={channel}
            state={state}
            chat={chat}
            agent={agent}
            panel={shownPanel}
            onPanel={toggle}
          />
          <ChatTabs session={channel.uri} state={state} chat={uri} />
          <div class="session-body">
            <OpenBesideContext.Provider value={openBeside}>
              <OpenUsageContext.Provider value={openUsage}>
                <OpenChat channel={channel} state={state} chat={chat} agent={agent} />
              </OpenUsageContext.Provider>
              {panel && (
                <SidePanel
                  panel={panel}
                  channel={channel}
                  state={state}
                  chat={chat}
                  onClose={() => setPanel(undefined)}
                />
              )}
            </OpenBesideContext.Provider>
          </div>
        </section>
      </TurnActionsContext.Provider>
    </ChatContext.Provider>
  );
}

interface OpenChatProps {
  readonly channel: Channel<SessionState>;
  readonly state: SessionState;
  readonly chat: Channel<ChatState>;
  readonly agent: AgentInfo | undefined;
}

function OpenChat({ channel, state, chat, agent }: OpenChatProps) {
  const plan = planFor(state, chat.uri);
  const found = useSearchedLine(channel, chat);
  return (
    <div class="session-chat">
      <FoundPlaceContext.Provider value={found}>
        <Transcript channel={chat} />
      </FoundPlaceContext.Provider>
      <div class="dock">
        <div class="column">
          {plan && <PlanView entries={plan} />}
          {chat.state.value && <Waits chat={chat.state.value} />}
          <Composer session={channel} state={state} channel={chat} agent={agent} />
        </div>
      </div>
    </div>
  );
}

/** Stops the running turn, unless the key belongs to a menu, a dialog or a completion. */
function useEscape(target: ChatTarget, mayControl: boolean): void {
  useEffect(() => {
    if (!mayControl) return;
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      if (document.querySelector('dialog[open], [popover]:popover-open')) return;
      if (event.target instanceof HTMLElement && event.target.closest('.xterm, .title')) return;
      void stopTurn(target);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [target.channel, mayControl]);
}

function planFor({ _meta }: SessionState, chat: URI) {
  const plans = _meta?.['plans'];
  const ofChat = isRecord(plans) ? plans[chat] : undefined;
  const plan = planIn(ofChat === undefined ? _meta : { plan: ofChat });
  return plan && plan.length > 0 ? plan : undefined;
}

/** Marks the session as read while it is visible. */
function useMarkRead(channel: Channel<SessionState>, chat: Channel<ChatState>): void {
  const client = useClient();
  const summary = findSummary(client.sessions.value, channel.uri);
  const turns = chat.state.value?.turns.length;
  const mayMark = useHasRole('approve');
  const unread = mayMark && summary !== undefined && !isRead(summary.status);
  useEffect(() => {
    if (!unread) return;
    const mark = (): void => {
      if (!document.hidden) void client.dispatch(channel, { type: 'session/isReadChanged', isRead: true });
    };
    mark();
    document.addEventListener('visibilitychange', mark);
    return () => document.removeEventListener('visibilitychange', mark);
  }, [unread, turns]);
}
