// Tabs for the chats of a session. Chats of sub-agents are shown inside the tool call that started them.
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import { addressOf } from '../../state/route.ts';
import { StatusMark } from '../parts/StatusMark.tsx';

interface ChatTabsProps {
  readonly session: URI;
  readonly state: SessionState;
  readonly chat: URI;
}

export function ChatTabs({ session, state, chat }: ChatTabsProps) {
  const shown = tabsOf(state, chat);
  if (shown.length < 2) return null;
  return (
    <nav class="chat-tabs" aria-label="Chats">
      {shown.map(({ resource, title, status, origin }) => (
        <a
          key={resource}
          href={addressOf({ page: 'session', session, chat: resource })}
          aria-current={resource === chat ? 'page' : undefined}
        >
          <StatusMark status={status} />{' '}
          <span class="truncate" dir="auto">
            {title || (origin?.kind === 'fork' ? 'Fork' : 'Chat')}
          </span>
        </a>
      ))}
    </nav>
  );
}

/** The chats that people open, and the one that is open. */
export function tabsOf({ chats }: SessionState, open?: URI): SessionState['chats'] {
  return chats.filter(
    ({ origin, interactivity, resource }) =>
      resource === open || (interactivity !== 'hidden' && origin?.kind !== 'tool'),
  );
}
