// One session: who and what it is, its chats, the conversation and the place to write.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { ChatState, SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import { findSummary } from '../../client/catalogue.ts';
import type { Channel } from '../../client/channel.ts';
import { useChannel, useClient } from '../../state/app.ts';
import { ChatContext, chatPort } from '../../state/chat.ts';
import { useMay } from '../../state/role.ts';
import { isRead } from '../../text/words.ts';
import { Composer } from '../compose/Composer.tsx';
import { ask } from '../compose/sending.ts';
import type { Sending } from '../compose/sending.ts';
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
  const condition = channel.condition.value;
  if (condition.kind === 'gone') return <Gone why={condition.why} />;
  if (!state) return <p class="hint">Loading…</p>;
  const shown = chat ?? state.defaultChat ?? state.chats[0]?.resource;
  if (state.lifecycle === 'failed')
    return <Gone why={state.creationError?.message ?? 'The session could not be created.'} />;
  if (shown === undefined) return <p class="hint">The session is being created…</p>;
  return <OpenSession key={shown} channel={channel} state={state} chat={shown} />;
}

function Gone({ why }: { readonly why: string }) {
  return (
    <section class="page">
      <h1 tabIndex={-1}>This session is not there</h1>
      <p>{why}</p>
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

/** Turns beyond these are fetched when the reader goes back to them. */
const turnsAtFirst = 60;

function OpenSession({ channel, state, chat: uri }: OpenSessionProps) {
  const client = useClient();
  const chat = useChannel('chat', uri, turnsAtFirst);
  const [panel, setPanel] = useState<PanelName>();
  const port = useMemo(() => chatPort(client, channel.uri, chat), [chat]);
  const retry = useMemo(() => retrying({ client, channel: chat }), [chat]);
  const mayControl = useMay('control');
  usePresence(channel);
  useReading(channel, chat);
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

function retrying(sending: Sending): Retry {
  return {
    again: (turnId) => {
      const turn = sending.channel.state.peek()?.turns.find(({ id }) => id === turnId);
      if (turn) void ask(sending, turn.message);
    },
    goOn: () => void ask(sending, { text: 'Please continue where you stopped.', origin: { kind: 'user' } }),
  };
}

function planFor({ _meta }: SessionState, chat: URI) {
  const plans = _meta?.['plans'];
  const own: unknown =
    typeof plans === 'object' && plans !== null
      ? Object.entries(plans).find(([uri]) => uri === chat)?.[1]
      : undefined;
  const plan = planIn(own === undefined ? _meta : { plan: own });
  return plan && plan.length > 0 ? plan : undefined;
}

/** Whoever looks at a session has read it. */
function useReading(channel: Channel<SessionState>, chat: Channel<ChatState>): void {
  const client = useClient();
  const summary = findSummary(client.sessions.value, channel.uri);
  const news = chat.state.value?.turns.length;
  const mayMark = useMay('approve');
  const unread = mayMark && summary !== undefined && !isRead(summary.status);
  useEffect(() => {
    if (!unread) return;
    const mark = (): void => {
      if (!document.hidden) void client.dispatch(channel, { type: 'session/isReadChanged', isRead: true });
    };
    mark();
    document.addEventListener('visibilitychange', mark);
    return () => document.removeEventListener('visibilitychange', mark);
  }, [unread, news]);
}
