// The chat of a sub-agent, nested in the tool call that started it.
import { useContext, useMemo, useState } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import { useChannel, useClient } from '../../state/app.ts';
import { ChatContext, chatPort, useChat } from '../../state/chat.ts';
import { OpenBesideContext } from '../running/openBeside.ts';
import { Icon } from '../parts/Icon.tsx';
import { StatusMark } from '../parts/StatusMark.tsx';
import { Conversation } from '../transcript/Conversation.tsx';
import { TurnActionsContext } from '../transcript/turnActions.ts';

interface SubAgentProps {
  readonly chat: URI;
  readonly title: string;
  readonly description?: string | undefined;
}

export function SubAgent({ chat, title, description }: SubAgentProps) {
  const [open, setOpen] = useState(false);
  return (
    <details class="call subagent" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="sub" kind="kind" />
        <span class="verb" dir="auto">
          {title}
        </span>{' '}
        {description !== undefined && !title.includes(description) && (
          <span class="object" dir="auto">
            {description}
          </span>
        )}
        <Icon name="chev" kind="chev" />
      </summary>
      {open && <SubAgentChat chat={chat} />}
    </details>
  );
}

const initialTurns = 20;

/** The chat alone, below a line that names the sub-agent. */
export function SubAgentChat({ chat }: { readonly chat: URI }) {
  const client = useClient();
  const { session } = useChat();
  const channel = useChannel('chat', chat, initialTurns);
  const port = useMemo(() => chatPort(client, session, channel), [channel]);
  const status = channel.state.value?.status;
  const openBeside = useContext(OpenBesideContext);
  return (
    <ChatContext.Provider value={port}>
      <TurnActionsContext.Provider value={undefined}>
        <p class="nested-head">
          {status !== undefined && <StatusMark status={status} />}
          {openBeside && (
            <button type="button" class="btn small ghost" onClick={() => openBeside(chat)}>
              <Icon name="columns" /> Open beside
            </button>
          )}
        </p>
        <div class="nested" role="group" aria-label="Sub-agent">
          <Conversation channel={channel} />
        </div>
      </TurnActionsContext.Provider>
    </ChatContext.Provider>
  );
}
