// One session: header, chat tabs, transcript, composer and side panel.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { isRecord } from '../../../src/base/isRecord.ts';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { ChatState, SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import { findSummary } from '../../client/catalogue.ts';
import type { Channel } from '../../client/channel.ts';
import { useChannel, useClient } from '../../state/app.ts';
import { ChatContext, chatPort } from '../../state/chat.ts';
import { useHasRole } from '../../state/role.ts';
import { isRead } from '../../text/format.ts';
import { Composer } from '../compose/Composer.tsx';
import { sendMessage } from '../compose/sending.ts';
import type { ChatTarget } from '../compose/sending.ts';
import { planIn, PlanView } from '../parts/PlanView.tsx';
import { RetryContext } from '../transcript/retry.ts';
import type { Retry } from '../transcript/retry.ts';
import { Transcript } from '../transcript/Transcript.tsx';
import { ChatTabs } from './ChatTabs.tsx';
import { SessionHeader } from './SessionHeader.tsx';
import { SidePanel } from './SidePanel.tsx';
import type { PanelName } from './SidePanel.tsx';
import { usePresence } from './usePresence.ts';

interface SessionPageProps {
  readonly session: URI;
  readonly chat?: URI | undefined;
}

export function SessionPage({ session, chat }: SessionPageProps) {
  const channel = useChannel('session', session);
  const state = channel.state.value;
  const status = channel.status.value;
  if (status.kind === 'gone') return <NotFound reason={status.reason} />;
  if (!state) return <p class="hint">Loading…</p>;
  const shown = chat ?? state.defaultChat ?? state.chats[0]?.resource;
  if (state.lifecycle === 'failed')
    return <NotFound reason={state.creationError?.message ?? 'The session could not be created.'} />;
  if (shown === undefined) return <p class="hint">Creating the session…</p>;
  return <OpenSession key={shown} channel={channel} state={state} chat={shown} />;
}

function NotFound({ reason }: { readonly reason: string }) {
  return (
    <section class="page">
      <h1 tabIndex={-1}>Session not found</h1>
      <p>{reason}</p>
      <p>
        <a href="#/">Back to the sessions</a>
      </p>
    </section>
  );
}

interface OpenSessionProps {
  readonly channel: Channel<SessionState>;
  readonly state: SessionState;
  readonly chat: URI;
}

/** Earlier turns are loaded when the user scrolls up to them. */
const initialTurns = 60;

function OpenSession({ channel, state, chat: uri }: OpenSessionProps) {
  const client = useClient();
  const chat = useChannel('chat', uri, initialTurns);
  const [panel, setPanel] = useState<PanelName>();
  const port = useMemo(() => chatPort(client, channel.uri, chat), [chat]);
  const retry = useMemo(() => retryIn({ client, channel: chat }), [chat]);
  const mayControl = useHasRole('control');
  usePresence(channel);
  useMarkRead(channel, chat);
  const agent = client.root.state.value?.agents.find(({ provider }) => provider === state.provider);
  const plan = planFor(state, uri);
  const toggle = (name: PanelName) => setPanel(panel === name ? undefined : name);

  return (
    <ChatContext.Provider value={port}>
      <RetryContext.Provider value={mayControl ? retry : undefined}>
        <section class="session" aria-label={state.title || 'New session'}>
          <SessionHeader
            channel={channel}
            state={state}
            chat={chat}
            agent={agent}
            panel={panel}
            onPanel={toggle}
          />
          <ChatTabs session={channel.uri} state={state} chat={uri} />
          {plan && <PlanView entries={plan} />}
          <div class="session-body">
            <div class="session-chat">
              <Transcript channel={chat} />
              <Composer channel={chat} models={agent?.models ?? []} />
            </div>
            {panel && (
              <SidePanel
                name={panel}
                channel={channel}
                state={state}
                chat={chat}
                onClose={() => setPanel(undefined)}
              />
            )}
          </div>
        </section>
      </RetryContext.Provider>
    </ChatContext.Provider>
  );
}

function retryIn(target: ChatTarget): Retry {
  return {
    repeat: (turnId) => {
      const turn = target.channel.state.peek()?.turns.find(({ id }) => id === turnId);
      if (turn) void sendMessage(target, turn.message);
    },
    resume: () =>
      void sendMessage(target, { text: 'Please continue where you stopped.', origin: { kind: 'user' } }),
  };
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
