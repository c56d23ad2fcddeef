// The chats of a session that people talk in. Those of sub-agents are shown where they were started.
import type { URI } from '../../../src/protocols/ahp/newest/content.ts';
import type { SessionState } from '../../../src/protocols/ahp/newest/state.ts';
import { freshId } from '../../client/freshId.ts';
import { useClient } from '../../state/app.ts';
import { addressOf, goTo } from '../../state/route.ts';
import { problemText, toast } from '../../state/toasts.ts';
import { Icon } from '../parts/Icon.tsx';
import { StatusMark } from '../parts/StatusMark.tsx';

interface ChatTabsProps {
  readonly session: URI;
  readonly state: SessionState;
  readonly chat: URI;
}

export function ChatTabs({ session, state, chat }: ChatTabsProps) {
  const client = useClient();
  const shown = state.chats.filter(({ origin, interactivity, resource }) => resource === chat || (interactivity !== 'hidden' && origin?.kind !== 'tool'));
  const agent = client.root.state.value?.agents.find(({ provider }) => provider === state.provider);
  const several = agent?.capabilities?.multipleChats !== undefined;
  if (shown.length < 2 && !several) return null;
  return (
    <nav class="chat-tabs" aria-label="Chats">
      {shown.length > 1 &&
        shown.map(({ resource, title, status }) => (
          <a key={resource} href={addressOf({ page: 'session', session, chat: resource })} aria-current={resource === chat ? 'page' : undefined}>
            <StatusMark status={status} /> {title || 'Chat'}
          </a>
        ))}
      {several && (
        <button type="button" class="quiet" onClick={() => void create()}>
          <Icon name="plus" /> New chat
        </button>
      )}
    </nav>
  );

  async function create(): Promise<void> {
    const fresh = `ahp-chat:/${freshId()}`;
    try {
      await client.request('createChat', { channel: session, chat: fresh });
      goTo({ page: 'session', session, chat: fresh });
    } catch (error) {
      toast('problem', problemText(error));
    }
  }
}
